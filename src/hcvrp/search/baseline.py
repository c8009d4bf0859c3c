"""What the paper's three baselines share: their iterations by size, their starts, their run."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from hcvrp.errors import InputError
from hcvrp.search import native
from hcvrp.task import Recorder, Result, Task

if TYPE_CHECKING:
    from hcvrp.solution import Solution

    Search: TypeAlias = Callable[..., tuple[list[list[list[int]]], int]]


def solve(task: Task, name: str, search: Search, *, start: Solution | None = None) -> Result:
    """Runs `search` from the initial solutions, best first, or from `start` if there are none."""
    recorder = Recorder(task, name)
    starts = sorted(task.initial, key=task.cost) or ([] if start is None else [start])
    routes, iterations = search(
        native.problem(task.instance),
        native.objective(task.objective),
        native.run(recorder),
        task.seed,
        [native.routes(solution) for solution in starts],
    )
    return recorder.result(native.solution(routes), iterations)


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
