"""A server of its own and a browser, both for the whole session."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
QUIET = ["--no-sandbox", "--disable-background-networking", "--disable-component-update"]
PATIENCE = 60.0


@pytest.fixture(scope="session")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        port = door.getsockname()[1]
    database = tmp_path_factory.mktemp("server") / "jobs.db"
    command = [sys.executable, "-c", "from hcvrp.cli import main; main()", "serve"]
    command += ["--port", str(port), "--workers", "2", "--database", f"sqlite:///{database}"]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    deadline = time.monotonic() + PATIENCE
    while not _answers(f"{address}/health/ready"):
        assert time.monotonic() < deadline, "the server does not answer"
        time.sleep(0.1)
    yield address
    process.kill()
    process.wait()


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
