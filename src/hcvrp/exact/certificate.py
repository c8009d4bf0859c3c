"""bound(): a proven lower bound on the cost of any solution."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hcvrp.errors import InputError
from hcvrp.exact.progress import Progress, Step
from hcvrp.exact.prover import Prover
from hcvrp.exact.start import go_on, start
from hcvrp.exact.watch import Watch
from hcvrp.solution import Objective, Solution
from hcvrp.task import Improvement, Recorder, Result, Stop, Task

if TYPE_CHECKING:
    from hcvrp.instance import Instance

MEMORY = 4e9
"""Bytes for tables and for lists of trips and plans, unless told otherwise."""


@dataclass(frozen=True)
class Bound:
    """A proven lower bound, the best solution known, and how both came about.

    `notes` says in sentences what memory or time did not allow.
    """

    value: float
    solution: Solution
    cost: float
    objective: Objective
    seconds: float
    history: tuple[Step, ...]
    notes: tuple[str, ...] = ()

    @property
    def gap(self) -> float:
        """(cost − value) / cost."""
        return 0.0 if self.cost == 0 else (self.cost - self.value) / self.cost

    @property
    def optimal(self) -> bool:
        """Whether the solution is proven optimal."""
        return self.value >= self.cost


def bound(
    instance: Instance,
    objective: Objective | str = Objective.MIN_MAX,
    *,
    time_limit: float | None = None,
    solution: Solution | None = None,
    on_improvement: Callable[[Step], None] | None = None,
    memory: float = MEMORY,
    cancel: threading.Event | None = None,
    seed: int = 0,
) -> Bound:
    """A proven lower bound; it only rises, and whatever the time limit it is valid.

    Args:
        instance: the problem.
        objective: "min-max" or "min-sum".
        time_limit: seconds.
        solution: a known one; the better it is, the sooner a proof ends. Otherwise the search
            finds one first.
        on_improvement: called with each higher bound or lower cost.
        memory: bytes for tables and for lists of trips and plans; where more were needed, a weaker
            bound is given.
        cancel: an event that ends the run with the bound so far.
        seed: of the search.
    """
    watch = Watch(time_limit, cancel)
    task = Task(
        instance,
        Objective.parse(objective),
        Stop(time_limit, cancel=watch.cancel),
        seed,
        () if solution is None else (solution,),
    )
    return prove(task, memory, watch, on_step=on_improvement)


def prove(
    task: Task,
    memory: float,
    watch: Watch,
    *,
    on_step: Callable[[Step], None] | None = None,
    recorder: Recorder | None = None,
    search_on: bool = True,
) -> Bound:
    """The proof for a task, as far as its limits allow.

    Where it stays open with time left, `search_on` spends that on a better solution.
    """
    check_memory(memory)
    first = start(task, watch, None if recorder is None else recorder.add)
    progress = Progress(
        task.instance, task.objective, first, watch, on_step, recorder, task.stop.target
    )
    Prover(progress, memory).run()
    limited = task.stop.time_limit is not None
    if search_on and limited and not (progress.closed or watch.over):
        progress.improve(go_on(task, watch, progress.solution))
    return Bound(
        progress.bound,
        progress.solution,
        progress.cost,
        task.objective,
        watch.seconds,
        tuple(progress.steps),
        tuple(progress.notes),
    )


def certify(
    instance: Instance,
    result: Result,
    *,
    time_limit: float | None = None,
    memory: float = MEMORY,
    cancel: threading.Event | None = None,
    on_improvement: Callable[[Improvement], None] | None = None,
) -> Result:
    """The same answer with a proven bound, and "optimal" where the two meet.

    `on_improvement` hears of each higher bound beside the answer.
    """

    def raised(step: Step) -> None:
        if on_improvement is not None:
            seconds = result.seconds + step.seconds
            on_improvement(
                Improvement(result.cost, seconds, result.iterations, result.solution, step.bound)
            )

    watch = Watch(time_limit, cancel)
    stop = Stop(time_limit, cancel=watch.cancel)
    task = Task(instance, result.objective, stop, initial=(result.solution,))
    proof = prove(task, memory, watch, on_step=raised, search_on=False)
    optimal = proof.value >= result.cost
    return replace(result, bound=proof.value, status="optimal" if optimal else "feasible")


def check_memory(memory: float) -> None:
    """An InputError unless `memory` is a positive number of bytes."""
    if not memory > 0:
        raise InputError(f"memory must be a positive number of bytes, not {memory}")
