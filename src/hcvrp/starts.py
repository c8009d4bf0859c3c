"""Rollouts of the shipped policy as starts of the search: one instance's, or a batch's on a GPU."""

from __future__ import annotations

import logging
import math
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from hcvrp import rollouts
from hcvrp.search.sisr import afforded, iteration_seconds
from hcvrp.solution import Solution
from hcvrp.task import AnyOf, Stop, Task

logger = logging.getLogger(__name__)

WEIGHTS = Path(__file__).parent / "weights" / "fleet.safetensors"
"""The shipped policy for any fleet; there may be none in a source tree."""

MOST_SHARE = 0.8
"""Of a time limit: on a machine so slow that the rollout takes longer, it is given up."""
WAKING = 60.0
"""Seconds of search in a batch from which it pays to wait until a GPU is awake."""


def policy_starts(task: Task, samples: int) -> list[Solution]:
    """The best rollouts on a processor, one for each chain of the search; none without weights."""
    limit = task.stop.time_limit
    seconds = None if limit is None else MOST_SHARE * limit
    if seconds is not None and rollouts.layout_seconds(task.instance) > seconds:
        return []
    if not WEIGHTS.is_file():
        return []
    late = _Deadline(seconds, task.stop.cancel)  # from here on: the network may have to be read
    from hcvrp.policy.engine import native_fleet

    found = native_fleet(WEIGHTS).solve(
        task.instance,
        task.objective,
        samples=_drawn(samples),
        seed=task.seed,
        keep=task.threads,
        stop=Stop(seconds, target=task.stop.target, cancel=late),
    )
    return [solution for _, solution in found]


def batch_starts(tasks: Sequence[Task], samples: int | None) -> list[tuple[Solution, ...]]:
    """The best rollout of each task, those of similar sizes decoded together on a GPU.

    None where there is no GPU, or no time, and no more once the run is cancelled. Without a
    number of samples the budget decides.
    """
    starts: list[tuple[Solution, ...]] = [() for _ in tasks]
    if not (WEIGHTS.is_file() and _gpu_at_hand(tasks)):
        return starts
    from hcvrp.policy.grouping import alike

    for group in alike([task.instance.size for task in tasks]):
        batch = [tasks[number] for number in group]
        if batch[0].stop.cancel.is_set():
            break
        made = samples or rollouts.on_gpu(batch[-1], len(batch))
        if made is not None:
            found = _decoded(batch, made)  # fewer where cancelled
            for number, start in zip(group, found, strict=False):
                starts[number] = (start,)
    return starts


def _drawn(samples: int) -> int:
    """How many to draw; the greedy rollout needs none."""
    return 0 if samples == 1 else samples


class _Deadline(AnyOf):
    """Is set once the time is up, or when the run is cancelled.

    A time limit alone leaves the policy its first rollouts, however long they take.
    """

    def __init__(self, seconds: float | None, cancel: threading.Event) -> None:
        super().__init__(cancel)
        self._end = math.inf if seconds is None else time.perf_counter() + seconds

    def is_set(self) -> bool:
        return super().is_set() or time.perf_counter() >= self._end


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


def _decoded(tasks: Sequence[Task], samples: int) -> list[Solution]:
    """The best rollout of each; none where the GPU fails, as it may for want of memory."""
    from hcvrp.policy import Policy
    from hcvrp.policy.settings import SYMMETRIES

    policy = Policy(WEIGHTS, _drawn(samples), augment=samples >= SYMMETRIES)
    instances = [task.instance for task in tasks]
    first = tasks[0]
    stop = Stop(cancel=first.stop.cancel)
    try:
        return policy.solve_many(instances, first.objective, first.seed, stop=stop)
    except RuntimeError as error:
        logger.warning("no rollouts on the GPU: %s", str(error).partition("\n")[0])
        return []
