"""A worker process: takes one job after another from the queue and solves it.

It ends when its standard input closes, so that no worker outlives its server, and is replaced when
it ends for any other reason. A job whose worker died starts again from its best solution, with the
time it had left.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
import traceback
from dataclasses import replace
from functools import partial

from sqlalchemy.exc import SQLAlchemyError

from hcvrp.errors import InputError
from hcvrp.exact import bound
from hcvrp.service import queue
from hcvrp.service.database import connect
from hcvrp.service.order import Order
from hcvrp.service.store import Job, Status, Store
from hcvrp.solver import DEFAULT_METHOD, find_method, solve
from hcvrp.task import Improvement

MOST_ATTEMPTS = 5
"""How often a job may end its worker, or the server end beneath it, before it is given up."""

DATABASE = "HCVRP_DATABASE"
"""The variable that holds the database's URL: a command line would show its password to all."""

NICENESS = 10
"""Workers leave the server the processor whenever it has something to answer."""

PROOF_BYTES = 1e9
"""Memory for the lists of trips of one proof."""

FLUSH_SECONDS = 0.1
HEARTBEAT_SECONDS = 1.0


class Progress:
    """Writes one run's new bests and bounds down a few times a second, and watches for its end."""

    def __init__(self, store: Store, job: Job, order: Order) -> None:
        self.cancel = threading.Event()
        self.best = job.solution
        self._store = store
        self._job = job
        self._order = order
        self._number = job.improvements + 1
        self._cost = float("inf") if job.cost is None else job.cost
        self._bound = job.bound
        self._found: list[Improvement] = []
        self._news = False
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._start = time.monotonic()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Progress:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self._write()

    @property
    def seconds(self) -> float:
        """Time spent on the job, former attempts included."""
        return self._job.seconds + time.monotonic() - self._start

    @property
    def is_proven(self) -> bool:
        """Whether the best is known to be the best there is."""
        return self._bound is not None and self._bound >= self._cost

    def improved(self, new: Improvement) -> None:
        """Called by the method with each new best and each higher bound."""
        self.raised(new.bound)
        with self._lock:
            if new.cost < self._cost:
                self._cost, self.best = new.cost, new.solution
                self._found.append(Improvement(new.cost, self.seconds, 0, new.solution))
                self._news = True

    def raised(self, bound: float | None) -> None:
        """A bound was proven; it counts if it is higher than the last."""
        with self._lock:
            if bound is not None and (self._bound is None or bound > self._bound):
                self._bound = bound
                self._news = True

    def _watch(self) -> None:
        written = time.monotonic()
        while not self._over.wait(FLUSH_SECONDS):
            if self._news or time.monotonic() - written > HEARTBEAT_SECONDS:
                self._write()
                written = time.monotonic()
            elif self._store.is_cancelled(self._job.id):
                self.cancel.set()

    def _write(self) -> None:
        """Keeps the first and the last of the new bests: what lay between nobody would see."""
        with self._lock:
            found, self._found = self._found, []
            bound, self._news = self._bound, False
        found = [self._judged(new) for new in found[:1] + found[1:][-1:]]
        if not self._store.advance(self._job.id, self.seconds, self._number, found, bound):
            self.cancel.set()
        self._number += len(found)

    def _judged(self, new: Improvement) -> Improvement:
        """The same with the referee's cost, which differs from the method's in the last digits."""
        assert new.solution is not None
        cost = new.solution.cost(self._order.instance, self._order.objective)
        return replace(new, cost=cost)


def work(store: Store, name: str) -> None:
    """Solves the job of that name, or goes on where its last worker ended."""
    before = store.job(name)
    if before is not None and before.status == Status.PROVING:
        store.finish(name, Status.DONE)  # its plan is there; a proof that ended a worker is left
        return
    job = store.begin(name)
    if job is None:
        return
    if job.attempts > MOST_ATTEMPTS:
        reason = f"its worker ended {MOST_ATTEMPTS} times while solving it"
        store.finish(name, Status.FAILED, reason=reason)
        return
    try:
        order = store.order(name)
        assert order is not None
        with Progress(store, job, order) as progress:
            _search(job, order, progress)
            cancelled = store.is_cancelled(name)
            if order.certify and not cancelled and not progress.is_proven:
                store.prove(name)
                _prove(order, progress)
    except SQLAlchemyError:
        raise  # nothing about the job: it will be handed out again
    except InputError as error:
        store.finish(name, Status.FAILED, reason=str(error))
    except Exception as error:  # noqa: BLE001  whatever it is, the job must say that it failed
        traceback.print_exc()
        reason = f"method {job.summary['method']} failed: {type(error).__name__}"
        store.finish(name, Status.FAILED, reason=reason)
    else:
        store.finish(name, Status.CANCELLED if cancelled else Status.DONE)


def _search(job: Job, order: Order, progress: Progress) -> None:
    """Runs the method for the time that is left."""
    best = job.solution
    left = order.time_limit - job.seconds
    if best is not None and left <= 0:
        return
    proves = order.method == "exact"
    result = solve(
        order.instance,
        order.objective,
        find_method("exact", memory=PROOF_BYTES) if proves else order.method,
        time_limit=max(0.0, left),
        seed=order.seed,
        initial=() if best is None else best,
        on_improvement=progress.improved,
        cancel=progress.cancel,
    )
    progress.improved(Improvement(result.cost, 0.0, 0, result.solution))
    progress.raised(result.bound)


def _prove(order: Order, progress: Progress) -> None:
    """Proves how far the best can be from the optimum; the plan stands whether or not it works."""
    try:
        proof = bound(
            order.instance,
            order.objective,
            time_limit=order.certify,
            solution=progress.best,
            on_improvement=lambda step: progress.raised(step.bound),
            memory=PROOF_BYTES,
            cancel=progress.cancel,
            seed=order.seed,
        )
    except Exception:  # noqa: BLE001  a failed proof is no reason to withhold the plan
        traceback.print_exc()
        return
    progress.improved(Improvement(proof.cost, 0.0, 0, proof.solution))
    progress.raised(proof.value)


def _work_or_end(store: Store, job: str) -> None:
    """`work`, but a database that fails ends the worker: only then is the job handed out again."""
    try:
        work(store, job)
    except SQLAlchemyError as error:
        _give_up(error)


def _give_up(error: BaseException | None) -> None:
    traceback.print_exception(error)
    os._exit(1)


def _say_ready() -> None:
    """One line for the server; whatever a library prints later goes nowhere."""
    os.write(sys.stdout.fileno(), b"ready\n")
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main() -> None:
    """Works until standard input closes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", required=True)
    parser.add_argument("--worker", type=int, required=True)
    options = parser.parse_args()
    os.nice(NICENESS)
    engine = connect(os.environ[DATABASE])
    store = Store(engine)
    find_method(DEFAULT_METHOD)  # imported now, so that the first job need not wait for it
    threading.excepthook = lambda failure: _give_up(failure.exc_value)
    queue.listen(engine, options.server, options.worker, partial(_work_or_end, store))
    _say_ready()
    sys.stdin.buffer.read()
    os._exit(0)  # at once: the queue hands an unfinished job out again


if __name__ == "__main__":
    main()
