"""Rows summed up: means, gaps and paired comparisons of each method."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

from hcvrp.bench.archive import read_best
from hcvrp.bench.results import Measurements, Row
from hcvrp.bench.statistics import Interval, mean_gap, paired, whole_mean
from hcvrp.generator import PAPER_SETS, PAPER_SIZE

PREFERRED_REFERENCES = ("auto 1 s", "sisr 1 s", "auto", "sisr")
"""What other methods are compared with, the first of these that was measured."""

Costs = dict[int, float]
"""A cost by the number of the instance."""


@dataclass(frozen=True)
class Anchors:
    """What costs of one set and objective are held against."""

    best: Mapping[int, float]
    bound: Mapping[int, float]

    def among(self, numbers: Collection[int]) -> Anchors:
        """The best known of these instances alone; a bound is proven wherever there is one."""
        return replace(self, best={n: cost for n, cost in self.best.items() if n in numbers})


@dataclass(frozen=True)
class Line:
    """One method on one set: where several seeds ran, an instance counts with its mean cost.

    `best_gap` is the mean of cost / best known − 1 over the instances that the reference answered
    too: where only short searches have been, the best known is little worth. `bound_gap` is that of
    cost / bound − 1, over the `bounded` instances with a proven bound. `difference` is the mean of
    cost / cost of the reference − 1 over the instances that both answered, with its 95 % confidence
    interval. `whole` is the mean over a whole set of the paper's: measured, or estimated by the
    cheapest method that answered all of it (`statistics.whole_mean`).
    """

    set: str
    objective: str
    label: str
    instance: str
    instances: int
    seeds: int
    failed: int
    cost: float
    lowest: float
    best_gap: float | None
    bound_gap: float | None
    bounded: int
    seconds: float
    device: str
    reference: str
    difference: Interval | None
    whole: Interval | None


def anchors(measured: Measurements, archive: Path) -> dict[tuple[str, str], Anchors]:
    """By (set, objective): the archive, and whatever these measurements know better."""
    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in measured.answered():
        groups[row.set, row.objective].append(row)
    found = {}
    for (name, objective), rows in groups.items():
        known = read_best(archive, name, objective)
        best = {number: b.cost for number, b in known.items()}
        bound = {number: b.bound for number, b in known.items() if b.bound is not None}
        for row in rows:
            assert row.cost is not None
            best[row.number] = min(row.cost, best.get(row.number, row.cost))
            if row.bound is not None:
                bound[row.number] = max(row.bound, bound.get(row.number, row.bound))
        found[name, objective] = Anchors(best, bound)
    return found


def summaries(measured: Measurements, archive: Path, reference: str | None = None) -> list[Line]:
    """A line for each set, objective and method, in the order of the rows."""
    held = anchors(measured, archive)
    groups = _grouped(measured)
    whole_sets = controls(measured)
    lines = []
    for (name, objective, _), rows in groups.items():
        if all(row.cost is None for row in rows):
            continue
        measured_here = (name, objective, reference or "") in groups
        told = reference if reference and measured_here else _reference(groups, name, objective)
        other = _costs(groups[name, objective, told])
        whole = _whole(_costs(rows), whole_sets.get((name, objective), {}))
        lines.append(_line(rows, held[name, objective].among(other), told, other, whole))
    return lines


def instance_summaries(measured: Measurements, archive: Path) -> list[Line]:
    """A line for each instance, objective and method."""
    held = anchors(measured, archive)
    lines = []
    for (name, objective, _), rows in _grouped(measured).items():
        for number in dict.fromkeys(row.number for row in rows):
            own = [row for row in rows if row.number == number]
            if any(row.cost is not None for row in own):
                lines.append(_line(own, held[name, objective], "", {}))
    return lines


def _grouped(measured: Measurements) -> dict[tuple[str, str, str], list[Row]]:
    groups: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
    for row in measured.rows:
        groups[row.set, row.objective, row.label].append(row)
    return dict(groups)


def _reference(groups: Mapping[tuple[str, str, str], list[Row]], name: str, objective: str) -> str:
    labels = [key[2] for key in groups if key[:2] == (name, objective)]
    return next((label for label in PREFERRED_REFERENCES if label in labels), labels[0])


def controls(measured: Measurements) -> dict[tuple[str, str], Costs]:
    """Per set of the paper's and objective the costs of the best method that answered all of it."""
    found: dict[tuple[str, str], Costs] = {}
    for (name, objective, _), rows in _grouped(measured).items():
        costs = _costs(rows)
        if name in PAPER_SETS and len(costs) == PAPER_SIZE:
            best = found.setdefault((name, objective), costs)
            found[name, objective] = min(best, costs, key=lambda own: fmean(own.values()))
    return found


def _whole(costs: Costs, control: Costs) -> Interval | None:
    return whole_mean(costs, costs if len(costs) == PAPER_SIZE else control)


def _line(
    rows: list[Row], held: Anchors, reference: str, other: Costs, whole: Interval | None = None
) -> Line:
    costs = _costs(rows)
    answered = [row for row in rows if row.cost is not None]
    alone = len({row.number for row in rows}) == 1
    return Line(
        set=rows[0].set,
        objective=rows[0].objective,
        label=rows[0].label,
        instance=rows[0].instance if alone else "",
        instances=len(costs),
        seeds=len({row.seed for row in answered}),
        failed=len(rows) - len(answered),
        cost=fmean(costs.values()),
        lowest=min(row.cost for row in answered if row.cost is not None),
        best_gap=mean_gap(costs, held.best),
        bound_gap=mean_gap(costs, held.bound),
        bounded=len(costs.keys() & held.bound.keys()),
        seconds=fmean(row.seconds for row in answered),
        device="+".join(sorted({row.device for row in answered})),
        reference=reference,
        difference=paired(costs, other) if reference != rows[0].label else None,
        whole=whole,
    )


def _costs(rows: list[Row]) -> Costs:
    """The mean cost over the seeds of each instance that has one."""
    found: dict[int, list[float]] = defaultdict(list)
    for row in rows:
        if row.cost is not None:
            found[row.number].append(row.cost)
    return {number: fmean(costs) for number, costs in found.items()}
