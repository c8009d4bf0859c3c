"""What every endpoint works with: the jobs, the way in, the crew, and steps of their recipes."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Annotated, TypeAlias

from fastapi import Depends, Request
from starlette.concurrency import run_in_threadpool

from hcvrp.service.crew import Crew
from hcvrp.service.events import stream
from hcvrp.service.intake import Intake
from hcvrp.service.metrics import Metrics
from hcvrp.service.order import Order
from hcvrp.service.problems import Problem
from hcvrp.service.queue import FullQueueError, Queue
from hcvrp.service.rounds import Rounds
from hcvrp.service.settings import Limits, Settings
from hcvrp.service.store import Job, Status, Store

RETRY_LATER = {"Retry-After": "10"}
WAITING_SECONDS = 0.05


@dataclass
class Desk:
    """The server behind its endpoints."""

    settings: Settings
    store: Store
    queue: Queue
    crew: Crew
    metrics: Metrics = field(default_factory=Metrics)

    def __post_init__(self) -> None:
        self.rounds = Rounds(self.queue, self.settings.workers, self.settings.keep)
        self.intake = Intake(self.queue, self.rounds.announce)

    @property
    def limits(self) -> Limits:
        """What one request may ask for."""
        return self.settings.limits

    async def accept(self, order: Order) -> Job:
        """The job that the order became; 429 when too many wait."""
        try:
            job = await self.intake.submit(str(uuid.uuid4()), order)
        except FullQueueError:
            raise Problem(
                429, f"{self.limits.queue} jobs are waiting already", RETRY_LATER
            ) from None
        self.metrics.submitted += 1
        return job

    async def job(self, name: str) -> Job:
        """The job, or 404."""
        found = await run_in_threadpool(self.store.job, name)
        if found is None:
            raise Problem(404, f"there is no job {name}")
        return found

    async def order(self, name: str) -> Order:
        """What the job was asked, or 404."""
        order = await run_in_threadpool(self.store.order, name)
        if order is None:
            raise Problem(404, f"there is no job {name}")
        return order

    async def stop(self, name: str) -> None:
        """Ends the job, at once if it waits and within a moment if it runs."""
        await run_in_threadpool(self.store.cancel, name)
        if (await self.job(name)).status == Status.CANCELLED:
            await run_in_threadpool(self.queue.forget, name)

    async def settled(self, name: str, seconds: float) -> Job:
        """The job when it is over, or after so many seconds."""
        for _ in range(int(seconds / WAITING_SECONDS)):
            found = await self.job(name)
            if found.status.is_final:
                return found
            await asyncio.sleep(WAITING_SECONDS)
        return await self.job(name)

    async def followed(self, request: Request, name: str) -> Job:
        """The job when it is over; it is cancelled when its client leaves."""
        while not (found := await self.settled(name, 10 * WAITING_SECONDS)).status.is_final:
            if await request.is_disconnected():
                await self.stop(name)
        return found

    async def events(self, job: Job, order: Order, seen: int) -> AsyncIterator[bytes]:
        """The job's events after number `seen`, counted among the open streams."""
        self.metrics.streams += 1
        try:
            async for piece in stream(self.store, job, order, seen):
                yield piece
        finally:
            self.metrics.streams -= 1


async def _desk(request: Request) -> Desk:  # async: a plain function would cost a thread
    desk: Desk = request.app.state.desk
    return desk


TheDesk: TypeAlias = Annotated[Desk, Depends(_desk)]
