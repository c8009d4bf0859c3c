"""Rows as the points of curves: what the figures draw."""

from __future__ import annotations

import csv
import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from statistics import fmean
from typing import Any

from hcvrp.bench import published
from hcvrp.bench.published import Published
from hcvrp.bench.results import Measurements, Row
from hcvrp.bench.summary import Line, controls, summaries
from hcvrp.errors import InputError
from hcvrp.formats.files import blamed, read_text

SPECIALISTS = ("paper 1280", "am 1280")
"""Labels of shipped networks that were trained on one size; so are all that a plan names itself."""

GENERALISTS = ("auto 1 s", "fleet 1280")
"""Labels drawn beside them in the figures of generalisation."""

CONVERGING = ("auto", "sisr", "fleet", "paper")
"""The families whose cost against time is drawn."""


@dataclass(frozen=True)
class Series:
    """A curve: points (x, y) from left to right, and a name for each where it matters."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    labels: tuple[str, ...] = ()
    devices: tuple[str, ...] = ()


def convergence(measured: Measurements, name: str, objective: str) -> tuple[list[Series], set[int]]:
    """Mean cost against seconds, a curve per method through its budgets; and over which numbers.

    Every point is a run of its own with that budget, over the instances that all labels have.
    """
    labels: dict[str, list[Row]] = defaultdict(list)
    for row in converging(measured, name, objective):
        labels[row.label].append(row)
    common = _shared(labels)
    points: dict[str, list[tuple[float, float, str]]] = defaultdict(list)
    for label, own in labels.items():
        counted = [r for r in own if r.number in common]
        if counted:
            cost = fmean(r.cost for r in counted if r.cost is not None)
            family = family_of(own[0])
            points[family].append((fmean(r.seconds for r in counted), cost, label))
    return [_series(family, found) for family, found in points.items()], common


def at(measured: Measurements, name: str, objective: str) -> Iterator[Row]:
    """The answers on a set for an objective."""
    return (r for r in measured.answered() if (r.set, r.objective) == (name, objective))


def converging(measured: Measurements, name: str, objective: str) -> Iterator[Row]:
    """Those of the families whose cost against time is drawn."""
    return (r for r in at(measured, name, objective) if family_of(r) in CONVERGING)


def published_points(
    measured: Measurements, name: str, objective: str, numbers: Collection[int]
) -> dict[str, Published]:
    """The published means of the whole set, brought to the instances of these numbers.

    They are multiplied by the mean cost of those instances / that of all, by the best method that
    answered all; without one there are none, for a subset may be easier or harder than the set.
    """
    told = published.random_sets().get((name, objective), {})
    control = controls(measured.on([name])).get((name, objective))
    if control is None or not numbers:
        return {}
    share = fmean(control[n] for n in numbers) / fmean(control.values())
    return {m: Published(p.cost * share, p.seconds) for m, p in told.items()}


def comparable(measured: Measurements, name: str, objective: str) -> Measurements:
    """The answers on a set of the instances that all labels have; where there is none, nothing.

    Means over others are not comparable, and their gaps are to other best known costs.
    """
    labels: dict[str, list[Row]] = defaultdict(list)
    for row in at(measured, name, objective):
        labels[row.label].append(row)
    common = _shared(labels)
    rows = (r for own in labels.values() for r in own if r.number in common)
    return Measurements.of(rows, measured.sessions)


def frontier(shared: Measurements, archive: Path) -> list[Series]:
    """Mean gap to the best known in per cent against seconds, a point per label."""
    family = {row.label: family_of(row) for row in shared.rows}
    points: dict[str, list[Line]] = defaultdict(list)
    for line in sorted(summaries(shared, archive), key=lambda line: line.seconds):
        points[family[line.label]].append(line)
    return [
        Series(
            family,
            tuple(line.seconds for line in own),
            tuple(100 * (line.best_gap or 0.0) for line in own),
            tuple(line.label for line in own),
            tuple(line.device for line in own),
        )
        for family, own in points.items()
    ]


def _shared(labels: Mapping[str, Sequence[Row]]) -> set[int]:
    """The numbers of the instances that all labels have."""
    numbers = [{row.number for row in own} for own in labels.values()]
    return set.intersection(*numbers) if numbers else set()


def generalisation(
    measured: Measurements, archive: Path, fleet: str, objective: str
) -> tuple[list[Series], set[int]]:
    """Mean gap to the best known in per cent against customers, a curve per model.

    And how many instances the points are means of.
    """
    models = {r.label for r in measured.answered() if _is_model(r, fleet, objective)}
    if not models:
        return [], set()
    counts: set[int] = set()
    found: dict[str, list[tuple[float, float, str]]] = defaultdict(list)
    for line in summaries(measured, archive):
        size = re.fullmatch(rf"{fleet}-c(\d+)", line.set)
        told = line.label in models or line.label in GENERALISTS
        if size and told and line.objective == objective and line.best_gap is not None:
            found[line.label].append((float(size[1]), 100 * line.best_gap, line.set))
            counts.add(line.difference.size if line.difference else line.instances)
    return [_series(label, points) for label, points in found.items()], counts


def _is_model(row: Row, fleet: str, objective: str) -> bool:
    """Whether a network of one size gave the answer, for that fleet and objective."""
    here = row.set.startswith(f"{fleet}-") and row.objective == objective
    return here and (row.label in SPECIALISTS or "weights" in _settings(row.settings))


def training(path: Path) -> tuple[Series, Series]:
    """The training cost and, after each epoch, the greedy one, against millions of instances."""
    with blamed(path):
        rows = list(csv.DictReader(read_text(path).splitlines()))
        try:
            sampled = [(int(r["instances"]) / 1e6, float(r["cost"]), "") for r in rows]
            greedy = [
                (int(r["instances"]) / 1e6, float(r["validation"]), "")
                for r in rows
                if r["validation"]
            ]
        except (KeyError, ValueError, TypeError):
            raise InputError("this is no log of a training run") from None
    name = path.parent.name if path.stem == "log" else path.stem
    return _series(f"{name}, sampled", sampled), _series(f"{name}, greedy", greedy)


def family_of(row: Row) -> str:
    """The method without its budget: labels of one family make one curve."""
    settings = _settings(row.settings)
    name = str(settings.get("method") or Path(settings["weights"]).stem)
    if settings.get("together"):
        return f"{name}, batch"
    return f"{name}, CPU" if settings.get("device") == "cpu" else name


@lru_cache
def _settings(text: str) -> dict[str, Any]:
    """The settings of a row, of which a file has few and rows many."""
    found: dict[str, Any] = json.loads(text)
    return found


def families(measured: Measurements) -> list[str]:
    """All families, in an order that gives each its colour in every panel."""
    return sorted({family_of(row) for row in measured.rows})


def _series(name: str, points: list[tuple[float, float, str]]) -> Series:
    ordered = sorted(points)
    x, y, labels = zip(*ordered, strict=True) if ordered else ((), (), ())
    return Series(name, x, y, labels)
