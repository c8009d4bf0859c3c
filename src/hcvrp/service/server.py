"""The server process: the database, the crew of workers, and HTTP in front of them."""

from __future__ import annotations

import socket
from collections.abc import Callable

import uvicorn

from hcvrp.errors import InputError
from hcvrp.service.api import create_app
from hcvrp.service.crew import Crew
from hcvrp.service.database import claimed, connect, migrate
from hcvrp.service.desk import Desk
from hcvrp.service.queue import Queue
from hcvrp.service.settings import Settings
from hcvrp.service.store import TABLES, Store

BACKLOG = 2048
LEAVING_SECONDS = 2


def serve(settings: Settings, announce: Callable[[str], None]) -> None:
    """Serves until it is told to stop; `announce` gets its address when all is ready."""
    with claimed(settings.database, settings.name), listening(settings) as door:
        migrate(settings.database, TABLES)
        store = Store(connect(settings.database))
        queue = Queue(store, settings.limits.queue)
        queue.take_up(settings.name)
        with Crew(settings) as crew:
            app = create_app(Desk(settings, store, queue, crew))
            config = uvicorn.Config(
                app,
                log_level="warning",
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=LEAVING_SECONDS,
            )
            announce(address(settings, door))
            uvicorn.Server(config).run(sockets=[door])


def listening(settings: Settings) -> socket.socket:
    """The socket, open from here on: an address in use is told before anything else happens."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # With its protocol named, asyncio sends without delay; else answers wait 40 ms for an ACK.
    door = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        door.bind((settings.host, settings.port))
    except OSError as error:
        door.close()
        raise InputError(
            f"cannot listen on {settings.host} port {settings.port}: {error.strerror}"
        ) from None
    door.listen(BACKLOG)
    return door


def address(settings: Settings, door: socket.socket) -> str:
    """Where clients find the server; for port 0 the system has chosen one."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"http://{host}:{door.getsockname()[1]}"
