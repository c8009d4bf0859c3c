"""Cost against time: the numbers behind the figure of the frontier."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

from hcvrp.bench import series
from hcvrp.bench.cells import CELL, machine_marks, measured_row
from hcvrp.bench.markdown import markdown
from hcvrp.bench.results import Measurements
from hcvrp.bench.sets import FRONTIER
from hcvrp.bench.summary import Line, summaries
from hcvrp.errors import InputError
from hcvrp.solution import Objective


def frontier_table(
    measured: Measurements, archive: Path, reference: str | None
) -> tuple[list[str], list[Line]]:
    """A row per label, those of one method from its shortest runs to its longest."""
    note = f"{CELL} They are the instances that all labels of a column have answered."
    parts, lines, marks = [note], [], machine_marks(measured)
    families = {row.label: series.family_of(row) for row in measured.answered()}
    for objective in Objective:
        own: list[Line] = []
        for name in FRONTIER:
            shared = series.comparable(measured, name, objective)
            found = summaries(shared, archive, reference)
            own += sorted(found, key=lambda line: (families[line.label], line.seconds))
        if own:
            sets = list(dict.fromkeys(line.set for line in own))
            rows = [measured_row(label, own, sets, marks) for label in _ordered(own, families)]
            parts += [f"### {objective}", markdown(["method", *sets], rows)]
        lines += own
    if not lines:
        raise InputError("no instance of the frontier has answers of all labels")
    return parts, lines


def _ordered(lines: list[Line], families: dict[str, str]) -> list[str]:
    """The labels by family, then by their mean time."""
    times: dict[str, list[float]] = {}
    for line in lines:
        times.setdefault(line.label, []).append(line.seconds)
    return sorted(times, key=lambda label: (families[label], fmean(times[label])))
