"""The durable queue: DBOS, in the same database as the jobs.

A submission is one row in the table of jobs. From there a few at a time are handed over to DBOS,
each together with a mark on its row in one transaction, so that no job is handed over twice or
forgotten. DBOS takes about a millisecond of processor for each, which is thus spent when a job is
about to run and not while its client waits. DBOS gives a job to one worker at a time, in order of
arrival; the job of a worker that died is given out again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sqlalchemy as sa
from dbos import DBOS, DBOSClient, DBOSConfig, EnqueueOptions

from hcvrp.service.order import Order
from hcvrp.service.store import Job, Store

APPLICATION = "hcvrp"
QUEUE = "hcvrp"
WORKFLOW = "solve"
VERSION = "1"
"""Of what workers understand; jobs of another version wait for a worker of theirs."""

POLLING_SECONDS = 0.1
RECOVERIES = 1_000
"""The engine's own limit on attempts, out of the way: `hcvrp.service.work` counts them."""


PRUNED_AT_ONCE = 200


class FullQueueError(Exception):
    """There are more jobs waiting than the server takes."""


class Queue:
    """The server's end of the queue."""

    def __init__(self, store: Store, limit: int) -> None:
        self.store = store
        self.limit = limit
        self._client = DBOSClient(system_database_engine=store.engine, application_name=APPLICATION)
        self._client.register_queue(
            QUEUE, worker_concurrency=1, polling_interval_sec=POLLING_SECONDS
        )

    def submit(self, orders: Sequence[tuple[str, Order]]) -> list[Job]:
        """Accepts as many of the orders as there is room for, in one transaction."""
        with self.store.engine.begin() as connection:
            room = max(0, self.limit - self.store.queued(connection))
            return self.store.add(connection, orders[:room]) if room else []

    def hand_over(self, ahead: int) -> bool:
        """Gives the workers' queue the next waiting jobs, up to `ahead`; whether it is full."""
        with self.store.engine.begin() as connection:
            jobs, full = self.store.hand_over(connection, ahead)
            for job in jobs:
                self._client.enqueue_in_transaction(connection, _options(job), job)
        return full

    def take_up(self, server: str) -> None:
        """Puts back the jobs that ran under this server's name when it ended."""
        pending = self._client.list_workflows(
            status="PENDING", queue_name=QUEUE, load_input=False, load_output=False
        )
        mine = [w.workflow_id for w in pending if _server(w.executor_id) == server]
        if mine:
            self._client.resume_workflows(mine, queue_name=QUEUE)

    def forget(self, job: str) -> None:
        """Takes a waiting job out of the queue."""
        self._client.cancel_workflow(job)

    def prune(self, before: float) -> int:
        """Deletes the jobs that ended before that time, a few at a time; how many they were."""
        count = 0
        while names := self.store.ended(before, PRUNED_AT_ONCE):
            self._client.delete_workflows(names)
            self.store.delete(names)
            count += len(names)
        return count


def listen(engine: sa.Engine, server: str, worker: int, solve: Callable[[str], None]) -> None:
    """The worker's end: from now on `solve` is called with one job after another, in a thread.

    What this worker left unfinished when it last ended is put back into the queue.
    """
    config: DBOSConfig = {
        "name": APPLICATION,
        "application_version": VERSION,
        "executor_id": f"{server}/{worker}",
        "system_database_engine": engine,
        "run_migrations": False,
        "log_level": "ERROR",
    }
    DBOS(config=config)
    DBOS.workflow(name=WORKFLOW, max_recovery_attempts=RECOVERIES)(solve)
    DBOS.listen_queues([QUEUE])
    DBOS.launch()


def _options(job: str) -> EnqueueOptions:
    return {
        "workflow_name": WORKFLOW,
        "queue_name": QUEUE,
        "workflow_id": job,
        "app_version": VERSION,
    }


def _server(executor: str | None) -> str:
    return (executor or "").rpartition("/")[0]
