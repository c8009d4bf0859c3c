"""Worker processes for the jobs of a plan."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator

from hcvrp.bench.answers import Answer, Job, answer
from hcvrp.workers import Crew, Died


def answered(
    jobs: Iterable[Job], workers: int, more: Callable[[], bool] = lambda: True
) -> Iterator[tuple[Job, list[Answer]]]:
    """Jobs with their answers, as they are done; none is begun once `more()` is false.

    Where a process died, the answers say so.
    """
    for job, answers in Crew(_answer, workers).answers(jobs, more):
        if isinstance(answers, Died):
            yield job, [Answer(message=str(answers))] * len(job.numbers)
        else:
            yield job, answers


def _answer(job: Job, _: threading.Event) -> list[Answer]:
    return answer(job)
