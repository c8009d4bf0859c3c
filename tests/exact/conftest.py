"""The optimum of a small instance by dynamic programming over all subsets of customers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import permutations

import pytest

from hcvrp import Instance, Objective
from hcvrp.solution import trip_length


@pytest.fixture(scope="session")
def optimum() -> Callable[[Instance, str], float]:
    """The least cost over all solutions of an instance with up to eight customers."""
    return _optimum


def _optimum(instance: Instance, objective: str) -> float:
    if Objective(objective) is Objective.MIN_SUM:
        return _min_sum(instance)
    return _min_max(instance)


def _subsets(whole: int) -> Iterator[int]:
    """All non-empty subsets of a bit set that contain its lowest bit."""
    low = whole & -whole
    rest = part = whole ^ low
    while True:
        yield part | low
        if not part:
            return
        part = (part - 1) & rest


def _trips(instance: Instance) -> list[tuple[float, float]]:
    """(length, load) of the shortest trip through each set of customers."""
    n = instance.size
    out = [(0.0, 0.0)]
    for chosen in range(1, 1 << n):
        customers = [c for c in range(1, n + 1) if chosen >> (c - 1) & 1]
        load = math.fsum(instance.demands[c - 1] for c in customers)
        if not any(v.can_carry(load) for v in instance.vehicles):
            out.append((math.inf, load))
            continue
        out.append((_shortest(instance, customers), load))
    return out


def _shortest(instance: Instance, customers: list[int]) -> float:
    """Held & Karp (1962), spelt out; permutations where they are as quick."""
    if len(customers) <= 3:
        return min(trip_length(instance, order) for order in permutations(customers))
    d = instance.distances
    layer = {(1 << k, k): d[0, c] for k, c in enumerate(customers)}
    for _ in range(len(customers) - 1):
        following: dict[tuple[int, int], float] = {}
        for (seen, last), length in layer.items():
            for k, c in enumerate(customers):
                if not seen >> k & 1:
                    key = (seen | 1 << k, k)
                    value = length + d[customers[last], c]
                    if value < following.get(key, math.inf):
                        following[key] = value
        layer = following
    return float(min(length + d[customers[last], 0] for (_, last), length in layer.items()))


def _partition(prices: list[float]) -> list[float]:
    """For each set the least total price of a partition of it."""
    best = [0.0] * len(prices)
    for whole in range(1, len(prices)):
        best[whole] = min(prices[part] + best[whole ^ part] for part in _subsets(whole))
    return best


def _min_sum(instance: Instance) -> float:
    prices = [
        min((length / v.speed for v in instance.vehicles if v.can_carry(load)), default=math.inf)
        for length, load in _trips(instance)
    ]
    return _partition(prices)[-1]


def _min_max(instance: Instance) -> float:
    trips = _trips(instance)
    everyone = len(trips) - 1
    finish = [math.inf] * len(trips)
    finish[0] = 0.0
    for v in instance.vehicles:
        times = _partition(
            [length / v.speed if v.can_carry(load) else math.inf for length, load in trips]
        )
        following = list(finish)
        for whole in range(1, everyone + 1):
            part = whole
            while part:
                value = max(times[part], finish[whole ^ part])
                if value < following[whole]:
                    following[whole] = value
                part = (part - 1) & whole
        finish = following
    return finish[everyone]
