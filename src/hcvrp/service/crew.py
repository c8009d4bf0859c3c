"""The server's worker processes: started, watched, and replaced when they die."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import threading
import time

from hcvrp.service.settings import Settings
from hcvrp.service.work import DATABASE

WATCH_SECONDS = 0.2
SHORT_LIFE = 5.0
LONGEST_PAUSE = 30.0


class _Seat:
    """One place in the crew: the process in it, and when it was filled."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.filled = 0.0
        self.pause = 0.0

    @property
    def is_alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    @property
    def is_listening(self) -> bool:
        """Whether the worker has said that it takes jobs."""
        if not self.is_alive:
            return False
        assert self.process is not None
        assert self.process.stdout is not None
        said, _, _ = select.select([self.process.stdout], [], [], 0)
        return bool(said)

    def close(self) -> None:
        """Lets go of the worker, which is its sign to end."""
        if self.process is not None:
            assert self.process.stdin is not None
            assert self.process.stdout is not None
            self.process.stdin.close()
            self.process.stdout.close()


class Crew:
    """As many workers as the settings say, from `with` to its end."""

    def __init__(self, settings: Settings) -> None:
        self.replaced = 0
        self._settings = settings
        self._seats = [_Seat() for _ in range(settings.workers)]
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="crew", daemon=True)

    def __enter__(self) -> Crew:
        for number, seat in enumerate(self._seats):
            self._fill(number, seat)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        for seat in self._seats:
            seat.close()
        for process in [seat.process for seat in self._seats if seat.process is not None]:
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    @property
    def alive(self) -> int:
        """How many workers there are at this moment."""
        return sum(seat.is_alive for seat in self._seats)

    @property
    def listening(self) -> int:
        """How many of them take jobs already."""
        return sum(seat.is_listening for seat in self._seats)

    def _watch(self) -> None:
        while not self._over.wait(WATCH_SECONDS):
            for number, seat in enumerate(self._seats):
                if not seat.is_alive and time.monotonic() >= seat.filled + seat.pause:
                    try:
                        self._fill(number, seat)
                        self.replaced += 1
                    except OSError as error:  # no memory, no processes: perhaps later
                        print(f"hcvrp: worker {number} cannot start: {error}", file=sys.stderr)

    def _fill(self, number: int, seat: _Seat) -> None:
        """Starts a worker; one that dies young makes the next one wait, longer each time."""
        lived = time.monotonic() - seat.filled
        if seat.process is not None:
            seat.close()
            young = lived < SHORT_LIFE + seat.pause
            seat.pause = min(LONGEST_PAUSE, 1.0 + 2 * seat.pause) if young else 0.0
        seat.filled = time.monotonic()
        command = [sys.executable, "-m", "hcvrp.service.work"]
        command += ["--server", self._settings.name, "--worker", str(number)]
        seat.process = subprocess.Popen(  # noqa: S603  our own module
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the server alone
            env=os.environ | {DATABASE: self._settings.database, "OMP_NUM_THREADS": "1"},
        )
