"""quick(): a miniature of every measurement, table and figure, in about a minute."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

from hcvrp.bench import archive
from hcvrp.bench.figures import FIGURES, make_figure, save
from hcvrp.bench.plan import Cell
from hcvrp.bench.results import load
from hcvrp.bench.runner import Progress, run
from hcvrp.bench.sets import DATA
from hcvrp.bench.tables import make_table
from hcvrp.errors import InputError
from hcvrp.solution import Objective
from hcvrp.solver import METHODS

SECONDS = 0.2
"""The time limit of every method."""

MODEL = "model"
"""The label of networks of one size."""

EVERY_METHOD = "v3-c40[:2]"
SISR_ONLY = ("v3-c60[:2]", "v5-c80[:2]", "v5-c160[:2]")
FROM_FILES = ("cvrplib[:2]", "fsmd[:2]")


def quick(
    out: Path,
    *,
    workers: int = 1,
    progress: Progress | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> list[Path]:
    """Measures every method briefly and makes all that can be made of it; the files written.

    Training curves need a training run and generalisation needs networks that answered; which
    figure is left out for want of answers, and why, is given to `tell`. The tables of the instances
    read from files are made where HCVRP_DATA says where those are.
    """
    results, best = out / "results.csv", out / "best-known"
    run(list(_cells()), results, workers=workers, progress=progress)
    archive.update(best, load([results]))
    written = [results]
    for name in ("v3", "v5", *(("cvrplib", "fsmd") if os.environ.get(DATA) else ())):
        written += make_table(name, load([results]), best).write(out)
    for name in _figures():
        try:
            figure = make_figure(name, [results], best)
        except InputError as error:
            tell(f"{name} is left out: {error}{_failure(results)}")
        else:
            written += save(figure, name, out)
    return written


def _failure(results: Path) -> str:
    """Why the networks of one size gave no answer, as where torch is not installed."""
    messages = (row.message for row in load([results]).rows if row.label == MODEL)
    return next((f" ({message})" for message in messages if message), "")


def _figures() -> Iterator[str]:
    models = {f"generalisation-{fleet}-{objective}" for fleet, _, objective in _models()}
    for name in FIGURES:
        if name in models or name.startswith(("convergence", "frontier")):
            yield name


def _cells() -> Iterator[Cell]:
    sets = (*SISR_ONLY, *(FROM_FILES if os.environ.get(DATA) else ()))
    for objective in Objective:
        for name in METHODS:
            yield Cell(name, EVERY_METHOD, objective, name, time_limit=SECONDS)
        for place in sets:
            yield Cell("sisr", place, objective, "sisr", time_limit=SECONDS)
        yield Cell("sisr 0.02 s", EVERY_METHOD, objective, "sisr", time_limit=SECONDS / 10)
        sampled = {"samples": 16}
        yield Cell("paper 16", EVERY_METHOD, objective, "paper", parameters=sampled)
    for fleet, name, objective in _models():
        for place in (EVERY_METHOD, *SISR_ONLY):
            if place.startswith(fleet):
                yield Cell(MODEL, place, objective, weights=name)


def _models() -> Iterator[tuple[str, str, Objective]]:
    """One network for each fleet and objective that there is one for: fleet, name, objective."""
    from hcvrp.policy import shipped

    for fleet, objective in product(("v3", "v5"), Objective):
        names = [n for n in shipped() if n.startswith(f"paper-{fleet}-") and n.endswith(objective)]
        if names:
            yield fleet, names[0], objective
