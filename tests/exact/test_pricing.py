"""The compiled parts against plain loops: routes and lists of trips."""

from itertools import combinations, pairwise, permutations

import numpy as np
import pytest

from hcvrp import Instance, Vehicle, generate
from hcvrp.exact.capacity import CapacityCut, premiums
from hcvrp.exact.cuts import Cut
from hcvrp.exact.watch import Watch
from hcvrp.search import native
from hcvrp.solution import trip_length

core = native.core
ALL = 1 << 30
CUSTOMERS = 6


def world(seed: int, *, symmetric: bool) -> tuple[Instance, list[float], list[Cut], list[float]]:
    """Six customers, duals about as large as the detours, and two cuts with their penalties."""
    rng = np.random.default_rng(seed)
    instance = generate(CUSTOMERS, fleet=[Vehicle(14)], seed=seed)
    if not symmetric:
        distances = rng.uniform(size=(CUSTOMERS + 1, CUSTOMERS + 1))
        np.fill_diagonal(distances, 0.0)
        instance = Instance(instance.demands, instance.vehicles, distances=distances)
    everyone = frozenset(range(1, CUSTOMERS + 1))
    cuts = [Cut(frozenset(t), everyone) for t in ((1, 2, 3), (3, 4, 6))]
    duals = [0.0, *rng.uniform(0, 0.8, CUSTOMERS).tolist()]
    return instance, duals, cuts, rng.uniform(0, 0.3, 2).tolist()


def reduced_cost(
    instance: Instance,
    trip: tuple[int, ...],
    duals: list[float],
    cuts: list[Cut],
    penalties: list[float],
) -> float:
    paid = sum(p * cut.coefficient(trip) for cut, p in zip(cuts, penalties, strict=True))
    return 2 * trip_length(instance, trip) - sum(duals[c] for c in trip) + paid


def cheapest_by_set(
    instance: Instance, duals: list[float], cuts: list[Cut], penalties: list[float]
) -> dict[frozenset[int], float]:
    out: dict[frozenset[int], float] = {}
    for size in range(1, CUSTOMERS + 1):
        for chosen in combinations(range(1, CUSTOMERS + 1), size):
            if instance.demands[[c - 1 for c in chosen]].sum() <= 14:
                out[frozenset(chosen)] = min(
                    reduced_cost(instance, trip, duals, cuts, penalties)
                    for trip in permutations(chosen)
                )
    return out


def filled(
    instance: Instance,
    duals: list[float],
    cuts: list[Cut],
    penalties: list[float],
    *,
    reverse: bool,
) -> tuple[core.NgRoutes, core.Prices]:
    rows = [
        core.SubsetRow(sorted(cut.customers), sorted(cut.memory), penalty)
        for cut, penalty in zip(cuts, penalties, strict=True)
    ]
    legs = 2.0 * instance.distances.ravel()
    prices = core.Prices(legs, 14, duals, rows)
    levels = [0, *(int(d) for d in instance.demands)]
    table = core.NgRoutes(native.problem(instance), levels, CUSTOMERS, 1e8)
    assert table.fill(prices, core.Legs(CUSTOMERS), ALL, reverse, Watch(None).run())
    return table, prices


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_with_everyone_a_neighbour_the_best_route_is_the_best_trip(
    seed: int, symmetric: bool, reverse: bool
) -> None:
    instance, duals, cuts, penalties = world(seed, symmetric=symmetric)
    duals = [2 * d for d in duals]
    table, _ = filled(instance, duals, cuts, penalties, reverse=reverse)
    best = table.best(10, 10)
    expected = cheapest_by_set(instance, duals, cuts, penalties)
    assert best.least == pytest.approx(min(0.0, *expected.values()))
    loads = {s: sum(instance.demands[c - 1] for c in s) for s in expected}
    deficit = max(0.0, *(-cost / loads[s] for s, cost in expected.items()))
    assert best.deficit == pytest.approx(deficit)
    if best.least < -1e-9:
        found = reduced_cost(instance, tuple(best.routes[0]), duals, cuts, penalties)
        assert found == pytest.approx(best.least)


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("gap", [0.3, 1.5])
@pytest.mark.parametrize("seed", range(6))
def test_enumeration_lists_exactly_the_trips_within_the_gap(
    seed: int, gap: float, symmetric: bool
) -> None:
    instance, duals, cuts, penalties = world(seed, symmetric=symmetric)
    table, prices = filled(instance, duals, cuts, penalties, reverse=True)
    span = core.TripRange(5.0, 14.0, 5, gap)
    end, customers, first, lengths = core.enumerate_trips(
        native.problem(instance), table, prices, span, 1e8, Watch(None).run()
    )
    assert end == core.PoolEnd.complete
    trips = [tuple(customers[a:b].tolist()) for a, b in pairwise(first)]
    assert lengths == pytest.approx([trip_length(instance, t) for t in trips])
    found = {frozenset(t): reduced_cost(instance, t, duals, cuts, penalties) for t in trips}
    expected = {
        s: cost
        for s, cost in cheapest_by_set(instance, duals, cuts, penalties).items()
        if cost <= gap and sum(instance.demands[c - 1] for c in s) > 5
    }
    assert len(found) == len(trips)
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_with_priced_legs_the_shortest_trip_of_each_set_is_listed(
    seed: int, symmetric: bool
) -> None:
    # A capacity cut pays for coming to its customers, so a detour may have the least reduced cost.
    instance, duals, _, _ = world(seed, symmetric=symmetric)
    sets = [(CapacityCut(frozenset(s), (0.5,)), 0.7) for s in ((1, 2), (2, 3, 5))]
    legs = 2.0 * instance.distances - premiums(sets, 0, CUSTOMERS + 1)
    prices = core.Prices(legs.ravel(), 14, duals, [])
    levels = [0, *(int(d) for d in instance.demands)]
    table = core.NgRoutes(native.problem(instance), levels, CUSTOMERS, 1e8)
    assert table.fill(prices, core.Legs(CUSTOMERS), ALL, True, Watch(None).run())

    def price(trip: tuple[int, ...]) -> float:
        earned = sum(-p * cut.entry(0, trip) for cut, p in sets)
        return reduced_cost(instance, trip, duals, [], []) - earned

    every = [
        trip
        for size in range(1, CUSTOMERS + 1)
        for trip in permutations(range(1, CUSTOMERS + 1), size)
        if instance.demands[[c - 1 for c in trip]].sum() <= 14
    ]
    assert table.best(10, 10).least == pytest.approx(min(0.0, *map(price, every)))
    span = core.TripRange(-1.0, 14.0, 0, 0.4)
    _, customers, first, _ = core.enumerate_trips(
        native.problem(instance), table, prices, span, 1e8, Watch(None).run()
    )
    listed = {frozenset(customers[a:b].tolist()): customers[a:b] for a, b in pairwise(first)}
    assert all(price(tuple(trip.tolist())) <= 0.4 + 1e-9 for trip in listed.values())
    for customer_set in {frozenset(trip) for trip in every}:
        shortest = min(permutations(customer_set), key=lambda trip: trip_length(instance, trip))
        if price(shortest) <= 0.4 - 1e-9:
            found = tuple(listed[customer_set].tolist())
            assert trip_length(instance, found) == pytest.approx(trip_length(instance, shortest))


def test_enumeration_gives_up_when_memory_is_short() -> None:
    instance, duals, cuts, penalties = world(0, symmetric=True)
    table, prices = filled(instance, duals, cuts, penalties, reverse=True)
    span = core.TripRange(-1.0, 14.0, 0, 100.0)
    end, *_ = core.enumerate_trips(
        native.problem(instance), table, prices, span, 1000.0, Watch(None).run()
    )
    assert end == core.PoolEnd.too_many


@pytest.mark.parametrize("gap", [0.2, 0.8])
@pytest.mark.parametrize("seed", range(4))
def test_dropped_legs_are_those_of_no_trip_within_the_gap(seed: int, gap: float) -> None:
    instance, duals, cuts, penalties = world(seed, symmetric=False)
    forth, _ = filled(instance, duals, cuts, penalties, reverse=False)
    start = forth.least_costs()
    back, prices = filled(instance, duals, cuts, penalties, reverse=True)
    legs = core.Legs(CUSTOMERS)
    legs.drop(start, back.least_costs(), prices, gap)
    assert legs.count < CUSTOMERS * (CUSTOMERS - 1)
    least = back.best(10, 10)
    assert back.fill(prices, legs, ALL, True, Watch(None).run())
    if least.least < 0:
        assert back.best(10, 10).least == pytest.approx(least.least)
