"""Runs of one method side by side, each on a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from hcvrp.task import Improvement, Recorder, Task

Found = TypeVar("Found")


class SharedRecorder(Recorder):
    """A recorder for several runs at once: a new best is better than those of all of them."""

    def __init__(self, task: Task, method: str) -> None:
        super().__init__(task, method)
        self._turn = threading.Lock()

    def add(self, improvement: Improvement) -> None:
        """Notes it if no other run has found as good a one meanwhile."""
        with self._turn:
            if not self.history or improvement.cost < self.history[-1].cost:
                super().add(improvement)


def side_by_side(run: Callable[[int], Found], threads: int, enough: threading.Event) -> list[Found]:
    """What run(0), run(1), … find; one that fails sets `enough`, which the others listen to."""

    def watched(number: int) -> Found:
        try:
            return run(number)
        except BaseException:
            enough.set()
            raise

    if threads == 1:
        return [run(0)]
    with ThreadPoolExecutor(threads) as pool:
        try:
            return list(pool.map(watched, range(threads)))
        finally:
            enough.set()  # Ctrl-C is heard here: the runs must hear of it
