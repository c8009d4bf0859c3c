"""The tables V3 and V5: every row of the paper's, ours beside it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hcvrp.bench import published
from hcvrp.bench.cells import CELL, Marks, cells, difference, machine_marks, measured_row
from hcvrp.bench.markdown import markdown, percent, seconds
from hcvrp.bench.results import Measurements
from hcvrp.bench.summary import Line, summaries
from hcvrp.generator import PAPER_SETS, PAPER_SIZE
from hcvrp.solution import Objective

OURS = {
    "Exact-solver": "exact",
    "SISR": "sisr-paper",
    "VNS": "vns",
    "ACO": "aco",
    "FA": "firefly",
    "AM(Greedy)": "am",
    "AM(Sample1280)": "am 1280",
    "AM(Sample12800)": "am 12800",
    "DRL(Greedy)": "paper",
    "DRL(Sample1280)": "paper 1280",
    "DRL(Sample12800)": "paper 12800",
}
"""The label of our implementation of each published row."""

GOAL = "auto"
GOALS = {Objective.MIN_MAX: ("SISR", 0.0), Objective.MIN_SUM: ("Exact-solver", 0.003)}
"""What `auto` is to reach within a second: the published row, and how far above it is enough."""

GOAL_SECONDS = 1.05


def paper_table(
    measured: Measurements, archive: Path, reference: str | None
) -> tuple[list[str], list[Line]]:
    """The five sizes of a fleet for both objectives."""
    lines = summaries(measured, archive, reference)
    references = ", ".join(dict.fromkeys(line.reference for line in lines))
    note = (
        f"{CELL} Published rows"
        " (Li et al. 2021) are means of all 1,280, so a mean of fewer is not to be compared with"
        f" them. Gaps are over the instances that {references} answered too: elsewhere the best"
        " known is that of short searches."
    )
    parts, marks = [note], machine_marks(measured)
    for objective in Objective:
        sets = [n for n in PAPER_SETS if any((x.set, x.objective) == (n, objective) for x in lines)]
        if not sets:
            continue
        own = [line for line in lines if line.objective == objective]
        parts += [
            f"### {objective}",
            markdown(["method", *sets], _paper_rows(own, sets, objective, marks)),
            *_bound_part(own, sets),
            *_paired_part(own, sets),
            *_goal_part(own, sets, objective),
        ]
    return parts, lines


def _paper_rows(
    lines: list[Line], sets: list[str], objective: str, marks: Marks
) -> Iterator[list[str]]:
    """Each published row with ours below it, then the methods that the paper has not."""
    labels = list(dict.fromkeys(line.label for line in lines))
    told = [m for m in OURS if any(m in published.random_sets()[n, objective] for n in sets)]
    for method in told:
        yield [f"*{method}, published*", *(_published_cell(n, objective, method) for n in sets)]
        if OURS[method] in labels:
            labels.remove(OURS[method])
            yield measured_row(OURS[method], lines, sets, marks)
    for label in labels:
        yield measured_row(label, lines, sets, marks)


def _published_cell(name: str, objective: str, method: str) -> str:
    found = published.random_sets()[name, objective].get(method)
    return "–" if found is None else f"{found.cost:.2f} ({seconds(found.seconds)})"


def _bound_part(lines: list[Line], sets: list[str]) -> list[str]:
    """Gaps to proven bounds, where there are any."""
    if not any(line.bounded for line in lines):
        return []

    def cell(line: Line) -> str:
        return f"{percent(line.bound_gap)} (n={line.bounded})" if line.bounded else "–"

    labels = dict.fromkeys(line.label for line in lines if line.bounded)
    rows = [[label, *cells(label, lines, sets, cell)] for label in labels]
    return [
        "Mean gap to the proven lower bound, over the n instances that have one:",
        markdown(["method", *sets], rows),
    ]


def _paired_part(lines: list[Line], sets: list[str]) -> list[str]:
    """Differences to the reference on the common instances, with confidence intervals."""
    if not any(line.difference for line in lines):
        return []

    references = ", ".join(dict.fromkeys(line.reference for line in lines))
    labels = dict.fromkeys(line.label for line in lines if line.difference)
    rows = [[label, *cells(label, lines, sets, difference)] for label in labels]
    note = f"Cost against that of {references} on the same instances, mean and 95 % interval:"
    return [note, markdown(["method", *sets], rows)]


def _goal_part(lines: list[Line], sets: list[str], objective: Objective) -> list[str]:
    """Whether `auto` reaches what it is meant to, cell by cell."""
    method, slack = GOALS[objective]
    rows = []
    for name in sets:
        target = published.random_sets()[name, objective].get(method)
        own = [x for x in lines if x.set == name and x.label.split()[0] == GOAL]
        if target is not None:
            rows += [_goal_row(line, target.cost, slack) for line in own]
    if not rows:
        return []
    allowed = f"at most {100 * slack:.1f} % above" if slack else "below"
    note = (
        f"Goal: {GOAL} {allowed} the published {method} within one second. Where n is less than"
        f" {PAPER_SIZE:,}, the mean of all is estimated from these n and the method that is best"
        " on all (ratio estimator), with its 95 % interval."
    )
    header = ["set", "method", "mean of all", "n", method, "seconds", "against it", "goal"]
    return [note, markdown(header, rows)]


def _goal_row(line: Line, target: float, slack: float) -> list[str]:
    if line.whole is None:
        mean, above, verdict = "–", "–", "cannot be said from a subset"
    else:
        mean = f"{line.whole.mean:.3f}"
        if line.whole.size < PAPER_SIZE:
            mean += f" ± {line.whole.high - line.whole.mean:.3f}"
        share = line.whole.mean / target - 1
        above, verdict = percent(share), _verdict(share - slack, line.seconds)
    told = [line.set, line.label, mean, str(line.instances), f"{target:.2f}"]
    return [*told, seconds(line.seconds), above, verdict]


def _verdict(excess: float, seconds_each: float) -> str:
    if excess > 0:
        return f"missed by {100 * excess:.2f} %"
    return "met" if seconds_each <= GOAL_SECONDS else f"missed: over {GOAL_SECONDS} s"
