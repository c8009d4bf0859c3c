"""Savings: the constructive heuristic every other method must beat."""

from __future__ import annotations

from dataclasses import dataclass

from hcvrp.search import native
from hcvrp.solution import Solution
from hcvrp.task import Recorder, Result, Task


@dataclass(frozen=True)
class Savings:
    """Clarke & Wright (1964) savings for mixed fleets with many trips per vehicle.

    Every customer starts as a trip of its own. Trips are joined end to end in the order of

        s_ij = d_i0 + d_0j − d_ij

    while the joint load fits a limit and, for min-sum, while the joint trip on its cheapest
    eligible vehicle costs less than the two on theirs. Trips then go to vehicles longest first:
    for min-max to the one that would finish first, for min-sum to the fastest, among those that
    can carry the load. Each distinct capacity of the fleet is tried as the limit and the best
    outcome kept. Asymmetric distances join tail to head only; no trip is reversed.
    """

    name = "savings"

    def solve(self, task: Task) -> Result:
        """The savings solution, or a given initial one if that is better."""
        recorder = Recorder(task, self.name)
        best = construct(task)
        for solution in (best, *task.initial):
            if recorder.improved(solution) < task.cost(best):
                best = solution
        return recorder.result(best)


def construct(task: Task) -> Solution:
    """The savings solution alone."""
    routes = native.core.savings(native.problem(task.instance), native.objective(task.objective))
    return native.solution(routes)
