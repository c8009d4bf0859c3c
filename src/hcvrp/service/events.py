"""One job as a stream of server-sent events.

`best` comes with each new best: its routes and timed plan, and the points of the cost curve since
the last one. `job` comes with each change of status or of the bound, and last. A client that lost
the connection sends the last number it saw (`Last-Event-ID`) and goes on from there; the job does
not notice.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from starlette.concurrency import run_in_threadpool

from hcvrp.service.order import Order
from hcvrp.service.store import Job, Store
from hcvrp.service.views import best, event, job_view

POLLING_SECONDS = 0.15
HEARTBEAT_SECONDS = 10.0


async def stream(store: Store, job: Job, order: Order, seen: int) -> AsyncIterator[bytes]:
    """The events of the job after improvement number `seen`, until it ends."""
    loop = asyncio.get_running_loop()
    told = None
    spoken = loop.time()
    while True:
        news = []
        if job.improvements > seen:
            news.append(await run_in_threadpool(_best, store, job, order, seen))
            seen = job.improvements
        if (job.status, job.bound) != told:
            news.append(event("job", job_view(job).model_dump(mode="json")))
            told = job.status, job.bound
        elif not news and loop.time() - spoken > HEARTBEAT_SECONDS:
            news.append(b": still here\n\n")
        if news:
            yield b"".join(news)
            spoken = loop.time()
        if job.status.is_final:
            return
        await asyncio.sleep(POLLING_SECONDS)
        latest = await run_in_threadpool(store.job, job.id)
        assert latest is not None
        job = latest


def _best(store: Store, job: Job, order: Order, seen: int) -> bytes:
    curve = store.history(job.id, seen, job.improvements)
    return event("best", best(job, order, curve), job.improvements)
