"""A server of its own and a browser, both for the whole session."""

from __future__ import annotations

import base64
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
QUIET = ["--no-sandbox", "--disable-background-networking", "--disable-component-update"]
PATIENCE = 60.0


@pytest.fixture(scope="session")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with _served(tmp_path_factory.mktemp("server"), "--workers", "2") as address:
        yield address


class Server:
    """A server that may be stopped, as by a power cut, and started again where it was."""

    def __init__(self, folder: Path, *options: str) -> None:
        with socket.socket() as door:
            door.bind(("127.0.0.1", 0))
            port = door.getsockname()[1]
        command = [sys.executable, "-c", "from hcvrp.cli import main; main()", "serve", *options]
        self._command = [*command, "--port", str(port), "--database", f"sqlite:///{folder}/jobs.db"]
        self.address = f"http://127.0.0.1:{port}"

    def start(self) -> None:
        self._process = subprocess.Popen(self._command, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + PATIENCE
        while not _answers(f"{self.address}/health/ready"):
            assert time.monotonic() < deadline, "the server does not answer"
            time.sleep(0.1)

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()


@contextmanager
def _served(folder: Path, *options: str) -> Iterator[str]:
    server = Server(folder, *options)
    server.start()
    yield server.address
    server.stop()


PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


class _Tiles(BaseHTTPRequestHandler):
    """Answers every request with the same small picture, and remembers which there were."""

    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_response(200)
        self.send_header("Content-Type", "image/png")
        self.end_headers()
        self.wfile.write(PIXEL)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def tiled(browser, tmp_path):
    """The page of a server with tiles, and the paths of those that were asked for."""
    tiles = ThreadingHTTPServer(("127.0.0.1", 0), _Tiles)
    threading.Thread(target=tiles.serve_forever, daemon=True).start()
    template = f"http://127.0.0.1:{tiles.server_address[1]}/{{z}}/{{x}}/{{y}}.png"
    options = ("--tiles", template, "--attribution", "© the map makers", "--workers", "1")
    with _served(tmp_path, *options) as address:
        for page in _opened(browser, address, viewport={"width": 1400, "height": 950}):
            yield page, _Tiles.asked
    tiles.shutdown()
    tiles.server_close()


@pytest.fixture
def frail(browser, tmp_path):
    """The page of a server of its own, and that server."""
    server = Server(tmp_path, "--workers", "1")
    server.start()
    for page in _opened(browser, server.address, viewport={"width": 1400, "height": 950}):
        yield page, server
    server.stop()


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=5) as response:
            return response.status == 200
    except OSError:
        return False


@pytest.fixture(scope="session")
def browser() -> Iterator[object]:
    playwright = pytest.importorskip("playwright.sync_api", reason="make test-browser installs it")
    if not Path(CHROMIUM).exists():
        pytest.skip(f"there is no browser at {CHROMIUM}; make test-browser installs it")
    with playwright.sync_playwright() as tools:
        opened = tools.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield opened
        opened.close()


@pytest.fixture
def page(browser, url):
    """The page on a desk; any error in its scripts fails the test."""
    yield from _opened(browser, url, viewport={"width": 1400, "height": 950})


@pytest.fixture
def phone(browser, url):
    """The page on a phone, in the dark."""
    view = {"width": 390, "height": 844}
    yield from _opened(browser, url, viewport=view, color_scheme="dark", has_touch=True)


def _opened(browser, url, **options):
    context = browser.new_context(accept_downloads=True, **options)
    context.set_default_timeout(1000 * PATIENCE)
    opened = context.new_page()
    wrong: list[str] = []
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.goto(url)
    opened.wait_for_selector("#demo option:nth-child(2)", state="attached")
    yield opened
    context.close()
    assert wrong == []
