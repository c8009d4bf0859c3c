"""auto, the default method: prove what is tiny, search the rest, with the policy where it pays.

    tiny instance, time enough    the exact method: optimal, with proof
    otherwise                     SISR from savings and, where they pay, from the policy's rollouts
    a batch and a GPU             rollouts of all instances at once: the starts of short searches,
                                  and the answers where there is no time for any

Without trained weights it is SISR.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from hcvrp import rollouts
from hcvrp.policy.settings import check_count
from hcvrp.search.sisr import Sisr
from hcvrp.solution import Solution
from hcvrp.starts import batch_starts, policy_starts
from hcvrp.task import Improvement, Recorder, Result, Stop, Task

TINY = 12
"""Customers up to which a proof of optimality is a matter of a second."""
LEAST_SECONDS_TO_PROVE, MOST_SECONDS_TO_PROVE = 1.0, 10.0
"""Time limits below the first leave no time for a proof; without any limit it gets the second."""


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
        if self.samples is not None:
            check_count("samples", self.samples, 0)

    def solve(self, task: Task) -> Result:
        """The best solution; never worse than savings, any initial one or any rollout."""
        recorder = Recorder(task, self.name)
        if is_tiny(task):
            return _prove(task, recorder)
        starts = list(task.initial)
        samples = rollouts.on_processor(task) if self.samples is None else self.samples or None
        if samples is not None and (found := policy_starts(task, samples)):
            starts += found
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
        found = batch_starts([tasks[number] for number in asked], self.samples)
        for number, start in zip(asked, found, strict=True):
            starts[number] = start
        return starts

    def _asks(self, task: Task) -> bool:
        """Whether rollouts are wanted that a GPU makes."""
        if self.samples is not None:
            return self.samples > 0
        return rollouts.pay_if_free(task)


def is_tiny(task: Task) -> bool:
    """Whether the budget allows for a proof."""
    stop = task.stop
    if task.instance.size > TINY or stop.iterations is not None or stop.target is not None:
        return False
    return stop.time_limit is None or stop.time_limit >= LEAST_SECONDS_TO_PROVE


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
    stop = stop.after(recorder.seconds)  # importing took its time
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
