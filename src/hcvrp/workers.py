"""Worker processes: each does one piece of work at a time, over a pipe of its own.

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
from dataclasses import dataclass
from itertools import chain, islice
from multiprocessing.connection import Connection, wait
from multiprocessing.synchronize import Event
from typing import Generic, TypeAlias, TypeVar

Job = TypeVar("Job")
Answer = TypeVar("Answer")

Work: TypeAlias = Callable[[Job, threading.Event], Answer]
"""A function of a module, for it is pickled: a job, and the event that calls it off."""

PARENT_CHECK = 1.0
"""Seconds between two looks at whether the parent still lives."""
CANCEL_CHECK = 0.005
"""Seconds between two looks at whether the caller has cancelled."""


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class Died:
    """In place of an answer: the process ended before it gave one."""

    exit_code: int | None

    def __str__(self) -> str:
        return f"the process ended with exit code {self.exit_code}"


class Worker(Generic[Job, Answer]):
    """A process that does one job at a time; a daemon has no children and ends with its parent."""

    def __init__(self, work: Work[Job, Answer], cancelled: Event, *, daemon: bool = False) -> None:
        # A fresh interpreter: no locks, CUDA contexts or random states of the parent's.
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(
            target=_serve, args=(theirs, os.getpid(), work, cancelled), daemon=daemon
        )
        self.process.start()
        theirs.close()
        self.job: Job | None = None

    def give(self, job: Job) -> None:
        """Hands it a job."""
        self.job = job
        with suppress(BrokenPipeError):  # it has died; `take` will say so
            self.pipe.send(job)

    def take(self) -> tuple[Job, Answer | Died]:
        """Its job and the answer."""
        assert self.job is not None
        job, self.job = self.job, None
        try:
            return job, self.pipe.recv()
        except (EOFError, OSError):  # before the answer, or in the middle of it
            self.process.join()
            return job, Died(self.process.exitcode)

    def stop(self) -> None:
        """Ends the process: at once, whatever it is doing."""
        self.pipe.close()
        self.process.terminate()
        self.process.join()


class Crew(Generic[Job, Answer]):
    """Workers that share a heap of jobs; `cancel` calls off those that are being done."""

    def __init__(
        self, work: Work[Job, Answer], size: int, cancel: threading.Event | None = None
    ) -> None:
        self.size = size
        self._work = work
        self._cancel = cancel
        self._cancelled = multiprocessing.get_context("spawn").Event()
        self._workers: dict[Connection, Worker[Job, Answer]] = {}

    def answers(
        self, jobs: Iterable[Job], more: Callable[[], bool] = lambda: True
    ) -> Iterator[tuple[Job, Answer | Died]]:
        """Jobs with their answers, as they are done; none is begun once `more()` is false."""
        try:
            heap = iter(jobs)
            first = list(islice(heap, self.size))
            # All before the first job: a large one waits in `give` until its worker has started.
            idle = [self._hire() for _ in first]
            for job in chain(first, heap):
                if not idle:
                    yield self._next_answer(idle)
                if not more():
                    break
                idle.pop().give(job)
            while any(worker.job is not None for worker in self._workers.values()):
                yield self._next_answer(idle)
        finally:
            for worker in self._workers.values():
                worker.stop()
            self._workers.clear()

    def _hire(self) -> Worker[Job, Answer]:
        worker = Worker(self._work, self._cancelled)
        self._workers[worker.pipe] = worker
        return worker

    def _next_answer(self, idle: list[Worker[Job, Answer]]) -> tuple[Job, Answer | Died]:
        """A job and its answer; its worker is idle then, or a new one if it died."""
        worker = self._workers[self._next_pipe()]
        job, answer = worker.take()
        if not worker.process.is_alive():
            del self._workers[worker.pipe]
            worker.stop()
            worker = self._hire()
        idle.append(worker)
        return job, answer

    def _next_pipe(self) -> Connection:
        busy = [pipe for pipe, worker in self._workers.items() if worker.job is not None]
        while True:
            ready = wait(busy, None if self._cancel is None else CANCEL_CHECK)
            if ready:
                return ready[0]  # type: ignore[return-value]
            if self._cancel is not None and self._cancel.is_set():
                self._cancelled.set()


class _Cancelled(threading.Event):
    """The event that all processes share, as methods want it."""

    def __init__(self, shared: Event) -> None:
        super().__init__()
        self._shared = shared

    def is_set(self) -> bool:
        return self._shared.is_set()


def _serve(pipe: Connection, parent: int, work: Work[Job, Answer], cancelled: Event) -> None:
    """The life of a worker: it works until the pipe closes or the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    while True:
        try:
            pipe.send(work(pipe.recv(), _Cancelled(cancelled)))
        except (EOFError, BrokenPipeError, ConnectionResetError):
            return


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(PARENT_CHECK)
    os._exit(1)
