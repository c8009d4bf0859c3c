"""SISR: ruin and recreate by strings, the engine most answers come from."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from hcvrp.errors import InputError
from hcvrp.search import native, savings
from hcvrp.solution import Objective
from hcvrp.task import Recorder, Result, Task

if TYPE_CHECKING:
    from hcvrp.instance import Instance

STEPS = {Objective.MIN_MAX: (0.75, 0.15), Objective.MIN_SUM: (0.25, 0.05)}
"""Temperatures at both ends, in steps (see `step`); experiments/sisr-tuning says why."""
STEPS_WITH_MEMORY = (0.4, 0.2)
"""Where trips are recombined, a hotter search that sees more of them is better …"""
VERY_LONG, MOST_HOTTER = 60, 8.0
"""… and one of more iterations than this, in squares of the number of customers, begins hotter in
proportion, at most so many times."""

MOST = 1_000_000
"""More customers than any instance has: nothing larger makes a difference."""
POWERS = tuple(2**k for k in range(11))
"""Of the mean on min-max; of a larger one only rounding errors would be left."""

LONG, COOLER = 3, 0.8
"""Iterations, in squares of the number of customers, from which a search begins as hot as that,
and by which power of them a shorter one begins cooler …"""
SHORTEST = 1e-3
"""… which shorter ones than this all do alike."""

LEAST_MEMORY, MEMORY_PER_CUSTOMER = 10_000, 100
"""Trips each chain remembers."""
MOST_TO_REMEMBER = 1_000
"""Customers up to which it pays to remember trips: of more, a dozen trips are too small a part."""


@dataclass(frozen=True)
class Sisr:
    """Slack Induction by String Removals (Christiaens & Vanden Berghe 2020) for mixed fleets.

    Each iteration removes strings of customers from a few trips that lie near each other and
    inserts the customers again, one by one, where they cost least; a new trip always competes.
    The outcome s' replaces the present plan s when

        cost(s') < cost(s) − T ln U(0, 1),

    and T falls exponentially as the budget is spent: the larger of the spent shares of time and
    of iterations counts. Min-sum prices a trip at its length on the cheapest vehicle that can
    carry it, and now and then puts remembered trips in place of a few neighbouring ones of the
    best plan. Min-max minimises the power mean ((Σ T_v^p) / m)^(1/p) of the vehicle times, moves
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
        remember: whether trips are remembered where that pays: on min-sum, up to 1,000 customers.
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
    remember: bool = True

    name = "sisr"
    iterations_per_customer = 1_000

    def __post_init__(self) -> None:
        for field in ("mean_removed", "longest_string"):
            if not 1 <= getattr(self, field) <= MOST:
                raise InputError(
                    f"{field} must lie between 1 and {MOST}, not {getattr(self, field)}"
                )
        for field in ("split_rate", "split_depth", "blink"):
            if not 0 <= getattr(self, field) < 1:
                raise InputError(f"{field} must lie in [0, 1), not {getattr(self, field)}")
        for field in ("start_temperature", "final_temperature"):
            value = getattr(self, field)
            if value is not None and not 0 < value <= sys.float_info.max:
                raise InputError(f"{field} must be positive, not {value}")
        if self.power is not None and self.power not in POWERS:
            raise InputError(f"power must be a power of two up to {POWERS[-1]}, not {self.power}")
        if not 0 <= self.near <= MOST:
            raise InputError(f"near must lie between 0 and {MOST}, not {self.near}")

    def solve(self, task: Task) -> Result:
        """The best solution found, never worse than savings or any initial one."""
        task = self.with_budget(task)
        recorder = Recorder(task, self.name)
        try:
            core, warm = self._prepared(task)
        except native.RunOver:
            return savings.unprepared(recorder)
        start, final = self._temperatures(task, core.scale, warm=warm)
        passed, limit = recorder.seconds, task.stop.time_limit
        # Preparation has taken a part of the time, and of the cooling with it.
        spent = min(1.0, passed / limit) if limit else 0.0
        run = native.run(recorder, task.stop.after(passed))
        iterations = core.search(run, start * (final / start) ** spent, final)
        return recorder.result(native.solution(core.best), iterations)

    def _prepared(self, task: Task) -> tuple[native.core.Sisr, bool]:
        """The search before its first iteration, and whether it starts better than savings."""
        run = native.preparation(task.stop.cancel)
        problem = native.problem(task.instance, run)
        first = savings.construct(task, problem)
        warm = any(task.cost(start) < task.cost(first) for start in task.initial)
        core = native.core.Sisr(
            problem,
            native.objective(task.objective),
            self._parameters(task),
            task.seed,
            [native.routes(start) for start in (*task.initial, first)],
            task.threads,
            run,
        )
        return core, warm

    def _parameters(self, task: Task) -> native.core.SisrParameters:
        return native.core.SisrParameters(
            mean_removed=self.mean_removed,
            longest_string=self.longest_string,
            split_rate=self.split_rate,
            split_depth=self.split_depth,
            blink=self.blink,
            log2_power=int(math.log2(self.power or _power(task))),
            near=self.near,
            pool=memory(task.instance.size) if self._remembers(task) else 0,
        )

    def _remembers(self, task: Task) -> bool:
        """Whether trips are remembered, to be put together anew."""
        pays = task.objective is Objective.MIN_SUM and task.instance.size <= MOST_TO_REMEMBER
        return pays and self.remember

    def with_budget(self, task: Task) -> Task:
        """The task, limited to the default iterations for its size if it has no limit."""
        if task.stop.time_limit is not None or task.stop.iterations is not None:
            return task
        iterations = max(20_000, self.iterations_per_customer * task.instance.size)
        return replace(task, stop=replace(task.stop, iterations=iterations))

    def _temperatures(self, task: Task, scale: float, *, warm: bool) -> tuple[float, float]:
        """The first and the last temperature, as multiples of the cost of a small change.

        Savings is a good start, and a short search has no time to get over a hot beginning. With
        k iterations for n customers

            T_start = T_first · min(1, k / 3n²)^0.8,   T_final = min(T_last, T_start / 2).

        With remembered trips T_first is k / 60n² times higher in very long searches, up to 8 times:
        on clustered customers a step is a small part of the way to the next cluster.

        A `warm` start, from a plan better than savings, has part e of the cooling behind it,

            T_start^(1 − e) · T_final^e,   e = 0.75 / (1 + k / 300 n),

        the less of it the longer the search is.
        """
        unit = step(task.instance, task.objective, scale)
        first, last = STEPS[task.objective]
        iterations, n = afforded(task), task.instance.size
        if self._remembers(task):
            first, last = STEPS_WITH_MEMORY
            first *= min(max(1.0, iterations / (VERY_LONG * n**2)), MOST_HOTTER)
        length = min(1.0, iterations / (LONG * n**2))
        start = self.start_temperature or first * unit * max(length, SHORTEST) ** COOLER
        final = self.final_temperature or min(last * unit, start / 2)
        if warm and self.start_temperature is None:
            passed = 0.75 / (1 + iterations / (300 * n))
            start = start ** (1 - passed) * final**passed
        return max(start, final), final


def step(instance: Instance, objective: Objective, scale: float) -> float:
    """What a small change costs: the mean distance to near customers, at the mean pace.

    On min-max one vehicle of m drives it, which moves the power mean by an m-th of it: where all
    are equally late, ∂M_p / ∂T_v = 1 / m.
    """
    change = (scale or 1.0) * float(np.mean(1 / instance.speeds))
    return change / len(instance.vehicles) if objective is Objective.MIN_MAX else change


def memory(customers: int) -> int:
    """Trips that each chain remembers."""
    return max(LEAST_MEMORY, MEMORY_PER_CUSTOMER * customers)


def afforded(task: Task) -> float:
    """Iterations within the task's budget, on one core."""
    stop = task.stop
    most = math.inf if stop.iterations is None else float(stop.iterations)
    if stop.time_limit is None:
        return most
    return min(most, stop.time_limit / iteration_seconds(task.instance.size))


def iteration_seconds(customers: int) -> float:
    """About what an iteration takes."""
    return 1.1e-6 + 7e-9 * customers


def preparation_seconds(customers: int, objective: Objective) -> float:
    """About what it takes until the first iteration, with savings, which are dearer on min-sum."""
    more = 35e-9 * customers**2 if objective is Objective.MIN_SUM else 0.0
    return 0.3e-3 + 25e-6 * customers + more


def _power(task: Task) -> int:
    """The power of two nearest to a fifth of the customers, within 8 … 64."""
    return 1 << round(math.log2(min(max(task.instance.size / 5, 8), 64)))


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
    remember: bool = False

    name = "sisr-paper"
    iterations_per_customer = 300_000
