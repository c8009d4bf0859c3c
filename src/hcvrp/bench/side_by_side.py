"""Methods at equal times: a row per set and objective, a column per label."""

from __future__ import annotations

from pathlib import Path

from hcvrp.bench.markdown import markdown, percent
from hcvrp.bench.results import Measurements
from hcvrp.bench.summary import Line, summaries


def side_by_side_table(
    measured: Measurements, archive: Path, reference: str | None
) -> tuple[list[str], list[Line]]:
    """Mean costs with their mean gaps to the best known; the lowest of a row is bold."""
    lines = summaries(measured, archive, reference)
    labels = list(dict.fromkeys(line.label for line in lines))
    places = dict.fromkeys((line.objective, line.set) for line in lines)
    note = (
        "Mean cost, and in brackets the mean gap to the best known, of n instances; the label tells"
        " the time limit. The lowest cost is bold."
    )
    rows = [_row([x for x in lines if (x.objective, x.set) == p], labels) for p in places]
    return [note, markdown(["objective, set", "n", *labels], rows)], lines


def _row(lines: list[Line], labels: list[str]) -> list[str]:
    by_label = {line.label: line for line in lines}
    lowest = min(line.cost for line in lines)
    counts = {line.instances for line in lines}
    same = len(counts) == 1  # means over other instances are not compared
    cells = []
    for label in labels:
        line = by_label.get(label)
        if line is None:
            cells.append("–")
        else:
            mark = "**" if same and line.cost == lowest else ""
            many = "" if same else f", n = {line.instances}"
            cells.append(f"{mark}{line.cost:.3f}{mark} ({percent(line.best_gap)}{many})")
    count = " to ".join(str(n) for n in sorted({min(counts), max(counts)}))
    return [f"{lines[0].objective}, {lines[0].set}", count, *cells]
