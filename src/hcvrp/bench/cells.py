"""Cells of wide tables: a row per label, a column per set."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TypeAlias

from hcvrp.bench.markdown import percent, seconds
from hcvrp.bench.results import Measurements
from hcvrp.bench.summary import Line

Marks: TypeAlias = dict[tuple[str, str, str], str]
"""By set, objective and label."""

CELL = (
    "A cell holds the mean cost of n instances, and in brackets the mean gap to the best known,"
    " seconds per instance, n and the machine by its letter in the list below."
)
"""What `measured_row` shows, in words."""


def machine_marks(measured: Measurements) -> Marks:
    """The letters of the machines that a cell was measured on."""
    letters, found = measured.machines(), defaultdict[tuple[str, str, str], set[str]](set)
    for row in measured.rows:
        if row.session in measured.sessions:
            letter = letters[measured.sessions[row.session].machine()]
            found[row.set, row.objective, row.label].add(letter)
    return {place: "".join(sorted(mine)) for place, mine in found.items()}


def measured_row(label: str, lines: Sequence[Line], sets: Sequence[str], marks: Marks) -> list[str]:
    """The label, then its cost on each set with gap, time, number of instances and machine."""

    def cell(line: Line) -> str:
        count = f"n={line.instances}" + (f", {line.failed} failed" if line.failed else "")
        mark = marks.get((line.set, line.objective, line.label), "–")
        told = (percent(line.best_gap), seconds(line.seconds), count, mark)
        return f"{line.cost:.3f} ({', '.join(told)})"

    return [label, *cells(label, lines, sets, cell)]


def difference(line: Line) -> str:
    """How far its costs are from those of the reference, with the 95 % interval and the number."""
    found = line.difference
    if found is None:
        return "–"
    low, high = percent(found.low), percent(found.high)
    return f"{percent(found.mean)} [{low}, {high}] (n={found.size})"


def cells(
    label: str, lines: Sequence[Line], sets: Sequence[str], cell: Callable[[Line], str]
) -> list[str]:
    """What `cell` makes of the label's line for each set; a dash where there is none."""
    by_set = {line.set: line for line in lines if line.label == label}
    return [cell(by_set[name]) if name in by_set else "–" for name in sets]
