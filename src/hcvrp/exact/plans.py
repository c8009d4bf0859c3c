"""Min-max proofs: can the linear programme over whole plans rule out a limit on the longest time?

A weighting of vehicle times (the trips' programme) lets fractions of trips balance the vehicles; a
plan is a vehicle's whole work and cannot, so the programme over plans is far stronger. With prices
λ for customers and μ for cuts, and V_v the most that a plan of vehicle v within the limit is worth,

    Σ λ − Σ μ − Σ_v V_v > 0

proves that no solution keeps to the limit, converged or not. Where the programme has a solution,
subset-row cuts over plans are added.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from hcvrp.exact.cuts import separate
from hcvrp.exact.plan_master import Plan, PlanDuals, PlanMaster
from hcvrp.exact.plan_offers import EXHAUSTIVE, TripOffers
from hcvrp.exact.progress import STRICTLY
from hcvrp.search import native
from hcvrp.solution import Objective, Solution, Trip

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcvrp.exact.watch import Watch

MOST_CUSTOMERS = native.core.MOST_PLAN_CUSTOMERS

LEFT_OVER = 1e-7
"""Customers left over below which a programme counts as solved, and above which as refuted."""

CUT_ROUNDS = 12
CUTS_PER_ROUND = 15
MOST_CUTS = 240
QUICK_STEPS = 100_000
"""Steps of a first look for plans; only when it finds none is the search exhaustive."""


class PlanProgramme:
    """The programme for the limit of `offers`, which drops with every solution found."""

    def __init__(
        self,
        offers: TripOffers,
        master: PlanMaster,
        watch: Watch,
        found: Callable[[Solution], None],
    ) -> None:
        self.offers = offers
        self.instance = offers.instance
        self.master = master
        self.watch = watch
        self.found = found

    def refute(self) -> PlanDuals | None:
        """Prices that prove that no solution keeps to the limit; None: there was no such proof."""
        self.master.restrict(self.offers.limit)
        cut_rounds = 0
        while not self.watch.over and self.offers.limit > 0:
            left_over = self.master.solve(self.watch)
            if left_over is None:
                return None
            if left_over > LEFT_OVER:
                duals = self.master.duals()
                if (refuted := self._price(duals)) is not False:
                    return duals if refuted else None
            elif self._is_whole():
                self._accept()
                self.master.restrict(self.offers.limit)
            elif cut_rounds < CUT_ROUNDS and self._cut():
                cut_rounds += 1
            else:
                return None
        return None

    def _price(self, duals: PlanDuals) -> bool | None:
        """Adds plans (False), or proves that there is nothing to find (True); None: time is up."""
        offers = self.offers.at(duals)
        for steps in (QUICK_STEPS, EXHAUSTIVE):
            margin, proven = duals.value, True
            plans: list[Plan] = []
            for group, offer in enumerate(offers):
                answer = offer.best(steps)
                proven = proven and answer.complete
                margin -= answer.value * len(offer.vehicles)
                plans += [
                    self.offers.plan(group, v, numbers)
                    for v in offer.vehicles
                    for numbers in answer.plans
                ]
            if proven and margin > LEFT_OVER:
                return True
            if self.master.add(plans):
                return False
        # Neither a plan nor a proof: the limit of numerical precision, or time ran out.
        return None

    def _is_whole(self) -> bool:
        """Whether each customer has a vehicle all of whose plans serve it."""
        shares = np.zeros((len(self.instance.vehicles), self.instance.size))
        for plan, value in self.master.used():
            shares[plan.vehicle, [c - 1 for c in plan.customers]] += value
        return bool(shares.max(axis=0).min() > 1 - 1e-6)

    def _accept(self) -> None:
        """Takes one plan per vehicle as a solution and asks for a better one from here on.

        Of several visits to a customer the first is kept: by the triangle inequality no trip gets
        longer, and without it there are none.
        """
        routes: list[list[Trip]] = [[] for _ in self.instance.vehicles]
        seen: set[int] = set()
        served = {plan.vehicle: plan for plan, _ in self.master.used()}
        for vehicle, plan in served.items():
            for whole in plan.trips:
                trip = tuple(c for c in whole if c not in seen)
                seen.update(trip)
                if trip:
                    routes[vehicle].append(trip)
        solution = Solution(routes)
        cost = solution.cost(self.instance, Objective.MIN_MAX)
        self.found(solution)
        self.offers.limit = min(self.offers.limit, cost) * STRICTLY

    def _cut(self) -> bool:
        """Adds violated cuts over plans; whether there were any."""
        used = self.master.used()
        known = {cut.customers for cut in self.master.cuts}
        room = min(CUTS_PER_ROUND, MOST_CUTS - len(known))
        cuts = separate(
            [tuple(sorted(plan.customers)) for plan, _ in used],
            np.array([value for _, value in used]),
            self.instance.size,
            room,
            self.watch,
        )
        fresh = [cut for cut in cuts if cut.customers not in known]
        self.master.add_cuts(fresh)
        return bool(fresh)


def is_metric(distances: NDArray[np.float64]) -> bool:
    """Whether no detour through another node is shorter than the direct leg."""
    allowance = 1e-12 * float(distances.max())
    return all(
        bool((distances <= distances[:, k, None] + distances[None, k] + allowance).all())
        for k in range(1, len(distances))
    )
