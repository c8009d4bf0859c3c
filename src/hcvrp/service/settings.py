"""What a server is told when it starts."""

from __future__ import annotations

import ipaddress
import math
import re
from dataclasses import dataclass, field

from hcvrp.errors import InputError
from hcvrp.workers import cores

TILES = re.compile(r"(?=.*\{z\})(?=.*\{x\})(?=.*\{y\})(https?://[A-Za-z0-9.:-]+)/[^\s;,]*")
"""A template of tile addresses, its origin as the first group."""


@dataclass(frozen=True)
class Limits:
    """What one request may ask for, and how many may wait; more is refused with 413, 422 or 429.

    `certified` is the number of customers up to which a bound may be asked for.
    """

    body_bytes: int = 16 * 2**20
    customers: int = 2_000
    vehicles: int = 500
    seconds: float = 3_600.0
    direct_seconds: float = 10.0
    certified: int = 200
    queue: int = 10_000
    streams: int = 200

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            if not getattr(self, name) > 0:
                raise InputError(f"limit {name} must be positive, not {getattr(self, name)}")


@dataclass(frozen=True)
class Settings:
    """One server: where it listens, where its jobs are kept, how many it solves at once.

    `name` tells servers on one database apart; after a crash a server takes up the jobs that
    were running under its name. Finished jobs are kept for `keep` days, None is for ever. `tiles`
    is the URL of map tiles with {z}, {x} and {y} in it, `attribution` what their makers want said.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    database: str = "sqlite:///hcvrp.db"
    token: str | None = None
    workers: int = field(default_factory=cores)
    name: str = "server"
    keep: float | None = None
    tiles: str | None = None
    attribution: str = ""
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if not 0 <= self.port < 65536:
            raise InputError(f"port must lie between 0 and 65535, not {self.port}")
        if not 0 <= self.workers <= 1024:
            raise InputError(f"workers must lie between 0 and 1024, not {self.workers}")
        if self.keep is not None and not 0 < self.keep < math.inf:
            raise InputError(f"keep must be a positive number of days, not {self.keep:g}")
        if not re.fullmatch(r"[A-Za-z0-9_.-]{1,64}", self.name):
            raise InputError(f"name must be 1 to 64 letters, digits or _.-, not {self.name!r}")
        if self.tiles is not None and not TILES.fullmatch(self.tiles):
            raise InputError(
                "tiles must be an http address with {z}, {x} and {y},"
                f" not {self.tiles[:80]!r}"
            )
        if not self.database.startswith(("sqlite:///", "postgresql://")):
            raise InputError(
                "database must begin with sqlite:/// or postgresql://,"
                f" not {self.database.partition(':')[0]!r}"  # the rest may hold a password
            )
        if self.token is not None and not re.fullmatch(r"[\x21-\x7e]{8,}", self.token):
            raise InputError("token must have at least 8 printable characters and no spaces")
        if self.token is None and not self.is_local:
            raise InputError(f"host {self.host} can be reached by others: a token is needed")

    @property
    def tile_origin(self) -> str:
        """Where tiles come from, "" for nowhere."""
        found = TILES.fullmatch(self.tiles or "")
        return found[1] if found else ""

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the server."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"
