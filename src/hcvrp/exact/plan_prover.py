"""Min-max: time limits that no solution can keep, from the relaxation's bound to the best cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hcvrp.exact.column_generation import Relaxation, allowance
from hcvrp.exact.plan_master import PlanMaster
from hcvrp.exact.plans import STRICTLY, PlanSearch, is_metric
from hcvrp.exact.pool import enumerate_pool
from hcvrp.exact.progress import TOO_MANY, Progress

if TYPE_CHECKING:
    from hcvrp.exact.watch import Watch

LONG_LIST = 4e8
"""Bytes for the partial trips of a list; with more trips, searching whole plans is hopeless."""

FINEST_STEP = 0.001
"""Relative width at which the search for the best bound ends."""


class PlanProver:
    """Refutes limits on the longest time; plans and cuts of one limit serve the next."""

    def __init__(self, relaxation: Relaxation, progress: Progress, memory: float) -> None:
        self.relaxation = relaxation
        self.progress = progress
        self.memory = min(memory, LONG_LIST)
        self.watch = progress.watch
        instance = progress.instance
        self.master = PlanMaster(
            instance.size,
            len(instance.vehicles),
            self.watch.cancel,
            exactly_once=not is_metric(instance.distances),
        )

    def run(self) -> None:
        """Half of the gap first; all of it if that was easy; otherwise what time allows."""
        progress = self.progress
        half = (progress.bound + progress.cost) / 2
        if self._refute(half, self.watch.part(0.15), branch=False) and not progress.closed:
            self._refute(progress.cost * STRICTLY, self.watch.part(0.7), branch=True)
        self._halve()

    def _halve(self) -> None:
        """Halves the gap between the bound and the least limit that was not refuted."""
        progress = self.progress
        refuted, still_open = progress.bound, progress.cost
        while not (self.watch.over or progress.closed):
            still_open = min(still_open, progress.cost)
            limit = (refuted + still_open) / 2
            if still_open - refuted < FINEST_STEP * progress.cost:
                if still_open < progress.cost:
                    return
                limit = progress.cost * STRICTLY
            if self._refute(limit, self.watch.part(0.4), branch=True):
                refuted = limit
            else:
                still_open = limit

    def _refute(self, limit: float, watch: Watch, *, branch: bool) -> bool:
        """Whether no solution within the limit exists; with `branch` better ones are taken."""
        progress, proof = self.progress, self.relaxation.proof
        assert proof is not None
        gap = allowance(limit, proof.bound)
        pool = enumerate_pool(self.relaxation, proof, gap, self.memory, watch)
        if pool is None:
            progress.note(TOO_MANY)
            return False
        search = PlanSearch(self.relaxation, pool, limit, self.master, watch, progress.improve)
        refuted = search.refute() if branch else search.refute_at_root()
        if refuted:
            reached = search.limit >= progress.cost * STRICTLY
            progress.raise_bound(progress.cost if reached else search.limit)
        return refuted
