"""Submissions on their way into the database, many in one transaction.

A transaction costs a millisecond and a wait for the disk however many it holds, so those that
arrive during one, or within a hundredth of a second of its beginning, share the next. A submission
is answered when its transaction is through, never before.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from starlette.concurrency import run_in_threadpool

from hcvrp.service.order import Order
from hcvrp.service.queue import FullQueueError, Queue
from hcvrp.service.store import Job

LARGEST_BATCH = 64
SHORTEST_ROUND = 0.01
"""Seconds from one transaction to the next; one that comes after a pause goes through at once."""


@dataclass(frozen=True)
class _Submission:
    job: str
    order: Order
    answer: asyncio.Future[Job]


class Intake:
    """The way in; `run` must be running for submissions to be answered."""

    def __init__(self, queue: Queue, announce: Callable[[], None]) -> None:
        self._queue = queue
        self._announce = announce
        self._waiting: asyncio.Queue[_Submission] = asyncio.Queue()

    async def submit(self, job: str, order: Order) -> Job:
        """The job, when it is safely in the database; FullQueueError when there is no room."""
        answer: asyncio.Future[Job] = asyncio.get_running_loop().create_future()
        self._waiting.put_nowait(_Submission(job, order, answer))
        # Whoever has gone meanwhile still gets the job: it may be on its way already.
        return await asyncio.shield(answer)

    async def run(self) -> None:
        """Takes what waits, again and again."""
        loop = asyncio.get_running_loop()
        begun = 0.0
        while True:
            batch = [await self._waiting.get()]
            await asyncio.sleep(begun + SHORTEST_ROUND - loop.time())
            begun = loop.time()
            while len(batch) < LARGEST_BATCH and not self._waiting.empty():
                batch.append(self._waiting.get_nowait())
            await self._take(batch)

    async def _take(self, batch: list[_Submission]) -> None:
        orders = [(submission.job, submission.order) for submission in batch]
        try:
            jobs = await run_in_threadpool(self._queue.submit, orders)
        except Exception as error:  # noqa: BLE001  it is each submitter's to report
            for submission in batch:
                submission.answer.set_exception(error)
            return
        self._announce()
        for number, submission in enumerate(batch):
            if number < len(jobs):
                submission.answer.set_result(jobs[number])
            else:
                submission.answer.set_exception(FullQueueError())
