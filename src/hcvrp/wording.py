"""How numbers, times and names are written for people, in pictures and on the terminal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hcvrp.instance import Instance

SLOWEST = 3.0
"""In km/h; slower than a walk no vehicle is."""

LARGEST, SMALLEST = 1e9, 1e-6
"""Numbers beyond them are written in powers of ten."""

_OUTCOMES = {"min-max": "all done after", "min-sum": "all vehicles together"}


def times_are_hours(instance: Instance) -> bool:
    """Whether times are hours: distances are kilometres on the globe, speeds must be km/h.

    Speeds below a walk, such as the 1 of a fleet without speeds, are something else.
    """
    return on_globe(instance) and float(instance.speeds.min()) >= SLOWEST


def times_are_kilometres(instance: Instance) -> bool:
    """Whether times are kilometres on the globe, since no vehicle has a speed but 1."""
    return on_globe(instance) and bool((instance.speeds == 1).all())


def of_one_kind(instances: Sequence[Instance]) -> bool:
    """Whether all times are hours, or all kilometres, so that their mean is one as well."""
    return all(map(times_are_hours, instances)) or all(map(times_are_kilometres, instances))


def on_globe(instance: Instance) -> bool:
    """Whether distances are kilometres between latitudes and longitudes."""
    return instance.metric == "great-circle" and instance.matrix is None


def caution(instance: Instance) -> str:
    """What times leave out and, on the globe, why they are not hours; nothing on a plan."""
    if times_are_hours(instance):
        return "Driving alone, as the crow flies."
    if times_are_kilometres(instance):
        return "No speeds are given (or all are 1): these are kilometres, as the crow flies."
    if on_globe(instance):
        slowest = int(instance.speeds.argmin())
        return (
            f"Times are kilometres, as the crow flies, divided by speed; not hours, since"
            f" {tidy(instance.vehicle_label(slowest))} has a speed of"
            f" {brief(float(instance.speeds[slowest]))}, below the {SLOWEST:g} km/h of a walk."
        )
    return ""


def span(instance: Instance, value: float) -> str:
    """A time of `instance` with its unit: 0:46 h, 7.706 km without speeds, 7.706 on a plan."""
    if times_are_hours(instance):
        return f"{time(value, hours=True)} h"
    return f"{number(value)} km" if times_are_kilometres(instance) else number(value)


def outcome(instance: Instance, objective: str, cost: float) -> str:
    """What a cost means, the bare figure beside: all done after 0:46 h (min-max 0.7619)."""
    return f"{_OUTCOMES[objective]} {span(instance, cost)} ({objective} {cost:.10g})"


def heading(objective: str) -> str:
    """What stands above times that are costs: All done after."""
    return _OUTCOMES[objective].capitalize()


def time(value: float, *, hours: bool) -> str:
    """A time: as h:mm if it is in `hours`, else to four figures."""
    if not hours:
        return number(value)
    minutes = round(60 * value)
    return f"{minutes // 60}:{minutes % 60:02d}"


def number(value: float) -> str:
    """`value` to four figures, as 0.1235, 4.668 or 123456; only beyond in powers of ten."""
    if value == 0:
        return "0"
    if not SMALLEST <= abs(value) < LARGEST:
        return f"{value:.4g}"
    decimals = max(0, 3 - math.floor(math.log10(abs(value))))
    return f"{value:.{decimals}f}"


def brief(value: float) -> str:
    """A demand, load, capacity or speed: whole numbers without a point, others to six figures."""
    whole = value == round(value) or abs(value) >= 1e6
    return f"{value:.0f}" if whole and abs(value) < LARGEST else f"{value:.6g}"


def plural(count: int, noun: str) -> str:
    """The count with its noun: 1 trip, 2 trips."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def tidy(text: str) -> str:
    """`text` on one line, with a space for each character that cannot be printed.

    Among these is the escape character, by which a name could steer a terminal.
    """
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
