"""What a method is asked and what it answers: `Task` in, `Result` out.

A method is any object with `name` and `solve(task) -> Result`, as a rule a frozen dataclass whose
fields are its parameters. `hcvrp.solver` keeps the table of their names.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Literal, Protocol, runtime_checkable

from hcvrp.errors import InputError
from hcvrp.instance import Instance
from hcvrp.solution import Objective, Solution

MOST_ITERATIONS = 10**15
MOST_THREADS = 256
ROUNDING = 1e-12
"""Relative: by so little two sums of the same legs may differ, in another order."""


class AnyOf(threading.Event):
    """Is set once it, or any of the given events, is."""

    def __init__(self, *others: threading.Event) -> None:
        super().__init__()
        self._others = others

    def is_set(self) -> bool:
        """Whether any is."""
        return super().is_set() or any(other.is_set() for other in self._others)


@dataclass(frozen=True)
class Stop:
    """When to stop, whichever comes first; what is None does not stop anything.

    `time_limit` is in seconds, `target` a cost that is good enough, `cancel` an event that
    another thread or a signal handler sets.
    """

    time_limit: float | None = None
    iterations: int | None = None
    target: float | None = None
    cancel: threading.Event = field(default_factory=threading.Event, compare=False)

    def __post_init__(self) -> None:
        for name in ("time_limit", "target"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, Real):
                raise InputError(f"{name} must be a number, not {value!r}")
        if self.time_limit is not None and not self.time_limit >= 0:
            raise InputError(f"time_limit must be a number of at least 0, not {self.time_limit}")
        if self.iterations is not None:
            check_whole(self.iterations, "iterations")
            if not 0 <= self.iterations <= MOST_ITERATIONS:
                raise InputError(
                    f"iterations must lie between 0 and {MOST_ITERATIONS}, not {self.iterations}"
                )
        if self.target is not None and math.isnan(self.target):
            raise InputError("target must be a number, not nan")

    def reached(self, *, seconds: float = 0.0, iteration: int = 0, cost: float = math.inf) -> bool:
        """Whether any of the limits is met."""
        return (
            self.cancel.is_set()
            or (self.time_limit is not None and seconds >= self.time_limit)
            or (self.iterations is not None and iteration >= self.iterations)
            or (self.target is not None and cost <= self.target)
        )

    def after(self, seconds: float) -> Stop:
        """What is left of it so many seconds later."""
        if self.time_limit is None:
            return self
        return replace(self, time_limit=max(0.0, self.time_limit - seconds))


@dataclass(frozen=True)
class Improvement:
    """A new best as it was found, or a higher proven bound beside the best there is."""

    cost: float
    seconds: float
    iteration: int
    solution: Solution | None = None
    bound: float | None = None


def check_seed(seed: int, name: str = "seed") -> None:
    """An InputError for a seed that generators do not take."""
    check_whole(seed, name)
    if not 0 <= seed < 2**63:
        raise InputError(f"{name} must lie between 0 and 2⁶³ − 1, not {seed}")


def check_whole(value: object, name: str) -> None:
    """An InputError for what the compiled core would refuse in its own words; NumPy's will do."""
    if not isinstance(value, Integral):
        raise InputError(f"{name} must be a whole number, not {value!r}")


@dataclass(frozen=True)
class Task:
    """One instance to solve: the objective, when to stop, and what to start from."""

    instance: Instance
    objective: Objective
    stop: Stop = field(default_factory=Stop)
    seed: int = 0
    initial: tuple[Solution, ...] = ()
    threads: int = 1
    on_improvement: Callable[[Improvement], None] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.instance, Instance):
            raise InputError(
                f"instance must be an Instance, not {self.instance!r};"
                " hcvrp.read gives the one of a file"
            )
        check_seed(self.seed)
        check_whole(self.threads, "threads")
        if not 1 <= self.threads <= MOST_THREADS:
            raise InputError(f"threads must lie between 1 and {MOST_THREADS}, not {self.threads}")
        for start in self.initial:
            if violations := start.violations(self.instance):
                raise InputError(f"the initial solution is infeasible: {violations[0]}")

    def check_one_thread(self, method: str) -> None:
        """For methods that work on one thread: an InputError if the task offers more."""
        if self.threads > 1:
            raise InputError(
                f"method {method} works on one thread: threads must be 1, not {self.threads}"
            )

    def cost(self, solution: Solution) -> float:
        """The referee's cost of `solution` for this task."""
        return solution.cost(self.instance, self.objective)


@dataclass(frozen=True)
class Result:
    """An answer: the solution, its cost by the referee, and how it came about.

    `history` tells when the method found each new best, and proved each higher bound; only the last
    still has its solution. `bound` is a proven lower bound where one was computed; `status` is
    "optimal" only when the cost equals it.
    """

    solution: Solution
    cost: float
    objective: Objective
    method: str
    seconds: float
    iterations: int = 0
    history: tuple[Improvement, ...] = ()
    bound: float | None = None
    status: Literal["feasible", "optimal"] = "feasible"

    @property
    def gap(self) -> float | None:
        """(cost − bound) / cost, or None without a bound."""
        if self.bound is None:
            return None
        return 0.0 if self.cost == 0 else max(0.0, (self.cost - self.bound) / self.cost)


class Method(Protocol):
    """Anything that answers tasks."""

    @property
    def name(self) -> str:
        """The name by which results and tables call it."""
        ...

    def solve(self, task: Task) -> Result:
        """A feasible answer to `task`."""
        ...


@runtime_checkable
class Batched(Protocol):
    """A method that answers many instances at once."""

    @property
    def name(self) -> str:
        """The name by which results and tables call it."""
        ...

    def solve_many(
        self,
        instances: Sequence[Instance],
        objective: Objective | str,
        seed: int = 0,
        *,
        threads: int | None = None,
        stop: Stop | None = None,
    ) -> list[Solution]:
        """The answers, in the order of the instances; once it is cancelled those of the first."""
        ...


class Recorder:
    """Collects the improvements of one run, passes them on, and makes the result."""

    def __init__(self, task: Task, method: str) -> None:
        self.task = task
        self.method = method
        self.history: list[Improvement] = []
        self._start = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Seconds since the run began."""
        return time.perf_counter() - self._start

    def improved(self, solution: Solution, iteration: int = 0) -> float:
        """Notes `solution` if it is a new best; its cost."""
        cost = self.task.cost(solution)
        if not self.history or cost < self.history[-1].cost:
            self.add(Improvement(cost, self.seconds, iteration, solution))
        return cost

    def raised(self, bound: float) -> None:
        """Notes a proven bound beside the best so far, which there is, if higher than the last."""
        last = self.history[-1]
        if last.bound is None or bound > last.bound:
            self.add(replace(last, seconds=self.seconds, bound=bound))

    def add(self, improvement: Improvement) -> None:
        """Notes a new best that the caller has already measured; a bound stays proven."""
        if self.history:  # of all bests only the last keeps its routes: there may be thousands
            if improvement.bound is None:
                improvement = replace(improvement, bound=self.history[-1].bound)
            self.history[-1] = replace(self.history[-1], solution=None)
        self.history.append(improvement)
        if self.task.on_improvement is not None:
            self.task.on_improvement(improvement)

    def result(
        self,
        solution: Solution,
        iterations: int = 0,
        *,
        bound: float | None = None,
        status: Literal["feasible", "optimal"] = "feasible",
    ) -> Result:
        """The result of the run that ends with `solution`, or a cheaper initial one.

        The history ends with it, but for what is rounding.
        """
        best = min((solution, *self.task.initial), key=self.task.cost)
        cost = self.task.cost(best)
        if not self.history or cost < self.history[-1].cost * (1 - ROUNDING):
            self.improved(best, iterations)
        return Result(
            solution=best,
            cost=cost,
            objective=self.task.objective,
            method=self.method,
            seconds=self.seconds,
            iterations=iterations,
            history=tuple(self.history),
            bound=bound,
            status=status,
        )
