"""Min-max: time limits that no solution can keep, from the relaxation's bound to the best cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hcvrp.exact.column_generation import Proof, Relaxation, allowance
from hcvrp.exact.cuts import Cut
from hcvrp.exact.plan_list import fastest
from hcvrp.exact.plan_master import PlanDuals, PlanMaster
from hcvrp.exact.plan_offers import TripOffers
from hcvrp.exact.plans import PlanProgramme, is_metric
from hcvrp.exact.pool import enumerate_pool
from hcvrp.exact.progress import STRICTLY, TOO_MANY, Progress

if TYPE_CHECKING:
    from hcvrp.exact.watch import Watch

LONG_LIST = 4e8
"""Bytes for the partial trips of a list; with more trips, searching whole plans is hopeless."""

FINEST_STEP = 0.001
"""Relative width at which the linear programme is asked no more."""

STEP_TIME, LIST_TIME = 0.1, 0.4
"""Shares of the time that is left: for one step of the programme, for a long list."""

FEW_PLANS, MANY_PLANS = 30_000, 3_000_000
"""Plans of a vehicle that are listed at once, and when the programme can do no more."""

BYTES_PER_PLAN = 100
"""Of a plan in its list, about; the lists of all groups of equal vehicles are there at once."""

SHARES = (0.25, 0.5, 0.75, 1.0)
"""Shares of the gap within which plans are listed: lists grow fast, and a short one may have it."""


class PlanProver:
    """Refutes limits on the longest time; plans, cuts and prices of one limit serve the next."""

    def __init__(self, relaxation: Relaxation, progress: Progress, memory: float) -> None:
        self.relaxation = relaxation
        self.progress = progress
        self.memory = min(memory, LONG_LIST)
        listed = BYTES_PER_PLAN * len(relaxation.groups)
        self.most_plans = int(min(MANY_PLANS, memory / listed))
        self.watch = progress.watch
        instance = progress.instance
        self.master = PlanMaster(
            instance.size,
            len(instance.vehicles),
            self.watch.cancel,
            exactly_once=not is_metric(instance.distances),
        )
        assert relaxation.proof is not None
        self.prices = _plan_prices(relaxation.proof, len(instance.vehicles))

    def run(self) -> None:
        """The programme raises the bound until the plans that matter can be listed."""
        progress = self.progress
        self._climb()
        refuted = progress.bound
        for share in SHARES:
            limit = refuted + share * (progress.cost * STRICTLY - refuted)
            time = self.watch.part(LIST_TIME)
            if progress.closed or time.over or not self._list(limit, MANY_PLANS, time):
                return

    def _climb(self) -> None:
        """Halves the gap between the bound and the least limit that the programme left open.

        After each limit refuted a short list of plans may end the proof.
        """
        progress = self.progress
        still_open = progress.cost
        while not (self.watch.over or progress.closed):
            still_open = min(still_open, progress.cost)
            limit = (progress.bound + still_open) / 2
            if still_open - limit < FINEST_STEP * progress.cost:
                return
            if self._refute(limit, self.watch.part(STEP_TIME)):
                self._list(progress.cost * STRICTLY, FEW_PLANS, self.watch.part(STEP_TIME))
            else:
                still_open = limit

    def _refute(self, limit: float, watch: Watch) -> bool:
        """Whether the programme proves that no solution keeps to the limit."""
        offers = self._offers(limit, watch)
        if offers is None:
            return False
        prices = PlanProgramme(offers, self.master, watch, self.progress.improve).refute()
        if prices is None:
            return False
        self.prices = prices
        self.progress.raise_bound(offers.limit)
        return True

    def _list(self, limit: float, most: int, watch: Watch) -> bool:
        """Whether lists of plans gave the fastest solution within the limit, or proved none."""
        offers = self._offers(limit, watch)
        if offers is None:
            return False
        complete, solution = fastest(offers, self.prices, min(most, self.most_plans), watch)
        if solution is not None:
            self.progress.improve(solution)
            if self.progress.cost > limit:  # refused: there may be others within the limit
                return False
        if complete:
            self.progress.raise_bound(limit)
        return complete

    def _offers(self, limit: float, watch: Watch) -> TripOffers | None:
        """Every trip that a solution within the limit can use; None: too many."""
        proof = self.relaxation.proof
        assert proof is not None
        gap = allowance(limit, proof.bound)
        pool = enumerate_pool(self.relaxation, proof, gap, self.memory, watch)
        if pool is None:
            self.progress.note(TOO_MANY)
            return None
        return TripOffers(self.relaxation, pool, limit, watch)


def _plan_prices(proof: Proof, vehicles: int) -> PlanDuals:
    """The prices of the trips' programme for plans, about 1 per customer.

    Of the cuts only subset rows hold for plans; min-max has no others.
    """
    total = float(proof.duals.cover.sum())
    scale = len(proof.duals.cover) / total if total > 0 else 1.0
    cuts = tuple(cut for cut in proof.cuts if isinstance(cut, Cut))
    rows = [isinstance(cut, Cut) for cut in proof.cuts]
    return PlanDuals(
        scale * proof.duals.cover, np.zeros(vehicles), scale * proof.duals.penalties[rows], cuts
    )
