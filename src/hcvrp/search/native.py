"""The way into the compiled core: an instance as the core sees it, and answers back."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hcvrp.solution import Objective, Solution
from hcvrp.task import Improvement, Recorder, Stop

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


def problem(instance: Instance) -> _core.Problem:
    """The instance for the core: planar coordinates where they suffice, else the matrix."""
    planar = instance.matrix is None and instance.metric == "euclidean"
    return _core.Problem(
        instance.coordinates if planar else None,
        None if planar else instance.distances,
        instance.demands,
        instance.capacities,
        instance.speeds,
    )


def objective(value: Objective) -> _core.Objective:
    """The core's name for the objective."""
    return _core.Objective.min_max if value is Objective.MIN_MAX else _core.Objective.min_sum


def run(recorder: Recorder, stop: Stop | None = None, iterations_before: int = 0) -> _core.Run:
    """Limits for the core, by default the task's; each new best goes to the recorder.

    A method that works in stretches gives each its own `stop`, and the iterations made before.
    """
    stop = stop or recorder.task.stop

    def improved(
        cost: float,
        seconds: float,  # noqa: ARG001 (of this stretch; the recorder knows those of the whole)
        iteration: int,
        routes: list[list[list[int]]],
    ) -> None:
        recorder.add(
            Improvement(cost, recorder.seconds, iterations_before + iteration, solution(routes))
        )

    return _core.Run(
        math.inf if stop.time_limit is None else stop.time_limit,
        2**62 if stop.iterations is None else stop.iterations,
        -math.inf if stop.target is None else stop.target,
        stop.cancel.is_set,
        improved,
    )


def routes(solution: Solution) -> list[list[list[int]]]:
    """A Solution's routes as the core takes them."""
    return [[list(trip) for trip in trips] for trips in solution.routes]


def solution(routes: list[list[list[int]]]) -> Solution:
    """The core's routes as a Solution."""
    return Solution(routes)
