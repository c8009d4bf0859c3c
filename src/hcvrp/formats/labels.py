"""The names that the stops of a solution file bear beside their numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from hcvrp.errors import InputError
from hcvrp.formats.fields import SHOWN
from hcvrp.formats.places import Where
from hcvrp.instance import Instance


class Label(NamedTuple):
    """One stop: its place, its vehicle and customer counted from 1, and their names or ""."""

    where: Where
    vehicle: int
    vehicle_name: str
    customer: int
    customer_name: str


def check_labels(labels: Iterable[Label], instance: Instance) -> None:
    """Refuses a name that contradicts its number.

    Whoever moves a stop by hand changes the one or the other, and nobody can tell which was meant;
    and a plan made before the stops were sorted anew would pass for a plan of other customers.
    """
    drivers = [vehicle.name for vehicle in instance.vehicles]
    customers = instance.customer_names or [None] * instance.size
    for label in labels:
        _check(label.where, "vehicle", label.vehicle, label.vehicle_name, drivers)
        _check(label.where, "customer", label.customer, label.customer_name, customers)


def _check(where: Where, what: str, number: int, told: str, names: Sequence[str | None]) -> None:
    name = names[number - 1]
    if name is None or not told.strip() or _same(told, name):
        return
    others = [k for k, other in enumerate(names, start=1) if other and _same(told, other)]
    whose = f" ({what} {others[0]})" if others else ""
    raise InputError(
        f"{where}: {what} {number} is {name[:SHOWN]!r}, not {told[:SHOWN]!r}{whose}: mend the"
        " number or the name, or empty the cell of the name"
    )


def _same(told: str, name: str) -> bool:
    """Whether a spreadsheet may have made `told` of `name`: it takes the zeros from 007."""
    return _kept(told) == _kept(name)


def _kept(name: str) -> str:
    words = " ".join(name.split())
    return words.lstrip("0") if words.isdecimal() else words
