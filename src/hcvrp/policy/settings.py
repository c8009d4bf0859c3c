"""How to decode: greedily or by samples, plainly or under the symmetries of the square."""

from __future__ import annotations

from dataclasses import dataclass

from hcvrp.errors import InputError

SYMMETRIES = 8

ROWS = {"cuda": 65_536, "cpu": 256}
"""Rollouts in memory at once where nothing else is asked for, by the device's type."""


@dataclass(frozen=True)
class Decoding:
    """How to decode.

    `samples` per instance, 0 for greedy. With `augment` the network sees each instance under the
    eight symmetries of the square; greedy decodes all eight, samples are spread evenly over them.
    At most `rows` rollouts are in memory at once; None lets the device decide. The compiled core
    makes only a few side by side and does not look at `rows`.
    """

    samples: int = 0
    augment: bool = False
    rows: int | None = None

    def __post_init__(self) -> None:
        check_count("samples", self.samples, 0)
        if self.rows is not None:
            check_count("rows", self.rows, 1)
        if not isinstance(self.augment, bool):
            raise InputError(f"augment must be true or false, not {self.augment!r}")

    @property
    def views(self) -> int:
        """How many symmetries each instance is seen under."""
        return SYMMETRIES if self.augment else 1

    @property
    def rollouts(self) -> int:
        """Rollouts per instance and symmetry."""
        return max(1, -(-self.samples // self.views))

    def limit(self, device: str) -> int:
        """Rollouts in memory at once on that type of device."""
        return ROWS[device] if self.rows is None else self.rows


def check_count(name: str, value: object, low: int) -> None:
    """Refuses what is no whole number of at least `low`."""
    if not isinstance(value, int) or isinstance(value, bool) or value < low:
        raise InputError(f"{name} must be a whole number of at least {low}, not {value!r}")
