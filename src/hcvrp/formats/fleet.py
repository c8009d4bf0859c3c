"""A fleet in a few words, as on the command line: `20,25x2,30@0.5`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hcvrp.errors import InputError
from hcvrp.formats.fields import number_in, whole_in
from hcvrp.instance import MOST_VEHICLES, Vehicle, fleet

_WORD = re.compile(r"(?P<capacity>[^x@]+)(@(?P<speed>[^x@]+))?(x(?P<count>[^x@]+))?", re.IGNORECASE)


def parse_words(text: str) -> tuple[Vehicle, ...]:
    """The vehicles of `CAPACITY[@SPEED][xCOUNT],…`: `20,25x2,30@0.5` are four vehicles."""
    vehicles, counts = [], []
    for k, word in enumerate(text.split(",")):
        match = _WORD.fullmatch(word.strip())
        if match is None:
            raise InputError(f"fleet[{k}] must look like 20, 20x3 or 20@0.5, not {word!r}")
        vehicles.append(
            Vehicle(
                number_in(match["capacity"], f"fleet[{k}] capacity"),
                number_in(match["speed"] or "1", f"fleet[{k}] speed"),
            )
        )
        counts.append(whole_in(match["count"] or "1", f"fleet[{k}] count", least=1))
    return expanded(vehicles, counts)


def expanded(vehicles: Sequence[Vehicle], counts: Sequence[int]) -> tuple[Vehicle, ...]:
    """`counts[k]` copies of each vehicle, within reason."""
    if sum(counts) > MOST_VEHICLES:
        raise InputError(f"a fleet has at most {MOST_VEHICLES} vehicles, not {sum(counts)}")
    return fleet(vehicles, counts)
