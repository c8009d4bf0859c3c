"""auto, the default method: prove what is tiny, search the rest, with the policy where it pays.

    tiny instance, time enough    the exact method: optimal, with proof
    otherwise                     SISR from savings and, where they pay, from the policy's rollouts
    a batch and a GPU             rollouts of all instances at once: the starts of short searches,
                                  and the answers where there is no time for any

Without trained weights it is SISR.
"""

from __future__ import annotations

import logging
import math
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from hcvrp import rollouts
from hcvrp.errors import InputError
from hcvrp.search.sisr import Sisr, afforded, iteration_seconds
from hcvrp.solution import Solution
from hcvrp.task import Improvement, Recorder, Result, Stop, Task

if TYPE_CHECKING:
    from hcvrp.policy.native import NativeFleet

logger = logging.getLogger(__name__)

WEIGHTS = Path(__file__).parent / "weights" / "fleet.safetensors"
"""The shipped policy for any fleet."""

TINY = 12
"""Customers up to which a proof of optimality is a matter of a second."""
LEAST_SECONDS_TO_PROVE, MOST_SECONDS_TO_PROVE = 1.0, 10.0
"""Time limits below the first leave no time for a proof; without any limit it gets the second."""

MOST_SHARE = 0.5
"""Of a time limit: on a machine so slow that the rollout takes longer, it is given up."""
WAKING = 60.0
"""Seconds of search in a batch from which it pays to wait until a GPU is awake."""


@dataclass(frozen=True)
class Auto:
    """SISR, from the policy's rollouts where they pay; a proof for tiny instances.

    `Result.bound` and `Result.status` are those of the proof where there is one. With a limit on
    iterations alone the search makes as many, the rollouts come on top, and the same seed gives the
    same answer.

    Attributes:
        samples: of the policy; 1 is its greedy rollout, 0 leaves it out, None follows the budget
            (`hcvrp.rollouts`).
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
        samples = rollouts.on_processor(task) if self.samples is None else self.samples or None
        if samples is not None and WEIGHTS.is_file():
            starts += policy_starts(task, samples)
            for start in starts:
                recorder.improved(start)
        return _search(task, tuple(starts), recorder)

    def prepare(self, tasks: Sequence[Task]) -> list[tuple[Solution, ...]]:
        """Starts for a batch, decoded together on a GPU; none where they would not pay.

        Nor without a time limit: then the answer must not depend on what else uses the GPU.
        """
        starts: list[tuple[Solution, ...]] = [() for _ in tasks]
        asked = [
            number
            for number, task in enumerate(tasks)
            if task.stop.time_limit is not None and not is_tiny(task) and self._asks(task)
        ]
        if WEIGHTS.is_file() and _gpu_at_hand([tasks[number] for number in asked]):
            from hcvrp.policy.grouping import alike

            for group in alike([tasks[number].instance.size for number in asked]):
                numbers = [asked[k] for k in group]
                batch = [tasks[number] for number in numbers]
                samples = self.samples or rollouts.on_gpu(batch[-1], len(batch))
                if samples is not None:
                    for number, start in zip(numbers, _decoded(batch, samples), strict=True):
                        starts[number] = start
        return starts

    def _asks(self, task: Task) -> bool:
        """Whether rollouts are wanted that a GPU makes."""
        if self.samples is not None:
            return self.samples > 0
        return rollouts.pay_if_free(task) or rollouts.on_processor(task) is not None


def is_tiny(task: Task) -> bool:
    """Whether the budget allows for a proof."""
    stop = task.stop
    if task.instance.size > TINY or stop.iterations is not None or stop.target is not None:
        return False
    return stop.time_limit is None or stop.time_limit >= LEAST_SECONDS_TO_PROVE


def policy_starts(task: Task, samples: int) -> list[Solution]:
    """The policy's best rollouts, one for each chain of the search."""
    limit = task.stop.time_limit
    seconds = None if limit is None else MOST_SHARE * limit
    if seconds is not None and rollouts.layout_seconds(task.instance) > seconds:
        return []
    late = _Deadline(seconds, task.stop.cancel)  # from here on: the network may have to be read
    found = _network().solve(
        task.instance,
        task.objective,
        samples=_drawn(samples),
        seed=task.seed,
        keep=task.threads,
        stop=Stop(seconds, target=task.stop.target, cancel=late),
    )
    return [solution for _, solution in found]


def _drawn(samples: int) -> int:
    """How many to draw; the greedy rollout needs none."""
    return 0 if samples == 1 else samples


class _Deadline(threading.Event):
    """Is set once the time is up, or when the run is cancelled.

    A time limit alone leaves the policy its first rollouts, however long they take.
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


def _gpu_at_hand(tasks: Sequence[Task]) -> bool:
    """Whether there is a GPU that is awake, or that so much work is worth waking for.

    Torch takes seconds to import, and as many again until it has a GPU ready.
    """
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        return bool(tasks)
    seconds = sum(afforded(task) * iteration_seconds(task.instance.size) for task in tasks)
    return seconds >= WAKING and _has_gpu()


def _has_gpu() -> bool:
    from hcvrp.policy.engine import on_gpu

    return on_gpu("auto")


def _decoded(tasks: Sequence[Task], samples: int) -> list[tuple[Solution, ...]]:
    """The best rollout of each; none where the GPU fails, as it may for want of memory."""
    from hcvrp.policy import Policy
    from hcvrp.policy.settings import SYMMETRIES

    policy = Policy(WEIGHTS, _drawn(samples), augment=samples >= SYMMETRIES)
    instances = [task.instance for task in tasks]
    try:
        found = policy.solve_many(instances, tasks[0].objective, tasks[0].seed)
    except RuntimeError as error:
        logger.warning("no rollouts on the GPU: %s", str(error).partition("\n")[0])
        return [() for _ in tasks]
    return [(solution,) for solution in found]


def _search(task: Task, starts: tuple[Solution, ...], recorder: Recorder) -> Result:
    """SISR in what is left of the budget, as part of the whole run."""
    stop = task.stop.after(recorder.seconds)
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
