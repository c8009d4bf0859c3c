"""The time that is left, in the forms Python, the core and HiGHS ask for it."""

from __future__ import annotations

import math
import threading
import time

from hcvrp.search import native


class Watch:
    """Counts down a time limit and listens to a cancellation."""

    def __init__(self, time_limit: float | None, cancel: threading.Event | None = None) -> None:
        self.cancel = cancel or threading.Event()
        self._start = time.perf_counter()
        self._limit = math.inf if time_limit is None else time_limit

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self._start

    @property
    def left(self) -> float:
        """Seconds left, 0 once cancelled."""
        return 0.0 if self.cancel.is_set() else max(0.0, self._limit - self.seconds)

    @property
    def over(self) -> bool:
        """Whether time is up or the run was cancelled."""
        return self.left <= 0

    def end(self) -> None:
        """Leaves no more time."""
        self._limit = 0.0

    def part(self, share: float) -> Watch:
        """A watch over a share of the time that is left, with the same cancellation."""
        return Watch(self.left * share, self.cancel)

    def at_most(self, seconds: float) -> Watch:
        """A watch over so many seconds of the time that is left, with the same cancellation."""
        return Watch(min(self.left, seconds), self.cancel)

    def run(self) -> native.core.Run:
        """What is left, for the core."""
        return native.core.Run(self.left, 2**62, -math.inf, self.cancel.is_set, None)
