"""Cost against time: the numbers behind the figure of the frontier."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import fmean

from hcvrp.bench import series
from hcvrp.bench.cells import CELL, cells, difference, machine_marks, measured_row
from hcvrp.bench.markdown import markdown
from hcvrp.bench.results import Measurements
from hcvrp.bench.sets import FRONTIER
from hcvrp.bench.summary import Line, summaries
from hcvrp.errors import InputError
from hcvrp.solution import Objective

WHOLE, PART, TOGETHER = "auto ", "sisr ", ", batch"
"""What labels begin with of the method that is to be in front, and of the search within it; and
end with where a batch is decoded together."""


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
            parts += _against_search(measured, archive, objective, sets)
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


def _against_search(
    measured: Measurements, archive: Path, objective: Objective, sets: list[str]
) -> list[str]:
    """`auto` against the search alone with the same time limit, on all instances of both."""
    found = list(_differences(measured, archive, objective, sets))
    if not found:
        return []
    labels = sorted(
        {line.label for line in found},
        key=lambda label: (label.endswith(TOGETHER), float(label.split()[1])),
    )
    note = (
        "auto against sisr with the same time limit on the same instances, mean and 95 % interval;"
        f" labels that end in “{TOGETHER}” decode all instances together on a GPU:"
    )
    rows = [[label, *cells(label, found, sets, difference)] for label in labels]
    return [note, markdown(["method", *sets], rows)]


def _differences(
    measured: Measurements, archive: Path, objective: Objective, sets: list[str]
) -> Iterator[Line]:
    """The line of each label of `auto`, with that of the search as its reference."""
    for name in sets:
        rows = list(series.at(measured, name, objective))
        labels = {row.label for row in rows}
        for label in labels:
            other = label.replace(WHOLE, PART, 1)
            if other not in labels:  # nobody searched alone beside the GPU
                other = other.removesuffix(TOGETHER)
            if label.startswith(WHOLE) and other in labels:
                pair = tuple(row for row in rows if row.label in (label, other))
                both = summaries(replace(measured, rows=pair), archive, other)
                yield from (line for line in both if line.label == label)
