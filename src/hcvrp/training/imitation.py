"""Self-imitation: the best of the policy's own samples, improved by the search, as examples.

A policy that learns only from its samples knows no more than they show. A short search from the
best of them finds what it missed (in the manner of self-imitation learning, Oh et al. 2018).
"""

from __future__ import annotations

import multiprocessing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hcvrp.env import Actions, Batch, Trips, instances, solutions, trips
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
class _Order:
    """What was handed in, and will be handed back with plans."""

    batch: Batch
    objective: Objective
    weight: float


class Tutor:
    """Processes that search while training goes on: what is handed in is handed back later."""

    def __init__(self, iterations: int) -> None:
        self.iterations = iterations
        self._workers: list[Worker[Drafts, list[Improved]]] = []
        self._order: _Order | None = None
        self._gains: list[float] = []

    def hand_in(
        self, batch: Batch, drafts: Actions, objective: Objective, weight: float, seed: int
    ) -> None:
        """Begins to improve the first sample of each instance."""
        from hcvrp.search.improve import Drafts

        problems, plans = instances(batch), solutions(batch, drafts)
        crew = self._crew()
        for k, worker in enumerate(crew):
            share = slice(k, None, len(crew))
            worker.give(
                Drafts(
                    tuple(problems[share]), tuple(plans[share]), objective, self.iterations, seed
                )
            )
        self._order = _Order(batch, objective, weight)

    def hand_back(self) -> Example | None:
        """What was handed in last, with improved plans; None if nothing was."""
        if self._order is None:
            return None
        order, self._order = self._order, None
        found: dict[int, Improved] = {}
        for k, worker in enumerate(self._workers):
            _, answer = worker.take()
            if isinstance(answer, Died):
                raise RuntimeError(f"a search for training ended early: {answer}")
            found |= zip(range(k, order.batch.size, len(self._workers)), answer, strict=True)
        self._gains += [plan.gain for plan in found.values()]
        plans = [found[number].solution for number in range(order.batch.size)]
        return Example(order.batch, trips(order.batch, plans), order.objective, order.weight)

    def gain(self) -> float | None:
        """The mean share of the cost that searches have saved since this was asked last."""
        gains, self._gains = self._gains, []
        return sum(gains) / len(gains) if gains else None

    def close(self) -> None:
        """Ends the processes."""
        for worker in self._workers:
            worker.stop()
        self._workers, self._order = [], None

    def _crew(self) -> list[Worker[Drafts, list[Improved]]]:
        """Begun when first needed; one core is left to whoever trains."""
        if not self._workers:
            from hcvrp.search.improve import improve

            size = max(1, cores() // distributed.processes() - 1)
            self._calm = multiprocessing.get_context("spawn").Event()  # nobody calls them off
            self._workers = [Worker(improve, self._calm, daemon=True) for _ in range(size)]
        return self._workers
