"""A fleet in a few words, as on the command line: `20,25x2` or `20@30,25@28.5x2`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hcvrp.errors import InputError
from hcvrp.formats.fields import SHOWN, number_in, whole_in
from hcvrp.formats.files import blamed
from hcvrp.instance import MOST_VEHICLES, Vehicle, fleet

_ITEM = re.compile(r"(?P<capacity>[^x@]+)(@(?P<speed>[^x@]+))?(x(?P<count>[^x@]+))?", re.IGNORECASE)


def parse_words(text: str) -> tuple[Vehicle, ...]:
    """The vehicles of `CAPACITY[@SPEED][xCOUNT],…`: `20@30,25@28.5x2` are three."""
    vehicles, counts = [], []
    items = [item.strip() for item in text.split(",")]
    for item in items:
        with blamed(f"fleet item {item[:SHOWN]!r}"):
            match = _ITEM.fullmatch(item)
            if match is None:
                raise InputError(
                    "it must look like 20, 20x3 (CAPACITYxCOUNT), 20@0.5 (CAPACITY@SPEED)"
                    " or 20@0.5x3"
                )
            capacity = number_in(match["capacity"], "capacity")
            vehicles.append(Vehicle(capacity, number_in(match["speed"] or "1", "speed")))
            counts.append(whole_in(match["count"] or "1", "count", least=1))
    bare = [item for item in items if "@" not in item]
    if 0 < len(bare) < len(items):  # 1 would be a good default only for all
        raise InputError(
            f"fleet item {bare[0]!r} has no speed: give every vehicle a speed or none"
            " (a decimal is written with a point, 28.5)"
        )
    return expanded(vehicles, counts)


def expanded(vehicles: Sequence[Vehicle], counts: Sequence[int]) -> tuple[Vehicle, ...]:
    """`counts[k]` copies of each vehicle, within reason."""
    if sum(counts) > MOST_VEHICLES:
        raise InputError(f"a fleet has at most {MOST_VEHICLES} vehicles, not {sum(counts)}")
    return fleet(vehicles, counts)


def no_vehicles(sentence: str) -> InputError:
    """The refusal of stops where vehicles are wanted."""
    return InputError(
        sentence,
        code="stops-not-vehicles",
        advice="give the stops first and the vehicles after --fleet, such as stops.csv --fleet"
        " vans.csv",
        upload="upload the stops as customers",
    )
