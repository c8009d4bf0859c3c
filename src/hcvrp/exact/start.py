"""The solution that a proof starts from, and a better one where the proof stays open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from hcvrp.search.sisr import Sisr
from hcvrp.solution import Objective

if TYPE_CHECKING:
    from hcvrp.exact.watch import Watch
    from hcvrp.solution import Solution
    from hcvrp.task import Improvement, Task

    OnImprovement = Callable[[Improvement], None] | None

SHARE = 0.15
"""Of the time that is left, at most this goes to the search."""

ITERATIONS = {Objective.MIN_SUM: 150, Objective.MIN_MAX: 1_000}
"""Iterations per squared number of customers, beyond which the search hardly improves.

For min-sum the list of trips gives better solutions anyway; a min-max proof takes many times longer
from a solution 0.5 % above the best.
"""


def start(task: Task, watch: Watch, on_improvement: OnImprovement = None) -> Solution:
    """The best of the initial solutions and of a short search from them.

    A limit on iterations is one of this search.
    """
    enough = ITERATIONS[task.objective] * task.instance.size**2
    stop = replace(
        task.stop,
        time_limit=None if task.stop.time_limit is None else SHARE * watch.left,
        iterations=enough if task.stop.iterations is None else min(enough, task.stop.iterations),
    )
    found = Sisr().solve(replace(task, stop=stop, on_improvement=on_improvement)).solution
    return min((*task.initial, found), key=task.cost)


def go_on(task: Task, watch: Watch, best: Solution) -> Solution:
    """What the search makes of the best solution in the time that is left."""
    stop = replace(task.stop, time_limit=watch.left, iterations=None)
    again = replace(
        task, stop=stop, initial=(best,), seed=(task.seed + 1) % 2**63, on_improvement=None
    )
    return Sisr().solve(again).solution
