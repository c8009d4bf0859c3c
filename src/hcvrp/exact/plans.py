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
from typing import TYPE_CHECKING

import numpy as np

from hcvrp.exact.cuts import separate
from hcvrp.exact.master import ACTIVE
from hcvrp.exact.plan_master import Excluded, Plan, PlanDuals, PlanMaster
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
QUICK_STEPS = 20_000
"""Steps of a first look for plans; only when it finds none is the search exhaustive."""

STRICTLY = 1 - 1e-9
"""A solution counts as better if it is cheaper by this factor."""


class PlanSearch:
    """The search for solutions within `limit`, which drops with every solution found.

    `pool` holds every trip that a solution within the limit can use; `found` hears of solutions.
    """

    def __init__(
        self,
        relaxation: Relaxation,
        pool: Pool,
        limit: float,
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
        self.master = PlanMaster(
            pool.size, len(self.vehicles), exactly_once=not _is_metric(self.instance.distances)
        )
        assert relaxation.proof is not None
        self.weight = relaxation.proof.duals.cover
        self._detours = [
            [0.0, *(self.weight / weight).tolist()] if weight > 0 else [0.0] * (pool.size + 1)
            for weight in relaxation.proof.duals.weights
        ]
        self._numbers = [np.flatnonzero(pool.groups == g) for g in range(len(groups))]
        self._pricing = []
        for g in range(len(groups)):
            part = pool.select(pool.groups == g)
            self._pricing.append(native.core.PlanPricing(part.customers, part.first, part.lengths))

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
            left_over = self.master.solve(self.watch.left)
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
        for steps in (QUICK_STEPS, 1 << 60):
            plans, margin = self._best_plans(duals, excluded, steps)
            if margin is not None and margin > LEFT_OVER:
                return True
            if self.master.add(plans):
                return False
        # Neither a plan nor a proof: the limit of numerical precision, or time ran out.
        return None

    def _best_plans(
        self, duals: PlanDuals, excluded: Excluded, steps: int
    ) -> tuple[list[Plan], float | None]:
        """Plans worth more than their vehicle's price, and Σ λ − Σ μ − Σ V if V is proven."""
        cuts = [
            native.core.SubsetRow(sorted(cut.customers), [], float(penalty))
            for cut, penalty in zip(self.master.cuts, duals.penalties, strict=True)
            if penalty > ACTIVE
        ]
        margin: float | None = float(duals.cover.sum() - duals.penalties.sum())
        plans: list[Plan] = []
        answers: dict[tuple[int, frozenset[int]], native.core.PricedPlans] = {}
        for v in self.vehicles:
            alike = (self.group_of[v], excluded[v])
            if alike not in answers:
                threshold = min(
                    float(duals.vehicles[u])
                    for u in self.vehicles
                    if (self.group_of[u], excluded[u]) == alike
                )
                # What others serve is worth nothing here, which keeps the search's bounds tight.
                worth = np.concatenate([[0.0], duals.cover])
                worth[list(excluded[v])] = 0.0
                prices = native.core.PlanPrices(
                    worth.tolist(),
                    cuts,
                    sorted(excluded[v]),
                    self._detours[alike[0]],
                    self.limit * self.instance.vehicles[v].speed,
                    threshold + 1e-9,
                )
                answers[alike] = self._pricing[alike[0]].best(
                    prices, PLANS_PER_PRICING, steps, self.watch.run()
                )
            answer = answers[alike]
            plans += [self._plan(v, trips) for trips in answer.plans]
            margin = margin - answer.value if margin is not None and answer.complete else None
        return plans, margin

    def _plan(self, vehicle: int, trips: list[int]) -> Plan:
        numbers = self._numbers[self.group_of[vehicle]][trips]
        customers = frozenset(c for k in numbers for c in self.pool.trip(int(k)))
        length = float(self.pool.lengths[numbers].sum())
        time = length / self.instance.vehicles[vehicle].speed
        return Plan(vehicle, tuple(numbers.tolist()), customers, time)

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
            for k in plan.trips:
                trip = tuple(c for c in self.pool.trip(k) if c not in seen)
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


def _is_metric(distances: NDArray[np.float64]) -> bool:
    """Whether no detour through another node is shorter than the direct leg."""
    allowance = 1e-12 * float(distances.max())
    return all(
        bool((distances <= distances[:, k, None] + distances[None, k] + allowance).all())
        for k in range(1, len(distances))
    )
