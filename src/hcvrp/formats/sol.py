"""VRPLIB `.sol` files: a line per trip, and who drives it.

`Route #k: …` and `Cost …` are CVRPLIB's; the lines `Vehicle #k: v` after them say that vehicle v,
counted from 1, drives route k, and readers that do not know them pass over them.
"""

from __future__ import annotations

import re
from typing import TypeVar

from hcvrp.errors import InputError
from hcvrp.formats.contents import Answer, check_belongs
from hcvrp.formats.fields import plain, whole_in
from hcvrp.instance import Instance
from hcvrp.solution import Objective, Solution, Trip
from hcvrp.task import Result

T = TypeVar("T")

_LINE = re.compile(
    r"(?P<what>route|vehicle)\s*(#\s*)?(?P<number>\d+)\s*:?(?P<rest>.*)", re.IGNORECASE
)


def parse_solution(text: str) -> Answer:
    """The trips, and their vehicles where every trip has one."""
    trips: dict[str, Trip] = {}
    drivers: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        match = _LINE.fullmatch(line.strip())
        if match is None:
            continue  # the cost, or whatever else a solver says about its run
        key, words, place = match["number"], match["rest"].split(), f"line {number}"
        if match["what"].lower() == "route":
            _put(trips, key, tuple(whole_in(w, f"{place}: customer", 1) for w in words), place)
        else:
            _put(drivers, key, whole_in(" ".join(words), f"{place}: vehicle", 1) - 1, place)
    if not trips:
        raise InputError("the file has no line such as `Route #1: 4 2 7`")
    if drivers and drivers.keys() != trips.keys():
        odd = min(drivers.keys() ^ trips.keys(), key=lambda number: (len(number), number))
        raise InputError(f"route {odd} needs both a line `Route #{odd}:` and a `Vehicle #{odd}:`")
    in_order = tuple(drivers[key] for key in trips) if drivers else None
    names = tuple(f"route {key}" for key in trips)
    return Answer(tuple(trips.values()), in_order, names=names)


def _put(table: dict[str, T], key: str, value: T, place: str) -> None:
    if key in table:
        raise InputError(f"{place}: number {key} is given twice")
    table[key] = value


def format_solution(
    answer: Solution | Result,
    instance: Instance | None = None,
    objective: Objective | str | None = None,
) -> str:
    """Routes, the cost where it is known, and the vehicles."""
    solution = answer.solution if isinstance(answer, Result) else answer
    trips = list(solution.trips())
    lines = [f"Route #{k}: {' '.join(map(str, t))}" for k, (_, t) in enumerate(trips, start=1)]
    if isinstance(answer, Result):
        lines += [f"Cost {plain(answer.cost)}"]
    elif instance is not None and objective is not None:
        check_belongs(solution, instance)
        lines += [f"Cost {plain(solution.cost(instance, objective))}"]
    lines += [f"Vehicle #{k}: {v + 1}" for k, (v, _) in enumerate(trips, start=1)]
    return "\n".join([*lines, ""])
