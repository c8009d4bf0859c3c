"""How numbers, times and names are written for people, in pictures and on the terminal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hcvrp.instance import Instance

SLOWEST = 3.0
"""In km/h; slower than a walk no vehicle is."""


def times_are_hours(instance: Instance) -> bool:
    """Whether times are hours: distances are kilometres on the globe, speeds must be km/h.

    Speeds below a walk, such as the 1 of a fleet without speeds, are something else.
    """
    on_globe = instance.metric == "great-circle" and instance.matrix is None
    return on_globe and float(instance.speeds.min()) >= SLOWEST


def time(value: float, *, hours: bool) -> str:
    """A time: as h:mm if it is in `hours`, else to four figures."""
    if not hours:
        return number(value)
    minutes = round(60 * value)
    return f"{minutes // 60}:{minutes % 60:02d}"


def number(value: float) -> str:
    """`value` to four figures, never in powers of ten: 0.1235, 4.668, 1235, 123456."""
    if value == 0:
        return "0"
    decimals = max(0, 3 - math.floor(math.log10(abs(value))))
    return f"{value:.{decimals}f}"


def brief(value: float) -> str:
    """A demand, load, capacity or speed: whole numbers without a point, others to six figures."""
    whole = value == round(value) or abs(value) >= 1e6
    return f"{value:.0f}" if whole else f"{value:.6g}"


def plural(count: int, noun: str) -> str:
    """The count with its noun: 1 trip, 2 trips."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def tidy(text: str) -> str:
    """`text` on one line, with a space for each character that cannot be printed.

    Among these is the escape character, by which a name could steer a terminal.
    """
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
