"""What the paper's three baselines share: their iterations by size, their starts, their run."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from hcvrp.errors import InputError
from hcvrp.search import native
from hcvrp.search.savings import construct, unprepared
from hcvrp.solution import Solution
from hcvrp.task import AnyOf, Result, Task
from hcvrp.threads import SharedRecorder, side_by_side

Answer: TypeAlias = tuple[list[list[list[int]]], int]
Search: TypeAlias = Callable[..., Answer]

SEED_STEP = 0x9E3779B97F4A7C15
"""Between the seeds of runs side by side: the golden ratio's fraction, as in splitmix64."""


def solve(task: Task, name: str, search: Search, *, from_savings: bool = False) -> Result:
    """Runs `search` from the initial solutions, best first, or else from savings if told to.

    `task.threads` independent runs with seeds of their own go side by side and the best wins, the
    first of equals: the same seed and threads give the same answer wherever iterations alone
    limit the run. Each makes as many iterations.
    """
    recorder = SharedRecorder(task, name)
    starts = sorted(task.initial, key=task.cost)
    try:
        problem = native.problem(task.instance, native.preparation(task.stop.cancel))
        if from_savings and not starts:
            starts = [construct(task, problem)]
    except native.RunOver:
        return unprepared(recorder)
    routes, objective = [native.routes(s) for s in starts], native.objective(task.objective)
    enough = AnyOf(task.stop.cancel)

    def run(number: int) -> tuple[Solution, int]:
        """One of the runs; when it meets the target, the others stop too."""
        limits = native.run(recorder, cancelled=enough.is_set)
        seed = (task.seed + number * SEED_STEP) % 2**63
        found, iterations = search(problem, objective, limits, seed, routes)
        solution = native.solution(found)
        if task.stop.target is not None and task.cost(solution) <= task.stop.target:
            enough.set()
        return solution, iterations

    answers = side_by_side(run, task.threads, enough)
    best, _ = min(answers, key=lambda answer: task.cost(answer[0]))
    return recorder.result(best, max(iterations for _, iterations in answers))


def with_paper_iterations(task: Task, at_40: int, per_customer: int) -> Task:
    """The task, limited to the paper's iterations for its size if it has no limit of its own.

    it(n) = it(40) + s · (n − 40): the line through the paper's values at 40, 60, …, 160 customers
    (Li et al. 2021, table of parameters), which it follows below and beyond them.
    """
    stop = task.stop
    if stop.time_limit is not None or stop.iterations is not None:
        return task
    iterations = at_40 + per_customer * (task.instance.size - 40)
    return replace(task, stop=replace(stop, iterations=iterations))


def check_range(method: str, field: str, value: float, low: float, high: float = math.inf) -> None:
    """Raises an InputError unless low ≤ value ≤ high."""
    if not low <= value <= high:
        limits = f"at least {low:g}" if high == math.inf else f"between {low:g} and {high:g}"
        raise InputError(f"{method} parameter {field} must be {limits}, not {value}")
