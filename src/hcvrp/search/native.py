"""The way into the compiled core: an instance as the core sees it, and answers back."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from hcvrp.instance import EARTH_RADIUS_KM
from hcvrp.solution import Objective, Solution
from hcvrp.task import ROUNDING, Improvement, Recorder, Stop

try:
    import hcvrp._core as _core
except ImportError as error:  # pragma: no cover
    raise ImportError(
        "the compiled core hcvrp._core is missing: run `pip install .`, or `make core` in the"
        " source tree"
    ) from error

if TYPE_CHECKING:
    from hcvrp.instance import Instance

core = _core

RunOver = _core.RunOver
"""Raised by what prepares a search when the run is cancelled before it is done."""

SQUARES = (1e-140, 1e140)
"""Between these extents the squares of coordinates neither vanish nor overflow."""


def preparation(cancel: threading.Event | None = None) -> _core.Run:
    """For what comes before a search: it listens to `cancel`, whatever the limits on the search."""
    return _core.Run(math.inf, 2**62, -math.inf, (cancel or threading.Event()).is_set, None)


def problem(instance: Instance, run: _core.Run | None = None) -> _core.Problem:
    """The instance for the core: coordinates where they suffice, else the matrix."""
    flat = instance.metric == "euclidean"
    suffice = instance.matrix is None and (not flat or _ordinary(instance))
    return _core.Problem(
        instance.coordinates if suffice else None,
        0.0 if flat else 2 * EARTH_RADIUS_KM,
        None if suffice else instance.distances,
        instance.demands,
        instance.capacities,
        instance.speeds,
        run or preparation(),
    )


def _ordinary(instance: Instance) -> bool:
    assert instance.coordinates is not None
    extent = float(np.ptp(instance.coordinates, axis=0).max())
    return extent == 0 or SQUARES[0] < extent < SQUARES[1]


def objective(value: Objective) -> _core.Objective:
    """The core's name for the objective."""
    return _core.Objective.min_max if value is Objective.MIN_MAX else _core.Objective.min_sum


def run(
    recorder: Recorder,
    stop: Stop | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> _core.Run:
    """Limits for the core, by default the task's; each new best goes to the recorder.

    A method gives its own `stop` when part of the budget is spent; one of several that run side by
    side may have more reasons to be `cancelled`. A target is met where the core's sum and the
    referee's differ by rounding alone.
    """
    stop = stop or recorder.task.stop
    target = -math.inf if stop.target is None else stop.target + ROUNDING * abs(stop.target)

    def improved(
        cost: float,
        seconds: float,  # noqa: ARG001 (of the core's part; the recorder knows those of the whole)
        iteration: int,
        routes: list[list[list[int]]],
    ) -> None:
        recorder.add(Improvement(cost, recorder.seconds, iteration, solution(routes)))

    return _core.Run(
        math.inf if stop.time_limit is None else stop.time_limit,
        2**62 if stop.iterations is None else stop.iterations,
        target,
        cancelled or stop.cancel.is_set,
        improved,
    )


def routes(solution: Solution) -> list[list[list[int]]]:
    """A Solution's routes as the core takes them."""
    return [[list(trip) for trip in trips] for trips in solution.routes]


def solution(routes: list[list[list[int]]]) -> Solution:
    """The core's routes as a Solution."""
    return Solution(routes)
