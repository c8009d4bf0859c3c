"""Min-max: the fastest solution within a limit, from lists of whole plans.

At prices λ for customers and μ for cuts let V_v be the most that a plan of vehicle v within the
limit is worth. The plans of a solution are together worth at least Σ λ − Σ μ: every customer is in
one of them, and of several plans at most one has two customers of a cut. So they miss their V_v by

    at most  δ = Σ_v V_v − Σ λ + Σ μ   in all,

and every plan but one by δ/2 or less. Prices that refute a limit just below make δ small and the
plans worth V_v − δ/2 few. They are listed, one for each vehicle but one is chosen in every way that
fits, and the last vehicle serves those who are left, if it can within the limit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hcvrp.exact.plan_offers import EXHAUSTIVE, TripOffers
from hcvrp.search import native
from hcvrp.solution import Solution, Trip

if TYPE_CHECKING:
    from hcvrp.exact.plan_master import PlanDuals
    from hcvrp.exact.plan_offers import Offer
    from hcvrp.exact.watch import Watch

ROUNDING = 1e-7
"""Allowance for the rounding of sums of prices, which are about 1 per customer."""


def fastest(
    offers: TripOffers, duals: PlanDuals, most: int, watch: Watch
) -> tuple[bool, Solution | None]:
    """Whether all solutions within the limit were looked at, and the fastest one seen.

    Gives up (False) where a vehicle has more than `most` plans to list, or when time is up.
    """
    asked = offers.at(duals)
    priced = [offer.best(EXHAUSTIVE) for offer in asked]
    if not all(answer.complete for answer in priced):
        return False, None
    ceilings = [answer.value for answer in priced]
    allowance = ROUNDING - duals.value
    allowance += sum(c * len(offer.vehicles) for c, offer in zip(ceilings, asked, strict=True))
    if allowance < 0:
        return True, None
    lists: list[native.core.PlanList] = []
    for offer, ceiling in zip(asked, ceilings, strict=True):
        lists.append(offer.above(ceiling - allowance / 2 - ROUNDING, most))
        if not lists[-1].complete:
            return False, None
    choices = [
        native.core.PlanChoice(
            offer.pricing.core, plans, ceiling, offers.instance.vehicles[vehicle].speed
        )
        for offer, plans, ceiling in zip(asked, lists, ceilings, strict=True)
        for vehicle in offer.vehicles
    ]
    joined = native.core.join_plans(
        choices, offers.instance.size, allowance, offers.limit, watch.run()
    )
    return joined.complete, _solution(offers, asked, joined.trips)


def _solution(offers: TripOffers, asked: list[Offer], trips: list[list[int]]) -> Solution | None:
    """The solution with these trips, by vehicle in the order of the groups; others stay at home."""
    if not trips:
        return None
    routes: list[tuple[Trip, ...]] = [()] * len(offers.instance.vehicles)
    place = ((g, v) for g, offer in enumerate(asked) for v in offer.vehicles)
    for (group, vehicle), numbers in zip(place, trips, strict=True):
        routes[vehicle] = offers.trips(group, numbers)
    return Solution(routes)
