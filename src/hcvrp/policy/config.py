"""The dimensions of a network."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal, get_args

from hcvrp.errors import InputError

Kind = Literal["paper", "am", "fleet"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True)
class NetworkConfig:
    """Which network, and how wide: the defaults are the paper's and its authors' code's.

    `vehicles` is the fleet size m, which the `paper` network is bound to. `trips` has the `fleet`
    network build trip by trip; without it, it chooses a vehicle before every move.
    """

    kind: Kind = "paper"
    vehicles: int = 3
    dim: int = 128
    heads: int = 8
    layers: int = 3
    feed_forward: int = 512
    clip: float = 10.0
    trips: bool = True

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(f"policy kind must be one of {', '.join(KINDS)}, not {self.kind!r}")
        if not isinstance(self.trips, bool):
            raise InputError(f"policy trips must be true or false, not {self.trips!r}")
        for field in fields(self)[1:-1]:
            value = getattr(self, field.name)
            if field.name != "clip" and type(value) is not int:
                raise InputError(f"policy {field.name} must be a whole number, not {value!r}")
            if not value > 0:
                raise InputError(f"policy {field.name} must be positive, not {value}")
        if self.dim % self.heads:
            raise InputError(f"policy heads must divide dim {self.dim}, not {self.heads}")
