"""The table of proofs: how many optima are proven on each set, and how far the others are open."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from statistics import fmean

from hcvrp.bench.markdown import markdown, seconds
from hcvrp.bench.results import Measurements, Row
from hcvrp.bench.summary import Line, summaries
from hcvrp.errors import InputError

HEADER = (
    "objective, set",
    "limit",
    "instances",
    "proven",
    "mean gap",
    "worst gap",
    "mean cost",
    "mean time",
    "worst time",
)


def proof_table(
    measured: Measurements, archive: Path, _reference: str | None
) -> tuple[list[str], list[Line]]:
    """A row per objective, set and time limit of the answers that have a bound."""
    groups: dict[tuple[str, str, float], list[Row]] = defaultdict(list)
    for row in measured.answered():
        if row.bound is not None:
            limit = json.loads(row.settings).get("time_limit", float("inf"))
            groups[row.objective, row.set, limit].append(row)
    if not groups:
        raise InputError("table proofs: the results have no answers with a bound")
    note = (
        "One thread an instance, the search for the first solution included. The gap is"
        " (cost − bound) / cost, 0 where the optimum is proven."
    )
    body = [_cells(*place, rows) for place, rows in sorted(groups.items())]
    lines = [line for line in summaries(measured, archive) if line.bounded]
    return [note, markdown(HEADER, body)], lines


def _cells(objective: str, name: str, limit: float, rows: list[Row]) -> list[str]:
    gaps = [_gap(row) for row in rows]
    return [
        f"{objective}, {name}",
        seconds(limit),
        str(len(rows)),
        str(sum(row.status == "optimal" for row in rows)),
        f"{100 * fmean(gaps):.2f} %",
        f"{100 * max(gaps):.2f} %",
        f"{fmean(row.cost for row in rows if row.cost is not None):.4f}",
        seconds(fmean(row.seconds for row in rows)),
        seconds(max(row.seconds for row in rows)),
    ]


def _gap(row: Row) -> float:
    assert row.cost is not None
    assert row.bound is not None
    return max(0.0, 1 - row.bound / row.cost) if row.cost else 0.0
