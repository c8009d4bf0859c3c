"""A service without workers for quick tests, and real servers for those of durability."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi.testclient import TestClient

from hcvrp.service import demo
from hcvrp.service.api import create_app
from hcvrp.service.crew import Crew
from hcvrp.service.database import connect, migrate
from hcvrp.service.desk import Desk
from hcvrp.service.order import document
from hcvrp.service.queue import Queue
from hcvrp.service.settings import Limits, Settings
from hcvrp.service.store import TABLES, Store
from hcvrp.service.work import work

PATIENCE = 60.0
"""Seconds after which a test gives up waiting; no test needs them on a healthy machine."""


def _town() -> dict[str, Any]:
    """Three stops on the axes: 3 east, 4 north, 6 west of the depot."""
    return {
        "format": "hcvrp-instance",
        "version": 1,
        "name": "town",
        "depot": {"x": 0, "y": 0},
        "customers": [
            {"name": "east", "x": 3, "y": 0, "demand": 2},
            {"name": "north", "x": 0, "y": 4, "demand": 3},
            {"name": "west", "x": -6, "y": 0, "demand": 4},
        ],
        "vehicles": [
            {"name": "small", "capacity": 5, "speed": 2},
            {"name": "large", "capacity": 9, "speed": 0.5},
        ],
    }


@pytest.fixture
def town() -> dict[str, Any]:
    return _town()


class Service:
    """The application around a fresh database, its client, and a worker to call by hand."""

    def __init__(self, folder: Path, **changes: Any) -> None:
        self.settings = replace(
            Settings(database=f"sqlite:///{folder}/jobs.db", workers=0), **changes
        )
        migrate(self.settings.database, TABLES)
        self.engine = connect(self.settings.database)
        self.store = Store(self.engine)
        self.queue = Queue(self.store, self.settings.limits.queue)
        self.desk = Desk(self.settings, self.store, self.queue, Crew(self.settings))
        app = create_app(self.desk)
        self.client = TestClient(app, base_url="http://localhost", raise_server_exceptions=False)

    def submit(self, **choices: Any) -> str:
        body = {"instance": _town(), "method": "savings"} | choices
        response = self.client.post("/v1/jobs", json=body)
        assert response.status_code == 202, response.text
        name: str = response.json()["id"]
        return name

    def work(self, job: str) -> dict[str, Any]:
        """What a worker process does with the job, here and now."""
        work(self.store, job)
        answer: dict[str, Any] = self.client.get(f"/v1/jobs/{job}").json()
        return answer


@pytest.fixture(scope="session")
def service_class() -> type[Service]:
    return Service


@pytest.fixture
def make_service(tmp_path: Path) -> Iterator[Callable[..., Service]]:
    made: list[Service] = []

    def make(**changes: Any) -> Service:
        folder = tmp_path / str(len(made))
        folder.mkdir()
        service = Service(folder, **changes)
        service.client.__enter__()
        made.append(service)
        return service

    yield make
    for service in made:
        service.client.__exit__(None, None, None)
        service.engine.dispose()


@pytest.fixture
def service(make_service: Callable[..., Service]) -> Service:
    return make_service()


@pytest.fixture
def small_limits() -> Limits:
    return Limits(body_bytes=2_000, customers=3, vehicles=2, direct_seconds=2, queue=2)


class Server:
    """`hcvrp serve` as a process of its own, which can be killed and started again."""

    def __init__(self, database: str, folder: Path, *options: str) -> None:
        self.database = database
        self.told = folder / "told.txt"
        self.options = options
        self.port = 0
        self.http = httpx2.Client(timeout=PATIENCE)
        self.start()

    def start(self) -> None:
        """At any free port, which it tells; at the same one again after that."""
        code = "from hcvrp.cli import main; main()"
        command = [sys.executable, "-c", code, "serve", "--port", str(self.port)]
        command += ["--workers", "2", "--database", self.database, *self.options]
        with self.told.open("w") as told:
            self.process = subprocess.Popen(command, stderr=told)
        self.wait_until(self.is_ready, "the server is ready")

    def is_ready(self) -> bool:
        assert self.process.poll() is None, f"the server ended: {self.told.read_text()}"
        address = re.search(r"http://127\.0\.0\.1:(\d+) ", self.told.read_text())
        if address is None:
            return False
        self.port = int(address[1])
        self.http.base_url = f"http://127.0.0.1:{self.port}"
        try:
            return self.http.get("/health/ready").status_code == 200
        except httpx2.TransportError:
            return False

    def wait_until(self, happened: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while not happened():
            assert time.monotonic() < deadline, f"not within {PATIENCE:g} s: {what}"
            time.sleep(0.05)

    def submit(self, **choices: Any) -> str:
        body = {"instance": _town(), "method": "sisr"} | choices
        response = self.http.post("/v1/jobs", json=body)
        assert response.status_code == 202, response.text
        name: str = response.json()["id"]
        return name

    def job(self, name: str) -> dict[str, Any]:
        answer: dict[str, Any] = self.http.get(f"/v1/jobs/{name}").json()
        return answer

    def wait_for(self, name: str, *statuses: str) -> dict[str, Any]:
        self.wait_until(lambda: self.job(name)["status"] in statuses, f"{name} is {statuses}")
        return self.job(name)

    def wait_for_plan(self, name: str) -> None:
        self.wait_until(lambda: self.job(name)["cost"] is not None, f"{name} has a plan")

    def workers(self) -> list[int]:
        every = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        found = {int(pid) for path in every for pid in path.read_text().split()}
        return sorted(found)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)


@pytest.fixture
def start_server(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    servers: list[Server] = []

    def start(*options: str, database: str | None = None) -> Server:
        where = database or f"sqlite:///{tmp_path}/jobs.db"
        servers.append(Server(where, tmp_path, *options))
        return servers[-1]

    yield start
    for server in servers:
        server.http.close()
        if server.process.poll() is None:
            server.kill()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One for all tests that leave it standing."""
    folder = tmp_path_factory.mktemp("server")
    running = Server(f"sqlite:///{folder}/jobs.db", folder)
    yield running
    running.http.close()
    running.kill()


@pytest.fixture(scope="session")
def large_town() -> dict[str, Any]:
    """An instance that the search improves for a while."""
    return document(demo.town(100, 5))


def _is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.fixture(scope="session")
def is_alive() -> Callable[[int], bool]:
    return _is_alive


def _events(text: str) -> list[tuple[str, Any]]:
    found = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if line[:1] != ":")
        if "data" in fields:
            found.append((fields["event"], json.loads(fields["data"])))
    return found


@pytest.fixture(scope="session")
def events_of() -> Callable[[str], list[tuple[str, Any]]]:
    """(kind, data) of each server-sent event of a text."""
    return _events
