"""The headline: `auto` beside the best that the paper has, every set and both objectives."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hcvrp.bench import published
from hcvrp.bench.markdown import markdown, percent, seconds
from hcvrp.bench.paper_table import GOAL
from hcvrp.bench.results import Measurements
from hcvrp.bench.summary import Line, summaries
from hcvrp.errors import InputError
from hcvrp.generator import PAPER_SETS, PAPER_SIZE
from hcvrp.solution import Objective

THEIRS = ("Exact-solver", "SISR", "DRL(Sample12800)")
"""The published methods that are shown."""


def headline_table(
    measured: Measurements, archive: Path, reference: str | None
) -> tuple[list[str], list[Line]]:
    """Means over all 1,280 instances of each set."""
    lines = [x for x in summaries(measured, archive, reference) if x.label.split()[0] == GOAL]
    if not lines:
        raise InputError(f"table headline: the results have no answers of {GOAL}")
    labels = list(dict.fromkeys(line.label for line in lines))
    note = (
        "Mean cost over the 1,280 instances of each set and, for the published methods, the time"
        f" they took; in brackets how far {GOAL} is from the leftmost figure of the row. An"
        " estimate from fewer instances has a tilde. Why some are below the exact method:"
        " docs/methods/exact.md."
    )
    header = ["set", *(f"{method}, published" for method in THEIRS), *labels]
    return [note, markdown(header, _rows(lines, labels))], lines


def _rows(lines: list[Line], labels: list[str]) -> Iterator[list[str]]:
    by_place = {(line.objective, line.set, line.label): line for line in lines}
    for objective in Objective:
        for name in PAPER_SETS:
            told = published.random_sets()[name, objective]
            theirs = [
                f"{told[m].cost:.2f} in {seconds(told[m].seconds)}" if m in told else "–"
                for m in THEIRS
            ]
            first = next(told[m].cost for m in THEIRS if m in told)
            ours = [_cell(by_place.get((objective, name, label)), first) for label in labels]
            yield [f"{name.upper()} {objective}", *theirs, *ours]


def _cell(line: Line | None, first: float) -> str:
    if line is None or line.whole is None:
        return "–"
    about = "~" if line.whole.size < PAPER_SIZE else ""
    return f"{about}{line.whole.mean:.2f} ({percent(line.whole.mean / first - 1)})"
