"""Whole vehicle plans: the best one, all good ones, and solutions put together from lists."""

import math
from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest

from hcvrp.exact.cuts import Cut
from hcvrp.exact.watch import Watch
from hcvrp.search import native

core = native.core

FOREVER = 1 << 60


@dataclass(frozen=True)
class Market:
    """Trips with their lengths, and the prices of their customers."""

    customers: int
    trips: list[frozenset[int]]
    lengths: list[float]
    duals: list[float]
    cuts: list[Cut]
    penalties: list[float]

    def worth(self, customers: frozenset[int]) -> float:
        """What a plan for these customers is worth."""
        paid = (
            p
            for cut, p in zip(self.cuts, self.penalties, strict=True)
            if len(cut.customers & customers) > 1
        )
        return math.fsum(self.duals[c] for c in customers) - math.fsum(paid)

    def plans(self, limit: float) -> dict[frozenset[int], float]:
        """The shortest length for each set of customers that a plan within the limit serves."""
        shortest = {frozenset[int](): 0.0}
        for trip, length in zip(self.trips, self.lengths, strict=True):
            for customers, before in list(shortest.items()):
                if not customers & trip and before + length <= limit:
                    key = customers | trip
                    shortest[key] = min(before + length, shortest.get(key, math.inf))
        return shortest

    def pricing(self, limit: float) -> native.core.PlanPricing:
        """The core's view of it."""
        pricing = core.PlanPricing(
            np.array([c for trip in self.trips for c in sorted(trip)], dtype=np.int32),
            np.cumsum([0] + [len(trip) for trip in self.trips], dtype=np.int64),
            np.array(self.lengths),
        )
        rows = [
            core.SubsetRow(sorted(cut.customers), [], p)
            for cut, p in zip(self.cuts, self.penalties, strict=True)
        ]
        pricing.price(core.PlanPrices(self.duals, rows, limit))
        return pricing


def market(rng: np.random.Generator, trips: int) -> Market:
    """Few customers, some without a price; trips of one to three, some of no length."""
    customers = int(rng.integers(3, 9))
    sets = {
        frozenset((1 + rng.permutation(customers)[: rng.integers(1, 4)]).tolist())
        for _ in range(trips)
    }
    lengths = rng.uniform(0.2, 1.0, len(sets)) * rng.choice([0.0, 1.0, 1.0, 1.0], len(sets))
    duals = rng.uniform(0, 1, customers) * rng.choice([0.0, 1.0, 1.0], customers)
    cuts = [Cut(frozenset({1, 2, 3}), frozenset())] if rng.random() < 0.7 else []
    penalties = rng.uniform(0, 1, len(cuts)).tolist()
    return Market(
        customers,
        sorted(sets, key=sorted),
        lengths.tolist(),
        [0.0, *duals.tolist()],
        cuts,
        penalties,
    )


def any_shares(rng: np.random.Generator, customers: int) -> list[list[float]]:
    """Any shares are safe: the search makes up for those that are too small."""
    return [[0.0, *rng.uniform(0, 0.6, customers).tolist()] for _ in range(rng.integers(1, 5))]


@pytest.mark.parametrize("seed", range(60))
def test_the_best_plan_is_found_and_proven(seed: int) -> None:
    rng = np.random.default_rng(seed)
    world, limit = market(rng, 11), float(rng.uniform(0.8, 2.2))
    expected = max(world.worth(plan) for plan in world.plans(limit))
    pricing, shares = world.pricing(limit), any_shares(rng, world.customers)
    for threshold in (0.0, 0.5 * expected, 0.99 * expected, expected + 0.01):
        found = pricing.best(shares, threshold, 5, FOREVER, Watch(None).run())
        assert found.complete
        assert found.value == pytest.approx(max(threshold, expected))


@pytest.mark.parametrize("seed", range(30))
def test_every_plan_above_the_threshold_is_listed_once(seed: int) -> None:
    rng = np.random.default_rng(seed)
    world, limit = market(rng, 11), float(rng.uniform(0.8, 2.2))
    values = sorted(world.worth(plan) for plan in world.plans(limit))
    pricing, shares = world.pricing(limit), any_shares(rng, world.customers)
    for threshold in (-5.0, values[len(values) // 2] + 1e-6, values[-1] + 1e-6):
        expected = sum(value > threshold for value in values)
        found = pricing.list(shares, threshold, 1000, Watch(None).run())
        assert found.complete
        assert len(found) == expected
        assert expected < 3 or not pricing.list(shares, threshold, 1, Watch(None).run()).complete


def fastest(world: Market, speeds: list[float], limit: float) -> float:
    """The least time of the slowest vehicle over all ways to serve everyone within the limit."""
    served = {frozenset[int](): 0.0}
    for speed in speeds:
        following: dict[frozenset[int], float] = {}
        for (before, time), (plan, length) in product(
            served.items(), world.plans(limit * speed).items()
        ):
            if not before & plan:
                key = before | plan
                following[key] = min(max(time, length / speed), following.get(key, math.inf))
        served = following
    return served.get(frozenset(range(1, world.customers + 1)), math.inf)


@pytest.mark.parametrize("vehicles", [1, 2, 3])
@pytest.mark.parametrize("seed", range(25))
def test_lists_of_half_the_allowance_give_the_fastest_solution(seed: int, vehicles: int) -> None:
    rng = np.random.default_rng(1000 * vehicles + seed)
    world = market(rng, 9)
    # Everyone can be served alone, so that there are solutions.
    alone = [frozenset({c}) for c in range(1, world.customers + 1)]
    fresh = [trip for trip in alone if trip not in world.trips]
    lengths = world.lengths + rng.uniform(0.3, 1.0, len(fresh)).tolist()
    world = Market(
        world.customers, world.trips + fresh, lengths, world.duals, world.cuts, world.penalties
    )
    speeds = sorted(rng.choice([1.0, 2.0], vehicles).tolist())
    limit = float(rng.uniform(1.0, 2.5)) * world.customers / (4 * vehicles)
    expected = fastest(world, speeds, limit)
    value = math.fsum(world.duals) - math.fsum(world.penalties)
    pricings = {speed: world.pricing(limit * speed) for speed in speeds}
    ceilings = {
        speed: max(world.worth(plan) for plan in world.plans(limit * speed)) for speed in speeds
    }
    allowance = math.fsum(ceilings[speed] for speed in speeds) - value + 1e-7
    shares = any_shares(rng, world.customers)
    lists = {
        speed: pricing.list(
            shares, ceilings[speed] - allowance / 2 - 1e-7, 10_000, Watch(None).run()
        )
        for speed, pricing in pricings.items()
    }
    choices = [
        core.PlanChoice(pricings[speed], lists[speed], ceilings[speed], speed) for speed in speeds
    ]
    joined = core.join_plans(choices, world.customers, allowance, limit, Watch(None).run())
    assert joined.complete
    assert joined.time == pytest.approx(expected)
    if joined.trips:
        served = [c for numbers in joined.trips for k in numbers for c in world.trips[k]]
        assert sorted(served) == list(range(1, world.customers + 1))
        times = [
            math.fsum(world.lengths[k] for k in numbers) / speed
            for numbers, speed in zip(joined.trips, speeds, strict=True)
        ]
        assert max(times) == pytest.approx(expected)
