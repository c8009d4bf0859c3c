"""SISR: ruin and recreate by strings, the engine most answers come from."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from hcvrp.errors import InputError
from hcvrp.search import native, savings
from hcvrp.solution import Solution
from hcvrp.task import Recorder, Result, Task

START_STEPS = 0.3
FINAL_STEPS = 0.05


@dataclass(frozen=True)
class Sisr:
    """Slack Induction by String Removals (Christiaens & Vanden Berghe 2020) for mixed fleets.

    Each iteration removes strings of customers from a few trips that lie near each other and
    inserts the customers again, one by one, where they cost least; a new trip always competes.
    The outcome s' replaces the present plan s when

        cost(s') < cost(s) − T ln U(0, 1),

    and T falls exponentially as the budget is spent: the larger of the spent shares of time and
    of iterations counts. Min-sum prices a trip at its length on the cheapest vehicle that can
    carry it. Min-max minimises the power mean ((Σ T_v^p) / m)^(1/p) of the vehicle times, moves
    whole trips off the longest vehicle where that saves a plan from rejection, and remembers the
    best by the true maximum.

    What is None follows from the instance and the budget (docs/methods/sisr.md says how). Without
    a limit on time or iterations a run makes 1,000 iterations per customer, at least 20,000.
    New bests are reported at most once a millisecond, and the last one always.

    Attributes:
        mean_removed: c̄, the mean number of customers removed per iteration.
        longest_string: L_max, the most customers in one string.
        split_rate: how often a string keeps some customers in its middle.
        split_depth: α, the probability that it keeps one more.
        blink: β, the probability of overlooking a trip.
        power: p of the power mean, a power of two; 1 stands for the plain maximum.
        start_temperature: T at the start, in units of the objective.
        final_temperature: T at the end.
        near: customers are offered to the trips of so many nearest customers; 0 means all trips.
    """

    mean_removed: float = 6.0
    longest_string: float = 10.0
    split_rate: float = 0.5
    split_depth: float = 0.01
    blink: float = 0.01
    power: int | None = None
    start_temperature: float | None = None
    final_temperature: float | None = None
    near: int = 40

    name = "sisr"
    iterations_per_customer = 1_000

    def __post_init__(self) -> None:
        for field in ("mean_removed", "longest_string"):
            if not 1 <= getattr(self, field) < math.inf:
                raise InputError(f"{field} must be at least 1, not {getattr(self, field)}")
        for field in ("split_rate", "split_depth", "blink"):
            if not 0 <= getattr(self, field) < 1:
                raise InputError(f"{field} must lie in [0, 1), not {getattr(self, field)}")
        for field in ("start_temperature", "final_temperature"):
            value = getattr(self, field)
            if value is not None and not 0 < value < math.inf:
                raise InputError(f"{field} must be positive, not {value}")
        if self.power is not None and (self.power < 1 or self.power & (self.power - 1)):
            raise InputError(f"power must be a power of two, not {self.power}")
        if self.near < 0:
            raise InputError(f"near must not be negative: {self.near}")

    def solve(self, task: Task) -> Result:
        """The best solution found, never worse than savings or any initial one."""
        task = self._with_budget(task)
        recorder = Recorder(task, self.name)
        search = self._search(task)
        start, final = self._temperatures(task, search.scale)
        iterations = search.search(native.run(recorder), start, final)
        return recorder.result(native.solution(search.best), iterations)

    def _search(self, task: Task) -> native.core.Sisr:
        return native.core.Sisr(
            native.problem(task.instance),
            native.objective(task.objective),
            native.core.SisrParameters(
                mean_removed=self.mean_removed,
                longest_string=self.longest_string,
                split_rate=self.split_rate,
                split_depth=self.split_depth,
                blink=self.blink,
                log2_power=int(math.log2(self.power or _power(task))),
                near=self.near,
                pool=0,
            ),
            task.seed,
            [_routes(s) for s in task.initial or (savings.construct(task),)],
            task.threads,
        )

    def _with_budget(self, task: Task) -> Task:
        if task.stop.time_limit is not None or task.stop.iterations is not None:
            return task
        iterations = max(20_000, self.iterations_per_customer * task.instance.size)
        return replace(task, stop=replace(task.stop, iterations=iterations))

    def _temperatures(self, task: Task, scale: float) -> tuple[float, float]:
        """The first and the last temperature, as multiples of the cost of a small change."""
        step = (scale or 1.0) * float(np.mean(1 / task.instance.speeds))
        start = self.start_temperature or START_STEPS * step
        return start, min(start, self.final_temperature or FINAL_STEPS * step)


def _power(task: Task) -> int:
    """The power of two nearest to a fifth of the customers, within 8 … 64."""
    return 1 << round(math.log2(min(max(task.instance.size / 5, 8), 64)))


def _routes(solution: Solution) -> list[list[list[int]]]:
    return [[list(trip) for trip in trips] for trips in solution.routes]


@dataclass(frozen=True)
class SisrPaper(Sisr):
    """SISR with the parameters of Li et al. (2021), Table 2, and 300,000 iterations per customer.

    These are the values of Christiaens & Vanden Berghe (2020), whose instances measure a thousand
    across: on the unit square temperatures of 100 → 1 accept almost every plan. Min-max works
    with the plain maximum: a customer goes where the longest time grows least, then where the
    detour is shortest.
    """

    mean_removed: float = 10.0
    power: int | None = 1
    start_temperature: float | None = 100.0
    final_temperature: float | None = 1.0
    near: int = 0

    name = "sisr-paper"
    iterations_per_customer = 300_000
