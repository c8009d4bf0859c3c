"""Every job and its best answer so far, in two tables beside the queue's own."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import sqlalchemy as sa

from hcvrp.service.order import Order
from hcvrp.solution import Solution
from hcvrp.task import Improvement

TABLES = sa.MetaData()

TICK = 1e-6
"""Seconds between jobs of one transaction, so that their order of arrival is kept."""

JOBS = sa.Table(
    "hcvrp_jobs",
    TABLES,
    sa.Column("id", sa.String(36), primary_key=True),
    sa.Column("status", sa.String(9), nullable=False),
    sa.Column("order_text", sa.Text, nullable=False),
    sa.Column("summary", sa.Text, nullable=False),
    sa.Column("created", sa.Double, nullable=False, index=True),
    sa.Column("started", sa.Double),
    sa.Column("finished", sa.Double),
    sa.Column("handed", sa.Boolean, nullable=False, default=False),
    sa.Column("attempts", sa.Integer, nullable=False, default=0),
    sa.Column("cancelled", sa.Boolean, nullable=False, default=False),
    sa.Column("seconds", sa.Double, nullable=False, default=0.0),
    sa.Column("improvements", sa.Integer, nullable=False, default=0),
    sa.Column("cost", sa.Double),
    sa.Column("bound", sa.Double),
    sa.Column("routes", sa.Text),
    sa.Column("reason", sa.Text),
    sa.Index("hcvrp_jobs_waiting", "status", "handed", "created"),
)
IMPROVEMENTS = sa.Table(
    "hcvrp_improvements",
    TABLES,
    sa.Column("job", sa.String(36), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("seconds", sa.Double, nullable=False),
    sa.Column("cost", sa.Double, nullable=False),
)


class Status(StrEnum):
    """Where a job stands; the last three are final.

    While it is being proven its plan is as good as done, and the bound rises.
    """

    QUEUED = "queued"
    RUNNING = "running"
    PROVING = "proving"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"

    @property
    def is_final(self) -> bool:
        """Whether nothing more will happen."""
        return self not in OPEN


OPEN = (Status.QUEUED, Status.RUNNING, Status.PROVING)


@dataclass(frozen=True)
class Job:
    """A job as the database has it, without its instance; `summary` says what was asked.

    `handed` tells whether the queue of the workers has it already.
    """

    id: str
    status: Status
    summary: dict[str, Any]
    created: float
    started: float | None = None
    finished: float | None = None
    handed: bool = False
    attempts: int = 0
    cancelled: bool = False
    seconds: float = 0.0
    improvements: int = 0
    cost: float | None = None
    bound: float | None = None
    routes: str | None = None
    reason: str | None = None

    @property
    def solution(self) -> Solution | None:
        """The best so far."""
        return None if self.routes is None else Solution(json.loads(self.routes))


_LIGHT = [column for column in JOBS.c if column.name != "order_text"]


class Store:
    """The tables behind one engine; every method is one transaction."""

    def __init__(self, engine: sa.Engine) -> None:
        self.engine = engine

    # Asked by the server --------------------------------------------------------------------------

    def add(self, connection: sa.Connection, orders: Sequence[tuple[str, Order]]) -> list[Job]:
        """The orders as waiting jobs, within the caller's transaction."""
        now = time.time()
        jobs = [
            Job(name, Status.QUEUED, order.summary, now + k * TICK)
            for k, (name, order) in enumerate(orders)
        ]
        rows = [
            {
                "id": job.id,
                "status": job.status,
                "order_text": order.dump(),
                "summary": json.dumps(job.summary),
                "created": job.created,
            }
            for job, (_, order) in zip(jobs, orders, strict=True)
        ]
        connection.execute(sa.insert(JOBS), rows)
        return jobs

    def hand_over(self, connection: sa.Connection, ahead: int) -> tuple[list[str], bool]:
        """Marks the next waiting jobs as handed, up to `ahead`; which, and whether so many are."""
        waits = JOBS.c.status == Status.QUEUED
        query = sa.select(sa.func.count()).where(waits, JOBS.c.handed.is_(True))
        room = max(0, ahead - (connection.scalar(query) or 0))
        following = (
            sa.select(JOBS.c.id)
            .where(waits, JOBS.c.handed.is_(False))
            .order_by(JOBS.c.created)
            .limit(room)
            .with_for_update(skip_locked=True)  # another server may be doing the same
        )
        names = list(connection.scalars(following)) if room else []
        if names:
            chosen = JOBS.c.id.in_(names)
            connection.execute(sa.update(JOBS).where(chosen).values(handed=True))
        return names, len(names) == room

    def job(self, job: str) -> Job | None:
        """The job of that id."""
        with self.engine.connect() as connection:
            row = connection.execute(sa.select(*_LIGHT).where(JOBS.c.id == job)).first()
        return None if row is None else _job(row)

    def order(self, job: str) -> Order | None:
        """What the job was asked."""
        with self.engine.connect() as connection:
            text = connection.scalar(sa.select(JOBS.c.order_text).where(JOBS.c.id == job))
        return None if text is None else Order.load(text)

    def jobs(
        self, limit: int, before: tuple[float, str] | None, status: Status | None
    ) -> list[Job]:
        """The latest jobs first, of those before a (created, id)."""
        place = sa.tuple_(JOBS.c.created, JOBS.c.id)
        query = sa.select(*_LIGHT).order_by(JOBS.c.created.desc(), JOBS.c.id.desc()).limit(limit)
        if before is not None:
            query = query.where(place < sa.tuple_(*before))
        if status is not None:
            query = query.where(JOBS.c.status == status)
        with self.engine.connect() as connection:
            return [_job(row) for row in connection.execute(query)]

    def history(
        self, job: str, after: int = 0, last: int | None = None
    ) -> list[tuple[int, float, float]]:
        """(number, seconds, cost) of each recorded improvement after one number, up to another."""
        columns = IMPROVEMENTS.c
        query = (
            sa.select(columns.number, columns.seconds, columns.cost)
            .where(columns.job == job, columns.number > after)
            .order_by(columns.number)
        )
        if last is not None:
            query = query.where(columns.number <= last)
        with self.engine.connect() as connection:
            return [(n, seconds, cost) for n, seconds, cost in connection.execute(query)]

    def counts(self) -> dict[Status, int]:
        """How many jobs have each status."""
        query = sa.select(JOBS.c.status, sa.func.count()).group_by(JOBS.c.status)
        with self.engine.connect() as connection:
            found = {Status(status): count for status, count in connection.execute(query)}
        return {status: found.get(status, 0) for status in Status}

    def queued(self, connection: sa.Connection) -> int:
        """How many jobs wait."""
        query = sa.select(sa.func.count()).where(JOBS.c.status == Status.QUEUED)
        return connection.scalar(query) or 0

    def cancel(self, job: str) -> None:
        """Ends the job if it waits; asks its worker to end it if it runs."""
        mine = JOBS.c.id == job
        with self.engine.begin() as connection:
            connection.execute(
                sa.update(JOBS).where(mine, JOBS.c.status.in_(OPEN)).values(cancelled=True)
            )
            connection.execute(
                sa.update(JOBS)
                .where(mine, JOBS.c.status == Status.QUEUED)
                .values(status=Status.CANCELLED, finished=time.time())
            )

    def ended(self, before: float, limit: int) -> list[str]:
        """Some of the jobs that ended before that time."""
        query = sa.select(JOBS.c.id).where(JOBS.c.finished < before).limit(limit)
        with self.engine.connect() as connection:
            return list(connection.scalars(query))

    def delete(self, jobs: Sequence[str]) -> None:
        """Deletes the jobs and what is known of them."""
        with self.engine.begin() as connection:
            connection.execute(sa.delete(IMPROVEMENTS).where(IMPROVEMENTS.c.job.in_(jobs)))
            connection.execute(sa.delete(JOBS).where(JOBS.c.id.in_(jobs)))

    # Asked by the workers -------------------------------------------------------------------------

    def begin(self, job: str) -> Job | None:
        """Marks the job as running and counts the attempt; None if there is nothing to do."""
        with self.engine.begin() as connection:
            changed = connection.execute(
                sa.update(JOBS)
                .where(JOBS.c.id == job, JOBS.c.status.in_(OPEN))
                .values(
                    status=Status.RUNNING,
                    started=sa.func.coalesce(JOBS.c.started, time.time()),
                    attempts=JOBS.c.attempts + 1,
                )
            )
        return self.job(job) if changed.rowcount else None

    def advance(
        self,
        job: str,
        seconds: float,
        number: int,
        found: Sequence[Improvement],
        bound: float | None = None,
    ) -> bool:
        """Keeps new bests, numbered from `number`, bound and time spent; whether to go on."""
        values: dict[str, Any] = {"seconds": seconds}
        if bound is not None:
            values["bound"] = bound
        if found:
            best = found[-1]
            assert best.solution is not None
            values |= {"improvements": number + len(found) - 1, "cost": best.cost}
            values |= {"routes": json.dumps(best.solution.routes)}
        rows = [
            {"job": job, "number": number + k, "seconds": new.seconds, "cost": new.cost}
            for k, new in enumerate(found)
        ]
        with self.engine.begin() as connection:
            if rows:
                connection.execute(sa.insert(IMPROVEMENTS), rows)
            connection.execute(sa.update(JOBS).where(JOBS.c.id == job).values(values))
            cancelled = connection.scalar(sa.select(JOBS.c.cancelled).where(JOBS.c.id == job))
        return not cancelled

    def is_cancelled(self, job: str) -> bool:
        """Whether the job is to end."""
        with self.engine.connect() as connection:
            query = sa.select(JOBS.c.cancelled).where(JOBS.c.id == job)
            return bool(connection.scalar(query))

    def prove(self, job: str) -> None:
        """Marks the job as one whose search has ended and whose bound is being proven."""
        with self.engine.begin() as connection:
            connection.execute(
                sa.update(JOBS)
                .where(JOBS.c.id == job, JOBS.c.status == Status.RUNNING)
                .values(status=Status.PROVING)
            )

    def finish(self, job: str, status: Status, *, reason: str | None = None) -> None:
        """Closes an open job."""
        with self.engine.begin() as connection:
            connection.execute(
                sa.update(JOBS)
                .where(JOBS.c.id == job, JOBS.c.status.in_(OPEN))
                .values(status=status, reason=reason, finished=time.time())
            )


def _job(row: sa.Row[Any]) -> Job:
    fields = dict(row._mapping)
    return Job(
        **fields | {"status": Status(fields["status"]), "summary": json.loads(fields["summary"])}
    )
