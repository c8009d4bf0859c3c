"""Keeps a peer's process: asks, listens, and sees to it that the process ends with the run."""

from __future__ import annotations

import contextlib
import json
import math
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import IO, TypeAlias

from hcvrp.errors import InputError
from hcvrp.search.peers.query import Query, Routes
from hcvrp.solution import Solution
from hcvrp.task import Recorder, Result, Task

GRACE = 5.0
"""Seconds beyond its time limit after which a peer is stopped."""

POLL = 0.01
"""Seconds between looks at the task's `cancel`."""

Process: TypeAlias = "subprocess.Popen[str]"


def ask(name: str, task: Task, command: Sequence[str] | None = None) -> Result:
    """The best answer of the peer `name` that the referee accepts.

    The time limit counts from the moment the peer's package is loaded, so that peers are measured
    by their search and not by Python's start; the seconds of the result count all. A given initial
    solution stands until the peer betters it; the peer itself does not hear of it.

    Args:
        name: of the method, for the result and for sentences.
        task: what to solve.
        command: the process to start, if not the worker of that name.

    Raises:
        InputError: when the peer crashes or gives no feasible answer.
    """
    answers = _Answers(name, task)
    argv = command or (sys.executable, "-m", "hcvrp.search.peers.worker", name)
    with tempfile.TemporaryFile("w+") as errors, _process(argv, errors) as process:
        ended_by_itself = _listen(process, task, answers)
        if ended_by_itself and process.wait() != 0:
            last_line = _last_line(errors) or f"exit status {process.returncode}"
            raise InputError(f"method {name} crashed: {last_line}")
    return answers.result()


class _Answers:
    """What the peer has said so far, as the referee sees it."""

    def __init__(self, name: str, task: Task) -> None:
        self.recorder = Recorder(task, name)
        self.refused = ""
        for solution in task.initial:
            self.recorder.improved(solution)

    @property
    def cost(self) -> float:
        history = self.recorder.history
        return history[-1].cost if history else math.inf

    def add(self, routes: Routes) -> None:
        solution = Solution(routes)
        if violations := solution.violations(self.recorder.task.instance):
            self.refused = f": {violations[0]}"
        else:
            self.recorder.improved(solution)

    def result(self) -> Result:
        history = self.recorder.history
        best = history[-1].solution if history else None
        if best is None:
            name = self.recorder.method
            raise InputError(f"method {name} ended without a feasible answer{self.refused}")
        return self.recorder.result(best)


def _listen(process: Process, task: Task, answers: _Answers) -> bool:
    """Collects answers; whether the process ended before it had to be stopped."""
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    query = Query.of(task).line()
    threading.Thread(target=_converse, args=(process, query, lines), daemon=True).start()
    stop = replace(task.stop, time_limit=None, iterations=None)  # those the peer keeps
    deadline = math.inf
    while not stop.reached(cost=answers.cost) and time.perf_counter() < deadline:
        try:
            line = lines.get(timeout=POLL)
        except queue.Empty:
            continue
        if line is None:
            return True
        message = json.loads(line)
        if "routes" in message:
            answers.add(message["routes"])
        elif task.stop.time_limit is not None:
            deadline = time.perf_counter() + task.stop.time_limit + GRACE
    return False


def _converse(process: Process, query: str, lines: queue.SimpleQueue[str | None]) -> None:
    """Sends the query and queues each line of the answer; None at the end."""
    assert process.stdin is not None
    assert process.stdout is not None
    # A process that is already dead says why by its exit status.
    with contextlib.suppress(OSError, ValueError):
        process.stdin.write(query)
        process.stdin.flush()
    with contextlib.suppress(ValueError):
        for line in process.stdout:
            lines.put(line)
    lines.put(None)


@contextlib.contextmanager
def _process(argv: Sequence[str], errors: IO[str]) -> Iterator[Process]:
    """The peer's process, dead and its pipes closed when the block is left.

    It gets a session of its own: Ctrl-C in a terminal is ours to answer.
    """
    pipe = subprocess.PIPE
    process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
        argv, stdin=pipe, stdout=pipe, stderr=errors, text=True, start_new_session=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            assert stream is not None
            with contextlib.suppress(OSError):
                stream.close()


def _last_line(errors: IO[str]) -> str:
    errors.seek(0)
    lines = [line.strip() for line in errors if line.strip()]
    return lines[-1] if lines else ""
