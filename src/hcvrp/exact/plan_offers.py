"""The trips of a list as an offer to vehicles: at these prices, which plans are worth most?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from hcvrp.exact.master import ACTIVE
from hcvrp.exact.plan_master import Plan, PlanDuals
from hcvrp.exact.plan_pricing import GroupPricing, Shares
from hcvrp.search import native

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hcvrp.exact.column_generation import Relaxation
    from hcvrp.exact.pool import Pool
    from hcvrp.exact.watch import Watch
    from hcvrp.solution import Trip

PLANS_PER_PRICING = 15

EXHAUSTIVE = 1 << 60
"""Steps that no search for plans reaches."""


@dataclass(frozen=True)
class Offer:
    """The prices at which the vehicles of a group are asked for plans."""

    pricing: GroupPricing
    prices: native.core.PlanPrices
    vehicles: tuple[int, ...]
    threshold: float

    @cached_property
    def shares(self) -> Shares:
        """Prices that bound the plans' worth."""
        return self.pricing.shares(self.prices)

    def best(self, steps: int) -> native.core.PricedPlans:
        """The plans worth most, as far as so many steps go."""
        return self.pricing.best(self.prices, self.shares, self.threshold, PLANS_PER_PRICING, steps)

    def above(self, threshold: float, most: int) -> native.core.PlanList:
        """All plans worth more than the threshold, if they are no more than so many."""
        return self.pricing.list(self.prices, self.shares, threshold, most)


class TripOffers:
    """Every trip that a solution within `limit` can use, by group of equal vehicles."""

    def __init__(self, relaxation: Relaxation, pool: Pool, limit: float, watch: Watch) -> None:
        self.instance = relaxation.instance
        self.limit = limit
        self._pool = pool
        self._vehicles = [group.vehicles for group in relaxation.groups]
        groups = range(len(relaxation.groups))
        self._numbers = [np.flatnonzero(pool.groups == g) for g in groups]
        self._pricing = [GroupPricing(pool.select(pool.groups == g), watch) for g in groups]

    def at(self, duals: PlanDuals) -> list[Offer]:
        """What each group is asked, for plans within the limit."""
        worth = [0.0, *duals.cover.tolist()]
        cuts = [
            native.core.SubsetRow(sorted(cut.customers), [], float(penalty))
            for cut, penalty in zip(duals.cuts, duals.penalties, strict=True)
            if penalty > ACTIVE
        ]
        offers: list[Offer] = []
        for pricing, vehicles in zip(self._pricing, self._vehicles, strict=True):
            length = self.limit * self.instance.vehicles[vehicles[0]].speed
            prices = native.core.PlanPrices(worth, cuts, length)
            threshold = min(float(duals.vehicles[v]) for v in vehicles) + 1e-9
            offers.append(Offer(pricing, prices, vehicles, threshold))
        return offers

    def trips(self, group: int, numbers: Sequence[int]) -> tuple[Trip, ...]:
        """The trips with these numbers in the list of the group."""
        return tuple(self._pool.trip(int(self._numbers[group][k])) for k in numbers)

    def plan(self, group: int, vehicle: int, numbers: Sequence[int]) -> Plan:
        """The plan of these trips for one of the group's vehicles."""
        trips = tuple(sorted(self.trips(group, numbers)))
        length = float(self._pool.lengths[self._numbers[group][list(numbers)]].sum())
        customers = frozenset(c for trip in trips for c in trip)
        return Plan(vehicle, trips, customers, length / self.instance.vehicles[vehicle].speed)
