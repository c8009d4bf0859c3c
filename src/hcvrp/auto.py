"""auto, the default method: prove what is tiny, let the policy start the search, polish.

    tiny instance, time enough    the exact method: optimal, with proof
    otherwise                     the policy's best rollouts → SISR from the best of them and of
                                  savings, cooler where a rollout is the best → set partitioning
                                  where it pays (min-sum, see `hcvrp.search.sisr`)

Without trained weights it is SISR with polish. Whatever a rollout costs is taken from the budget,
so there are few of them, and none where the search would be further by then.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from hcvrp.errors import InputError
from hcvrp.search.sisr import Sisr, afforded
from hcvrp.solution import Objective, Solution
from hcvrp.task import Improvement, Recorder, Result, Stop, Task

if TYPE_CHECKING:
    from hcvrp.policy.native import NativeFleet

WEIGHTS = Path(__file__).parent / "weights" / "fleet.safetensors"
"""The shipped policy for any fleet."""

TINY = 12
"""Customers up to which a proof of optimality is a matter of a second."""
LEAST_SECONDS_TO_PROVE, MOST_SECONDS_TO_PROVE = 1.0, 10.0
"""Time limits below the first leave no time for a proof; without any limit it gets the second."""

LEAST_CUSTOMERS, MOST_CUSTOMERS = 130, 1_000
"""Sizes for which rollouts pay: with fewer the search is as good by then, and with more attention
to all pairs grows too dear."""
LEAST_BUDGET = 6.0
"""Budgets of less than so many first rollouts are the search's own."""
MOST_SHARE = 0.3
"""Of a time limit: on a machine so slow that the rollout takes longer, it is given up."""
SHARE = 0.1
"""Of the budget, at most this goes to further rollouts …"""
MOST_SAMPLES = 64
"""… and to no more than these: beyond, the search makes better use of the time."""
FEWEST_SAMPLES = 8
"""Fewer than so many samples are worse than the one greedy rollout."""
SHORT = 60
"""Iterations per customer up to which a search from a free rollout is ahead at any size."""
GPU_SAMPLES = 128
"""Of each instance of a batch, where a GPU makes thousands in the time of a search."""


@dataclass(frozen=True)
class Auto:
    """The policy starts the search, polish ends it; tiny instances are solved to proven optimality.

    `Result.bound` and `Result.status` are those of the proof where there is one. With a limit on
    iterations alone the search makes as many, the rollouts come on top, and the same seed gives the
    same answer.

    Attributes:
        samples: of the policy; 0 leaves it out, None follows the budget (`rollouts`).
    """

    samples: int | None = None

    name = "auto"

    def __post_init__(self) -> None:
        if self.samples is not None and self.samples < 0:
            raise InputError(f"samples must not be negative: {self.samples}")

    def solve(self, task: Task) -> Result:
        """The best solution; never worse than savings, any initial one or any rollout."""
        recorder = Recorder(task, self.name)
        if is_tiny(task):
            return _prove(task, recorder)
        starts = list(task.initial)
        samples = rollouts(task) if self.samples is None else self.samples or None
        if samples is not None and WEIGHTS.is_file():
            starts += policy_starts(task, samples)
            for start in starts:
                recorder.improved(start)
        return _search(task, tuple(starts), recorder)

    def prepare(self, tasks: Sequence[Task]) -> list[tuple[Solution, ...]]:
        """Starts for a batch, decoded together on a GPU; none where they would not pay."""
        none: list[tuple[Solution, ...]] = [() for _ in tasks]
        samples = GPU_SAMPLES if self.samples is None else self.samples
        pays = self.samples is not None or all(map(free_rollouts_pay, tasks))
        if samples == 0 or not pays or not WEIGHTS.is_file() or not _has_gpu():
            return none
        from hcvrp.policy import Policy

        instances = [task.instance for task in tasks]
        policy = Policy.load(WEIGHTS, samples=samples)
        found = policy.solve_many(instances, tasks[0].objective, tasks[0].seed)
        return [(start,) for start in found]


def is_tiny(task: Task) -> bool:
    """Whether the budget allows for a proof."""
    stop = task.stop
    if task.instance.size > TINY or stop.iterations is not None or stop.target is not None:
        return False
    return stop.time_limit is None or stop.time_limit >= LEAST_SECONDS_TO_PROVE


def rollouts(task: Task) -> int | None:
    """How many of the policy's rollouts the budget affords: 1 means greedy; None leaves it out.

    None for min-sum, where savings is as good a start in a tenth of the time, and none for few
    customers, where the search catches up before the first rollout ends. All else is told in
    iterations of the search: encoding takes as long as 1,500 + 30 n, a rollout as long as 4.5 n of
    them (docs/methods/auto.md).
    """
    n = task.instance.size
    if task.objective is Objective.MIN_SUM or not LEAST_CUSTOMERS <= n <= MOST_CUSTOMERS:
        return None
    budget = afforded(Sisr().with_budget(task))
    encoding, rollout = 1_500 + 30 * n, 4.5 * n
    if budget < LEAST_BUDGET * (encoding + rollout):
        return None
    samples = int(min(MOST_SAMPLES, (SHARE * budget - encoding) / rollout))
    return samples if samples >= FEWEST_SAMPLES else 1


def free_rollouts_pay(task: Task) -> bool:
    """Whether rollouts that cost nothing are worth a start: not in a long search of few customers.

    Such a search forgets where it began, and a rollout makes it begin too cool.
    """
    n = task.instance.size
    short = afforded(Sisr().with_budget(task)) <= SHORT * n
    return n <= MOST_CUSTOMERS and (short or n >= LEAST_CUSTOMERS)


def policy_starts(task: Task, samples: int) -> list[Solution]:
    """The policy's best rollouts, one for each chain of the search."""
    limit = task.stop.time_limit
    seconds = None if limit is None else MOST_SHARE * limit
    found = _network().solve(
        task.instance,
        task.objective,
        samples=0 if samples == 1 else samples,
        seed=task.seed,
        keep=task.threads,
        stop=Stop(seconds, target=task.stop.target, cancel=_Deadline(seconds, task.stop.cancel)),
    )
    return [solution for _, solution in found]


class _Deadline(threading.Event):
    """Is set once the time is up, or when the run is cancelled.

    A time limit alone leaves the policy its first rollout, however long it takes.
    """

    def __init__(self, seconds: float | None, cancel: threading.Event) -> None:
        super().__init__()
        self._end = math.inf if seconds is None else time.perf_counter() + seconds
        self._cancel = cancel

    def is_set(self) -> bool:
        return self._cancel.is_set() or time.perf_counter() >= self._end


@cache
def _network() -> NativeFleet:
    from hcvrp.policy.native import NativeFleet

    return NativeFleet.load(WEIGHTS)


def _has_gpu() -> bool:
    from hcvrp.policy.engine import on_gpu

    return on_gpu("auto")


def _search(task: Task, starts: tuple[Solution, ...], recorder: Recorder) -> Result:
    """SISR in what is left of the budget, as part of the whole run."""
    stop = task.stop
    if stop.time_limit is not None:
        stop = replace(stop, time_limit=max(0.0, stop.time_limit - recorder.seconds))
    part = replace(task, stop=stop, initial=starts, on_improvement=_passed_on(recorder))
    result = Sisr().solve(part)
    return recorder.result(result.solution, result.iterations)


def _prove(task: Task, recorder: Recorder) -> Result:
    """The exact method, as the whole run."""
    from hcvrp.exact.method import Exact

    limit = task.stop.time_limit
    stop = Stop(MOST_SECONDS_TO_PROVE if limit is None else limit, cancel=task.stop.cancel)
    proof = Exact().solve(replace(task, stop=stop, on_improvement=_passed_on(recorder)))
    return recorder.result(proof.solution, bound=proof.bound, status=proof.status)


def _passed_on(recorder: Recorder) -> Callable[[Improvement], None]:
    """New bests and bounds of a part of the run, told with the time and the best of the whole."""

    def hear(improvement: Improvement) -> None:
        if not recorder.history or improvement.cost < recorder.history[-1].cost:
            recorder.add(replace(improvement, seconds=recorder.seconds))
        elif improvement.bound is not None:
            recorder.raised(improvement.bound)

    return hear
