"""Self-imitation: the best of the policy's own samples, improved by the search, as examples.

A policy that learns only from its samples knows no more than they show. A short search from the
best of them finds what it missed (in the manner of self-imitation learning, Oh et al. 2018).
"""

from __future__ import annotations

import multiprocessing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from hcvrp.env import Actions, Batch, Trips, instances, solutions, trips
from hcvrp.env.tensors import mapped
from hcvrp.errors import InputError
from hcvrp.solution import Objective
from hcvrp.training import distributed
from hcvrp.workers import Died, Worker, cores

if TYPE_CHECKING:
    from hcvrp.search.improve import Drafts, Improved


@dataclass(frozen=True)
class Example:
    """Instances and a plan of each, and how much they count (`Phase.imitation`)."""

    batch: Batch
    plan: Trips
    objective: Objective
    weight: float


@dataclass(frozen=True)
class Exercise:
    """Instances, the best sample of each (the first), and how much their plans will count."""

    batch: Batch
    drafts: Actions
    objective: Objective
    weight: float
    seed: int


class Tutor:
    """Processes that search while training goes on.

    An exercise is handed in, searched from the next `begin` on, and handed back after that. It is
    copied to the host meanwhile, so a GPU never waits for the conversion.
    """

    def __init__(self, iterations: int) -> None:
        self.iterations = iterations
        self._workers: list[Worker[Drafts, list[Improved]]] = []
        self._next: tuple[Exercise, _OnHost] | None = None
        self._order: Exercise | None = None
        self._gains: list[float] = []

    def hand_in(self, exercise: Exercise) -> None:
        """Takes an exercise in place of any that has not been begun."""
        self._next = exercise, _OnHost(exercise)

    def begin(self) -> None:
        """Sends what was handed in to the search; only after what was begun is handed back."""
        from hcvrp.search.improve import Drafts

        if self._next is None:
            return
        assert self._order is None
        (self._order, copy), self._next = self._next, None
        here = copy.ready()
        problems, plans = instances(here.batch), solutions(here.batch, here.drafts)
        crew = self._crew()
        for k, worker in enumerate(crew):
            share = slice(k, None, len(crew))
            mine, theirs = tuple(problems[share]), tuple(plans[share])
            worker.give(Drafts(mine, theirs, here.objective, self.iterations, here.seed))

    def hand_back(self) -> Example | None:
        """What was begun last, with improved plans; None if nothing was."""
        if self._order is None:
            return None
        order, self._order = self._order, None
        found: dict[int, Improved] = {}
        for k, answer in enumerate(self._answers()):
            found |= zip(range(k, order.batch.size, len(self._workers)), answer, strict=True)
        self._gains += [plan.gain for plan in found.values()]
        plans = [found[number].solution for number in range(order.batch.size)]
        return Example(order.batch, trips(order.batch, plans), order.objective, order.weight)

    def let_go(self) -> None:
        """Forgets all that is under way, and what the search has gained there.

        It waits for a search that was begun: workers take nothing new before they have answered.
        """
        self._next = None
        if self._order is not None:
            self._order = None
            self._answers()

    def gain(self) -> float | None:
        """The mean share of the cost that searches have saved since this was asked last."""
        gains, self._gains = self._gains, []
        return sum(gains) / len(gains) if gains else None

    def close(self) -> None:
        """Ends the processes."""
        for worker in self._workers:
            worker.stop()
        self._workers, self._order, self._next = [], None, None

    def _answers(self) -> list[list[Improved]]:
        """Of all workers, once they are done."""
        answers = []
        for worker in self._workers:
            _, answer = worker.take()
            if isinstance(answer, Died):
                raise InputError(f"a search for training ended early: {answer}")
            answers.append(answer)
        return answers

    def _crew(self) -> list[Worker[Drafts, list[Improved]]]:
        """Begun when first needed; one core is left to whoever trains."""
        if not self._workers:
            from hcvrp.search.improve import improve

            size = max(1, cores() // distributed.processes() - 1)
            self._calm = multiprocessing.get_context("spawn").Event()  # nobody calls them off
            self._workers = [Worker(improve, self._calm, daemon=True) for _ in range(size)]
        return self._workers


def require_search() -> None:
    """Refuses to go on without the search, and says how to get it."""
    try:
        import hcvrp.search.improve  # noqa: F401
    except ImportError as error:
        raise InputError(f"phases that imitate need the search: {error}") from None


class _OnHost:
    """A copy in the host's memory that is under way while the GPU goes on."""

    def __init__(self, exercise: Exercise) -> None:
        self._copy = mapped(exercise, lambda t: t.to("cpu", non_blocking=True))
        self._done: torch.cuda.Event | None = None
        if exercise.batch.points.is_cuda:
            self._done = torch.cuda.Event()  # type: ignore[no-untyped-call]
            self._done.record()

    def ready(self) -> Exercise:
        """The copy, once it is there."""
        if self._done is not None:
            self._done.synchronize()
        return self._copy
