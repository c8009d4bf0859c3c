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
    eligible vehicle costs less than the two on theirs. Asymmetric distances join tail to head
    only; no trip is reversed. Trips then go to vehicles longest first: for min-sum to the fastest
    that can carry the load, for min-max to the one that would finish first, trips with the fewest
    eligible vehicles before all others.

    Min-sum tries each distinct capacity of the fleet as the limit and keeps the best outcome.
    Min-max makes trips of all sizes: within a time T, the trips that need more than a capacity Q
    may take as long in all as the vehicles beyond Q drive in T,

        Σ {length of trips with load > Q} ≤ T · Σ {s_v : Q_v > Q}   for every capacity Q,

    and none may take longer than T. T is halved in until the mean time of the vehicles equals it;
    the best outcome on the way is kept.
    """

    name = "savings"

    def solve(self, task: Task) -> Result:
        """The savings solution, or a given initial one if that is better."""
        task.check_one_thread(self.name)
        recorder = Recorder(task, self.name)
        try:
            best = construct(task)
        except native.RunOver:
            return unprepared(recorder)
        for solution in (best, *task.initial):
            if recorder.improved(solution) < task.cost(best):
                best = solution
        return recorder.result(best)


def construct(task: Task, problem: native.core.Problem | None = None) -> Solution:
    """The savings solution alone; native.RunOver if the task is cancelled before it is made."""
    run = native.preparation(task.stop.cancel)
    problem = problem or native.problem(task.instance, run)
    return native.solution(native.core.savings(problem, native.objective(task.objective), run))


def unprepared(recorder: Recorder) -> Result:
    """The result of a run that was cancelled before it had a plan of its own.

    The best initial solution or, without one, a trip to each customer by the largest vehicle,
    which can carry any of them.
    """
    task = recorder.task
    largest = int(task.instance.capacities.argmax())
    alone = [[(c,) for c in range(1, task.instance.size + 1)], []]
    singles = Solution(alone[v != largest] for v in range(len(task.instance.vehicles)))
    best = min(task.initial, key=task.cost, default=singles)
    recorder.improved(best)
    return recorder.result(best)
