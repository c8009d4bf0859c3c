"""What the server does unasked: hands waiting jobs to the workers, and prunes old ones."""

from __future__ import annotations

import asyncio
import time
import traceback
from collections.abc import Callable
from contextlib import suppress

from starlette.concurrency import run_in_threadpool

from hcvrp.service.queue import Queue

DAY = 86_400.0
HANDING_SECONDS = 0.1
PRUNING_SECONDS = 600.0
AHEAD = 4
"""Jobs per worker that its queue holds beyond those it works on."""


class Rounds:
    """The server's standing tasks around one queue; `keep` is in days, None for ever."""

    def __init__(self, queue: Queue, workers: int, keep: float | None) -> None:
        self._queue = queue
        self._ahead = AHEAD * max(1, workers)
        self._keep = keep
        self._news = asyncio.Event()

    def announce(self) -> None:
        """There are new jobs: hands them over at once."""
        self._news.set()

    async def hand_over(self) -> None:
        """Keeps the workers' queue filled; new jobs are worth a look only while it is not."""
        while True:
            self._news.clear()
            if await _tried(lambda: self._queue.hand_over(self._ahead)):
                await asyncio.sleep(HANDING_SECONDS)
            else:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._news.wait(), HANDING_SECONDS)

    async def prune(self) -> None:
        """Deletes what ended long enough ago."""
        if self._keep is None:
            return
        age = self._keep * DAY
        while True:
            await _tried(lambda: self._queue.prune(time.time() - age))
            await asyncio.sleep(PRUNING_SECONDS)


async def _tried(step: Callable[[], int]) -> int:
    """Runs the step in a thread; whatever fails is reported, and tried again a little later."""
    try:
        return await run_in_threadpool(step)
    except Exception:  # noqa: BLE001  no failure may end a standing task
        traceback.print_exc()
        await asyncio.sleep(1)
        return 0
