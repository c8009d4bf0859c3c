"""Tables with a row per instance: CVRPLib and the fleet size and mix problem."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from hcvrp.bench import published
from hcvrp.bench.markdown import markdown, percent, seconds
from hcvrp.bench.results import Measurements
from hcvrp.bench.summary import Line, instance_summaries
from hcvrp.errors import InputError
from hcvrp.solution import Objective

CVRPLIB_COLUMNS = ("Exact-solver", "SISR", "VNS", "DRL(Sample12800)")
"""The published columns; the paper stars the optima of the first."""


def cvrplib_table(
    measured: Measurements, archive: Path, _reference: str | None
) -> tuple[list[str], list[Line]]:
    """The ten CVRPLib instances for both objectives."""
    lines = instance_summaries(measured, archive)
    note = (
        "The paper does not say how it adapted the instances to its fleet. The rule used here is"
        " **inferred** from its numbers: demands ceil(d / k) with k = ceil(d_max / 12), capacities"
        " 20, 25, 30, distances unrounded. It reproduces the published min-sum optimum of A-n61-k9,"
        " B-n41-k6 and M-n101-k10. The other rows are not to be compared: under the rule P-n60-k10,"
        " A-n80-k10, B-n51-k7 and B-n63-k10 have cheaper solutions than the published optimum"
        " (B-n63-k10 7696.16, published 7706), and those of E-n76-k7 and E-n101-k8 are below the"
        " bounds proven here. A cell of ours holds the mean over the seeds and in brackets the"
        " lowest of them, seconds per run, and what is proven."
    )
    parts = [note]
    header = [f"{method}, published" for method in CVRPLIB_COLUMNS]
    for objective in Objective:
        own = [line for line in lines if line.objective == objective]
        if own:
            theirs = partial(_published_costs, objective)
            parts += [f"### {objective}", _table(own, header, theirs, _seed_cell)]
    return parts, lines


def fsmd_table(
    measured: Measurements, archive: Path, _reference: str | None
) -> tuple[list[str], list[Line]]:
    """The twelve instances of the fleet size and mix problem against their optima."""
    lines = [x for x in instance_summaries(measured, archive) if x.objective == Objective.MIN_SUM]
    if not lines:
        raise InputError("table fsmd: the results have no min-sum answers on fsmd")
    note = (
        "Fleet size and mix with variable costs: min-sum with speeds 1 / cost coefficient. A star"
        " marks what was published as proven. A cell of ours holds the mean over the seeds and in"
        " brackets its gap to the best known and seconds per run."
    )
    return [note, _table(lines, ["best known"], _best_known, _gap_cell)], lines


def _table(
    lines: list[Line],
    header: list[str],
    theirs: Callable[[str], list[str]],
    ours: Callable[[Line], str],
) -> str:
    """A row per instance: the published columns, then a column per method of ours."""
    labels = list(dict.fromkeys(line.label for line in lines))
    instances = dict.fromkeys(line.instance for line in lines)
    by_place = {(line.instance, line.label): line for line in lines}
    rows = []
    for instance in instances:
        found = (by_place.get((instance, label)) for label in labels)
        rows.append([instance, *theirs(instance), *("–" if x is None else ours(x) for x in found)])
    return markdown(["instance", *header, *labels], rows)


def _published_costs(objective: str, instance: str) -> list[str]:
    found = published.cvrplib()[instance, objective]
    return [f"{found[m]:.0f}" if m in found else "–" for m in CVRPLIB_COLUMNS]


def _best_known(instance: str) -> list[str]:
    cost, proven = published.fsmd()[instance]
    return [f"{cost:.2f}{'*' if proven else ''}"]


def _seed_cell(line: Line) -> str:
    told = [f"{line.lowest:.2f} of {line.seeds}", seconds(line.seconds)]
    if line.bound_gap is not None:
        told.append("optimal" if line.bound_gap < 1e-9 else f"{percent(line.bound_gap)} to bound")
    return f"{line.cost:.2f} ({', '.join(told)})"


def _gap_cell(line: Line) -> str:
    gap = line.cost / published.fsmd()[line.instance][0] - 1
    return f"{line.cost:.2f} ({percent(gap)}, {seconds(line.seconds)})"
