"""Worker processes: each takes one job at a time over a pipe of its own.

The standard pool keeps its workers waiting for ever when the parent is killed; these notice.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection, wait

from hcvrp.bench.answers import Answer, Job, answer

PARENT_CHECK = 1.0
"""Seconds between two looks at whether the parent still lives."""


class Worker:
    """A process that answers one job at a time."""

    def __init__(self) -> None:
        # A fresh interpreter: no locks, CUDA contexts or random states of the parent's.
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, os.getpid()))
        self.process.start()
        theirs.close()
        self.job: Job | None = None

    def give(self, job: Job) -> None:
        """Hands it a job."""
        self.job = job
        with suppress(BrokenPipeError):  # it has died; `take` will say so
            self.pipe.send(job)

    def take(self) -> tuple[Job, list[Answer]]:
        """The answers to its job; when the process has died they say so."""
        assert self.job is not None
        job, self.job = self.job, None
        try:
            return job, self.pipe.recv()
        except EOFError:
            self.process.join()
            said = f"the process ended with exit code {self.process.exitcode}"
            return job, [Answer(message=said)] * len(job.numbers)

    def stop(self) -> None:
        """Ends the process: at once, whatever it is doing."""
        self.pipe.close()
        self.process.terminate()
        self.process.join()


def answered(
    jobs: Iterable[Job], workers: int, more: Callable[[], bool] = lambda: True
) -> Iterator[tuple[Job, list[Answer]]]:
    """Jobs with their answers, as they are done; none is begun once `more()` is false."""
    crew: dict[Connection, Worker] = {}
    try:
        for job in jobs:
            if len(crew) < workers:
                worker = Worker()
                crew[worker.pipe] = worker
            else:
                worker, done, answers = _next_free(crew)
                yield done, answers
            if not more():
                break
            worker.give(job)
        while any(worker.job for worker in crew.values()):
            _, job, answers = _next_free(crew)
            yield job, answers
    finally:
        for worker in crew.values():
            worker.stop()


def _next_free(crew: dict[Connection, Worker]) -> tuple[Worker, Job, list[Answer]]:
    """A worker that is done, in place of one that died a new one."""
    busy = [pipe for pipe, worker in crew.items() if worker.job]
    worker = crew[wait(busy)[0]]  # type: ignore[index]
    job, answers = worker.take()
    if not worker.process.is_alive():
        del crew[worker.pipe]
        worker.stop()
        worker = Worker()
        crew[worker.pipe] = worker
    return worker, job, answers


def _serve(pipe: Connection, parent: int) -> None:
    """The life of a worker: answers until the pipe closes or the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    while True:
        try:
            pipe.send(answer(pipe.recv()))
        except (EOFError, BrokenPipeError, ConnectionResetError):
            return


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(PARENT_CHECK)
    os._exit(1)
