"""Min-max proofs: is there a solution in which every vehicle keeps to a time limit?

Branch-price-and-cut over whole vehicle plans. A weighting of vehicle times (the trips' programme)
lets fractions of trips balance the vehicles; a plan is a vehicle's whole work and cannot, so the
programme over plans is far stronger. With prices λ for customers and μ for cuts, and V_v the most
that a plan of vehicle v within the limit is worth,

    Σ λ − Σ μ − Σ_v V_v > 0

proves that no solution keeps to the limit, converged or not. Where the programme has a solution,
subset-row cuts over plans come first; then a customer is given to one vehicle after the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from hcvrp.exact.cuts import separate
from hcvrp.exact.master import ACTIVE
from hcvrp.exact.plan_master import Excluded, Plan, PlanDuals, PlanMaster
from hcvrp.exact.plan_pricing import GroupPricing, Shares
from hcvrp.search import native
from hcvrp.solution import Objective, Solution, Trip

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcvrp.exact.column_generation import Relaxation
    from hcvrp.exact.pool import Pool
    from hcvrp.exact.watch import Watch

MOST_CUSTOMERS = native.core.MOST_PLAN_CUSTOMERS

LEFT_OVER = 1e-7
"""Customers left over below which a programme counts as solved, and above which as refuted."""

CUT_ROUNDS = 12
CUTS_PER_ROUND = 15
MOST_CUTS = 240
PLANS_PER_PRICING = 15
QUICK_STEPS = 100_000
"""Steps of a first look for plans; only when it finds none is the search exhaustive."""

STRICTLY = 1 - 1e-9
"""A solution counts as better if it is cheaper by this factor."""


@dataclass(frozen=True)
class Offer:
    """The prices at which some vehicles, all alike, are asked for plans."""

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


class PlanSearch:
    """The search for solutions within `limit`, which drops with every solution found.

    `pool` holds every trip that a solution within the limit can use; `found` hears of solutions.
    """

    def __init__(
        self,
        relaxation: Relaxation,
        pool: Pool,
        limit: float,
        master: PlanMaster,
        watch: Watch,
        found: Callable[[Solution], None],
    ) -> None:
        self.instance = relaxation.instance
        self.pool = pool
        self.limit = limit
        self.watch = watch
        self.found = found
        groups = relaxation.groups
        self.group_of = {v: g for g, group in enumerate(groups) for v in group.vehicles}
        self.vehicles = range(len(self.instance.vehicles))
        self.master = master
        assert relaxation.proof is not None
        self.weight = relaxation.proof.duals.cover
        self._numbers = [np.flatnonzero(pool.groups == g) for g in range(len(groups))]
        self._pricing = [
            GroupPricing(pool.select(pool.groups == g), watch) for g in range(len(groups))
        ]

    def refute_at_root(self) -> bool:
        """Whether the programme with cuts alone proves that no solution keeps to the limit."""
        return self._settle(self._everything()) is True

    def refute(self) -> bool:
        """Whether no solution keeps to the limit left after the solutions found; False: time is up.

        Depth first, the likeliest vehicle for a customer before the others.
        """
        stack = [self._everything()]
        while stack:
            excluded = stack.pop()
            settled = self._settle(excluded)
            if settled is None:
                return False
            if not settled:
                stack += self._branch(excluded)
        return True

    def _everything(self) -> Excluded:
        return (frozenset(),) * len(self.vehicles)

    def _settle(self, excluded: Excluded) -> bool | None:
        """True: refuted. False: the programme has a fractional solution. None: time is up."""
        self.master.restrict(excluded, self.limit)
        cut_rounds = 0
        while not self.watch.over:
            left_over = self.master.solve(self.watch)
            if left_over is None:
                return None
            if left_over > LEFT_OVER:
                if (refuted := self._price(excluded)) is not False:
                    return refuted
            elif self._is_whole():
                self._accept()
                self.master.restrict(excluded, self.limit)
            elif cut_rounds < CUT_ROUNDS and self._cut():
                cut_rounds += 1
            else:
                return False
        return None

    def _price(self, excluded: Excluded) -> bool | None:
        """Adds plans (False), or proves that there is nothing to find (True); None: time is up."""
        duals = self.master.duals()
        offers = self._offers(duals, excluded)
        for steps in (QUICK_STEPS, 1 << 60):
            margin, proven = float(duals.cover.sum() - duals.penalties.sum()), True
            plans: list[Plan] = []
            for offer in offers:
                answer = offer.best(steps)
                proven = proven and answer.complete
                margin -= answer.value * len(offer.vehicles)
                plans += [self._plan(v, trips) for v in offer.vehicles for trips in answer.plans]
            if proven and margin > LEFT_OVER:
                return True
            if self.master.add(plans):
                return False
        # Neither a plan nor a proof: the limit of numerical precision, or time ran out.
        return None

    def _offers(self, duals: PlanDuals, excluded: Excluded) -> list[Offer]:
        """What each kind of vehicle is asked: those of a group with the same exclusions are one."""
        alike: dict[tuple[int, frozenset[int]], list[int]] = {}
        for v in self.vehicles:
            alike.setdefault((self.group_of[v], excluded[v]), []).append(v)
        active = duals.penalties > ACTIVE
        cuts = [
            native.core.SubsetRow(sorted(self.master.cuts[k].customers), [], float(penalty))
            for k, penalty in zip(np.flatnonzero(active), duals.penalties[active], strict=True)
        ]
        offers: list[Offer] = []
        for (group, others), vehicles in alike.items():
            # What others serve is worth nothing here, which keeps the search's bounds tight.
            worth = np.concatenate([[0.0], duals.cover])
            worth[list(others)] = 0.0
            length = self.limit * self.instance.vehicles[vehicles[0]].speed
            prices = native.core.PlanPrices(worth.tolist(), cuts, sorted(others), length)
            threshold = min(float(duals.vehicles[v]) for v in vehicles) + 1e-9
            offers.append(Offer(self._pricing[group], prices, tuple(vehicles), threshold))
        return offers

    def _plan(self, vehicle: int, trips: list[int]) -> Plan:
        numbers = self._numbers[self.group_of[vehicle]][trips]
        chosen = tuple(sorted(self.pool.trip(int(k)) for k in numbers))
        customers = frozenset(c for trip in chosen for c in trip)
        length = float(self.pool.lengths[numbers].sum())
        time = length / self.instance.vehicles[vehicle].speed
        return Plan(vehicle, chosen, customers, time)

    def _shares(self) -> NDArray[np.float64]:
        """How much of each customer each vehicle serves, shape (vehicles, customers)."""
        shares = np.zeros((len(self.vehicles), self.pool.size))
        for plan, value in self.master.used():
            shares[plan.vehicle, [c - 1 for c in plan.customers]] += value
        return shares

    def _is_whole(self) -> bool:
        """Whether each customer has a vehicle all of whose plans serve it."""
        return bool(self._shares().max(axis=0).min() > 1 - 1e-6)

    def _accept(self) -> None:
        """Takes one plan per vehicle as a solution and asks for a better one from here on.

        Of several visits to a customer the first is kept: by the triangle inequality no trip gets
        longer, and without it there are none.
        """
        routes: list[list[Trip]] = [[] for _ in self.vehicles]
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
        self.limit = min(self.limit, cost) * STRICTLY

    def _cut(self) -> bool:
        """Adds violated cuts over plans; whether there were any."""
        used = self.master.used()
        known = {cut.customers for cut in self.master.cuts}
        room = min(CUTS_PER_ROUND, MOST_CUTS - len(known))
        cuts = separate(
            [tuple(sorted(plan.customers)) for plan, _ in used],
            np.array([value for _, value in used]),
            self.pool.size,
            room,
        )
        fresh = [cut for cut in cuts if cut.customers not in known]
        self.master.add_cuts(fresh)
        return bool(fresh)

    def _branch(self, excluded: Excluded) -> list[Excluded]:
        """The most divided customer, weighted by its price, to each vehicle; likeliest last."""
        share = self._shares()
        divided = 1 - share.max(axis=0)
        priced = divided * self.weight
        customer = int(np.argmax(priced if priced.max() > 1e-9 else divided)) + 1
        children: dict[tuple[int, frozenset[int]], tuple[float, Excluded]] = {}
        for v in self.vehicles:
            alike = (self.group_of[v], excluded[v])
            if customer not in excluded[v] and alike not in children:
                child = tuple(
                    others if u == v else others | {customer} for u, others in enumerate(excluded)
                )
                children[alike] = (float(share[v, customer - 1]), child)
        return [child for _, child in sorted(children.values(), key=lambda item: item[0])]


def is_metric(distances: NDArray[np.float64]) -> bool:
    """Whether no detour through another node is shorter than the direct leg."""
    allowance = 1e-12 * float(distances.max())
    return all(
        bool((distances <= distances[:, k, None] + distances[None, k] + allowance).all())
        for k in range(1, len(distances))
    )
