"""How to decode: greedily or by samples, plainly or under the symmetries of the square."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral

from hcvrp.errors import InputError
from hcvrp.policy.config import Kind

SYMMETRIES = 8

MOST = 10**9
"""Of samples and the like."""

WARMTH, HOTTEST = 4.0, 3.0
"""How much hotter `fleet` is sampled the more samples and the fewer customers there are."""

TEMPERATURES = (1e-3, 1e3)
"""The least and the most to ask for: far beyond, float32 forgets what is masked."""

ROWS = {"cuda": 65_536, "cpu": 256}
"""Rollouts in memory at once where nothing else is asked for, by the device's type."""


@dataclass(frozen=True)
class Decoding:
    """How to decode.

    `samples` per instance, 0 for greedy. With `augment` the network sees each instance under the
    eight symmetries of the square; greedy decodes all eight, samples are spread evenly over them.
    At most `rows` rollouts are in memory at once; None lets the device decide. The compiled core
    makes only a few side by side and does not look at `rows`. Samples are drawn from
    softmax(scores / `temperature`); None takes what suits the network (`heat`).
    """

    samples: int = 0
    augment: bool = False
    rows: int | None = None
    temperature: float | None = None

    def __post_init__(self) -> None:
        check_count("samples", self.samples, 0)
        if self.rows is not None:
            check_count("rows", self.rows, 1)
        if not isinstance(self.augment, bool):
            raise InputError(f"augment must be true or false, not {self.augment!r}")
        if self.temperature is not None:
            _check_temperature(self.temperature)

    @property
    def views(self) -> int:
        """How many symmetries each instance is seen under."""
        return SYMMETRIES if self.augment else 1

    @property
    def rollouts(self) -> int:
        """Rollouts per instance and symmetry."""
        return max(1, -(-self.samples // self.views))

    def heat(self, kind: Kind, customers: int) -> float:
        """The temperature for an instance.

        The paper's policies are sampled as they are. `fleet` is too sure of itself where there are
        few customers: the best of k samples is best around T = 1 + 4 log₂ k / n (half a per cent
        lower than with T = 1 at 40 customers, level from 100 on: docs/methods/fleet.md).
        """
        if self.temperature is not None:
            return self.temperature
        if kind != "fleet" or self.samples < 1:
            return 1.0
        return min(HOTTEST, 1 + WARMTH * math.log2(self.samples) / customers)

    def limit(self, device: str) -> int:
        """Rollouts in memory at once on that type of device."""
        return ROWS[device] if self.rows is None else self.rows


def _check_temperature(value: object) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    low, high = TEMPERATURES
    if not number or not low <= value <= high:  # type: ignore[operator]
        raise InputError(f"temperature must be a number from {low:g} to {high:g}, not {value!r}")


def check_count(name: str, value: object, low: int) -> None:
    """Refuses what is no whole number of at least `low`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < low:
        raise InputError(f"{name} must be a whole number of at least {low}, not {value!r}")
    if int(value) > MOST:
        raise InputError(f"{name} must be at most {MOST}, not {value}")
