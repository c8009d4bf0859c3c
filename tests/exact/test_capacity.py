"""Capacity cuts: so many vehicles must come to a set of customers."""

import threading
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hcvrp import Instance, Objective, Vehicle
from hcvrp.exact import pool
from hcvrp.exact.capacity import (
    CapacityCut,
    FleetCovers,
    premiums,
    separate,
    visits_from_outside,
)
from hcvrp.exact.column_generation import Relaxation
from hcvrp.exact.cuts import Cut
from hcvrp.exact.fleet import Group, Levels, groups, load_levels
from hcvrp.exact.master import ACTIVE, Column, Duals, priced
from hcvrp.exact.pool import pool_of, tighten
from hcvrp.exact.watch import Watch
from hcvrp.search import savings
from hcvrp.solution import Trip
from hcvrp.task import Task


def fleet(*capacities_and_paces: tuple[int, float]) -> tuple[Group, ...]:
    return tuple(
        Group((v,), float(capacity), pace, capacity)
        for v, (capacity, pace) in enumerate(capacities_and_paces)
    )


def whole(*customers: int) -> Levels:
    return Levels(customers, 1.0, 1, 0, exact=True)


def covers_of(alike: tuple[Group, ...], levels: Levels) -> FleetCovers:
    return FleetCovers(alike, levels, 1e9, Watch(None))


def test_weights_of_twenty_kinds_of_vehicles_are_found_in_time() -> None:
    """Nearly equal ones: almost all of the millions of candidates are surpassed by others."""
    alike = [Group((k,), 10.0, 1.0 + k, 10) for k in range(19)]
    covers = FleetCovers(
        [*alike, Group((19,), 11.0, 20.0, 11)], Levels((5, 5), 1.0, 1, 0, True), 1e9, Watch(None)
    )
    assert covers.weights.shape[0] < 100
    assert covers.least[:, 10].tolist() == covers.weights.min(1).tolist()


@pytest.mark.parametrize(
    ("trip", "times"),
    [((1, 2), 1), ((4, 1, 2, 5), 1), ((1, 4, 2), 2), ((4, 5), 0), ((1, 4, 2, 5, 3), 3)],
)
def test_a_set_is_visited_anew_after_someone_else(trip: Trip, times: int) -> None:
    cut = CapacityCut(frozenset({1, 2, 3}), (0.5, 0.25))
    once = CapacityCut(cut.customers, cut.shares, once=True)
    assert visits_from_outside(cut.customers, trip) == times
    assert cut.entry(1, trip) == -0.25 * times
    assert once.entry(0, trip) == -0.5 * min(times, 1)


@pytest.mark.parametrize(
    ("demand", "vehicles", "cost"),
    [(10, 1, 4.0), (11, 1, 5.0), (15, 1, 6.0), (16, 2, 8.0), (21, 2, 9.0), (28, 2, 12.0)],
)
def test_the_cheapest_fleet_for_a_demand(demand: int, vehicles: int, cost: float) -> None:
    # Capacities 10, 12 and 15 at 4, 5 and 6: for 21 the first two, for 28 two of the third.
    covers = covers_of(fleet((10, 4.0), (12, 5.0), (15, 6.0)), whole(*[4] * 7))
    assert covers.weights[0].tolist() == [1.0, 1.0, 1.0]
    assert covers.weights[-1].tolist() == [4.0, 5.0, 6.0]
    assert covers.least[0, demand] == vehicles
    assert covers.least[-1, demand] == cost


@given(
    st.lists(st.tuples(st.integers(1, 9), st.floats(0.1, 10)), min_size=1, max_size=4),
    st.integers(1, 40),
)
def test_the_cheapest_fleet_is_that_of_one_vehicle_more_than_for_less(
    kinds: list[tuple[int, float]], total: int
) -> None:
    covers = covers_of(fleet(*kinds), whole(total))
    capacities = [capacity for capacity, _ in kinds]
    for weights, least in zip(covers.weights.tolist(), covers.least.tolist(), strict=True):
        expected = [0.0]
        for demand in range(1, total + 1):
            ways = zip(weights, capacities, strict=True)
            expected.append(min(w + expected[max(0, demand - carried)] for w, carried in ways))
        assert least == pytest.approx(expected)


def test_a_vehicle_of_one_level_takes_few_steps() -> None:
    """Many levels, as demands without a common unit make them: 2¹⁸ is more than they are."""
    asked: list[float] = []

    class Counting(Watch):
        @property
        def over(self) -> bool:
            asked.append(0.0)
            return False

    levels = whole(*[1000] * 200)
    covers = FleetCovers(fleet((1, 1.0), (1000, 3.0)), levels, 1e9, Counting(None))
    assert covers.complete
    assert covers.least[-1, [999, 1000, 1001, 200_000]].tolist() == [3.0, 3.0, 4.0, 600.0]
    assert len(asked) <= 19 + 9


def test_fleets_are_weighed_within_time_and_memory() -> None:
    levels, alike = whole(*[1000] * 200), fleet((1, 1.0), (1000, 3.0))
    used = [(0, (1, 2), 0.5), (0, (2, 3), 0.5), (0, (3, 1), 0.5)]
    cancel = threading.Event()
    cancel.set()
    for covers in (
        FleetCovers(alike, levels, 1e6, Watch(None)),
        FleetCovers(alike, levels, 1e9, Watch(0.0)),
        FleetCovers(alike, levels, 1e9, Watch(None, cancel)),
    ):
        assert not covers.complete
        assert separate(used, levels, covers, 10, Watch(None)) == []


def test_weights_rise_with_the_capacity_and_no_steeper() -> None:
    covers = covers_of(fleet((10, 1.0), (12, 1.5), (15, 1.7)), whole(9))
    weights = covers.weights[:-1]
    assert (np.diff(weights, axis=1) >= 0).all()
    assert (weights[:, 1:] <= 2 * weights[:, :1]).all()
    assert {(2.0, 3.0, 4.0), (3.0, 4.0, 5.0), (5.0, 6.0, 8.0)} <= set(map(tuple, weights.tolist()))


def test_three_half_trips_cannot_carry_what_takes_two() -> None:
    # Three customers of demand 1, two to a trip: 1½ trips come, 2 must.
    levels, alike = whole(1, 1, 1), fleet((2, 1.0))
    used = [(0, (1, 2), 0.5), (0, (2, 3), 0.5), (0, (3, 1), 0.5)]
    assert separate(used, levels, covers_of(alike, levels), 10, Watch(None)) == [
        CapacityCut(frozenset({1, 2, 3}), (0.5,))
    ]


def test_a_solution_violates_nothing() -> None:
    levels, alike = whole(1, 1, 1), fleet((2, 1.0))
    used = [(0, (1, 2), 1.0), (0, (3,), 1.0)]
    assert separate(used, levels, covers_of(alike, levels), 10, Watch(None)) == []


def test_no_cut_is_looked_for_when_time_is_up() -> None:
    levels, alike = whole(1, 1, 1), fleet((2, 1.0))
    used = [(0, (1, 2), 0.5), (0, (2, 3), 0.5), (0, (3, 1), 0.5)]
    assert separate(used, levels, covers_of(alike, levels), 10, Watch(0.0)) == []


def two_to_a_trip(customers: int) -> Relaxation:
    """The relaxation for so many customers of demand 1 at distance 1, with a capacity of 2."""
    points = [(1.0, 0.0)] * customers
    instance = Instance([1] * customers, [Vehicle(2)], depot=(0, 0), customers=points)
    levels = load_levels(instance)
    alike = groups(instance, Objective.MIN_SUM, levels)
    return Relaxation(
        instance, Objective.MIN_SUM, alike, levels, lambda _: None, threading.Event(), 1e8
    )


def test_many_cuts_of_hardly_any_price_do_not_raise_the_bound() -> None:
    # One trip to both customers costs 2, which their prices pay. A price of μ for the cut that one
    # trip comes adds μ to the value, and −μ to the reduced cost of the trip.
    cuts = [CapacityCut(frozenset({1, 2}), (1.0,))] * 100_000
    prices = np.full(len(cuts), 0.9 * ACTIVE)
    duals = Duals(np.ones(2), np.ones(1), prices, np.full(len(cuts), -1.0))
    assert duals.value == pytest.approx(2 + 9e-5, abs=1e-9)

    relaxation = two_to_a_trip(2)
    legs = relaxation.prices(0, duals, cuts)
    assert relaxation.routes.fill(legs, relaxation.legs[0], 10, False, Watch(None).run())
    deficit = relaxation.routes.best(1, 1).deficit
    assert duals.value - deficit * relaxation.levels.total == pytest.approx(2.0, abs=1e-9)

    listed = pool_of(2, [Column(0, (1, 2), 2.0)])
    assert duals.value + listed.reduced_costs(duals, cuts)[0] == pytest.approx(2.0, abs=1e-9)


def test_subset_rows_of_hardly_any_price_are_left_out() -> None:
    cuts = [Cut(frozenset({1, 2, 3}), frozenset()), CapacityCut(frozenset({1, 2}), (1.0,))]
    assert priced(cuts, np.array([0.9 * ACTIVE, 0.9 * ACTIVE])) == [(cuts[1], 0.9 * ACTIVE)]
    assert priced(cuts, np.array([2 * ACTIVE, 0.0])) == [(cuts[0], 2 * ACTIVE)]


def test_a_list_is_tightened_from_a_trip_to_each_customer(monkeypatch: pytest.MonkeyPatch) -> None:
    # No other trip to start from: without these the programme would have no solution.
    monkeypatch.setattr(pool, "FIRST_PER_CUSTOMER", 0)
    relaxation, watch = two_to_a_trip(3), Watch(None)
    assert relaxation.converge(watch)
    pairs = [Column(0, trip, 2.0) for trip in ((1, 2), (2, 3), (3, 1))]
    heard: list[float] = []
    tighten(relaxation, pool_of(3, pairs), 5.0, watch, heard.append, enough=len(pairs))
    assert heard == [pytest.approx(3.0)]


def test_the_cheapest_trip_of_each_customer() -> None:
    trips = [Column(0, trip, 1.0) for trip in ((1,), (1, 2), (2, 4), (4,), (2, 1))]
    costs = np.array([3.0, 1.0, 2.0, 2.5, 1.0])
    assert pool_of(4, trips).cheapest_for_each(costs).tolist() == [1, 2]


def test_the_bound_rises_to_two_whole_trips() -> None:
    # Three customers at distance 1, two to a trip: the relaxation has 1½ trips of length 2.
    relaxation, watch = two_to_a_trip(3), Watch(None)
    assert relaxation.converge(watch)
    assert relaxation.proof is not None
    assert relaxation.proof.bound == pytest.approx(3.0)
    assert relaxation.cut_by_capacity(10, watch) == 1
    assert relaxation.converge(watch)
    assert relaxation.proof.bound == pytest.approx(4.0)


@given(st.integers(0, 10**6))
def test_every_solution_satisfies_every_cut(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 12))
    kinds = [rng.integers(1, 6, size), rng.uniform(0, 3, size), rng.integers(0, 3, size) / 2]
    demands = kinds[rng.integers(3)].astype(float)
    capacities = max(1.0, float(demands.max())) * rng.uniform(1, 4, rng.integers(1, 4))
    vehicles = [Vehicle(float(q), float(rng.uniform(0.3, 2))) for q in np.floor(capacities)]
    if max(v.capacity for v in vehicles) < demands.max():
        vehicles.append(Vehicle(float(demands.max())))
    points = rng.uniform(size=(size + 1, 2))
    instance = Instance(demands, vehicles, depot=points[0], customers=points[1:])
    levels = load_levels(instance)
    alike = groups(instance, Objective.MIN_SUM, levels)
    covers = covers_of(alike, levels)
    trips = [trip for _, trip in random_solution(instance, rng)]
    carriers = [fastest(instance, alike, trip) for trip in trips]
    chosen = np.flatnonzero(rng.random(size) < rng.uniform(0.1, 1)) + 1
    if len(chosen) == 0:
        return
    demand = sum(levels.customers[c - 1] for c in chosen)
    for weights in range(len(covers.weights)):
        cut = covers.cut(chosen.tolist(), weights, demand)
        for same in (cut, CapacityCut(cut.customers, cut.shares, once=True)):
            total = sum(same.entry(g, trip) for g, trip in zip(carriers, trips, strict=True))
            assert total <= same.limit + 1e-9


def random_solution(instance: Instance, rng: np.random.Generator) -> list[tuple[int, Trip]]:
    """Half the time savings, half trips in random order closed at random."""
    if rng.random() < 0.5:
        return list(savings.construct(Task(instance, Objective.MIN_SUM)).trips())
    largest = max(range(len(instance.vehicles)), key=lambda v: instance.vehicles[v].capacity)
    trips: list[list[int]] = [[]]
    for c in (1 + rng.permutation(instance.size)).tolist():
        load = float(instance.demands[[k - 1 for k in [*trips[-1], c]]].sum())
        if trips[-1] and (rng.random() < 0.1 or not instance.vehicles[largest].can_carry(load)):
            trips.append([])
        trips[-1].append(c)
    return [(largest, tuple(trip)) for trip in trips]


def fastest(instance: Instance, alike: tuple[Group, ...], trip: Trip) -> int:
    """The group that has the trip in a min-sum solution."""
    load = float(instance.demands[[c - 1 for c in trip]].sum())
    return next(
        g for g, group in enumerate(alike) if instance.vehicles[group.vehicles[0]].can_carry(load)
    )


@given(
    st.permutations(range(1, 8)),
    st.lists(st.tuples(st.sets(st.integers(1, 7), min_size=1), st.floats(0, 5)), min_size=1),
)
def test_the_legs_of_a_trip_are_paid_what_its_visits_earn(
    trip: list[int], priced_sets: list[tuple[set[int], float]]
) -> None:
    priced = [(CapacityCut(frozenset(s), (0.5, 0.2)), price) for s, price in priced_sets]
    legs = premiums(priced, 1, 8)
    nodes = [0, *trip, 0]
    paid = sum(legs[a, b] for a, b in pairwise(nodes))
    assert paid == pytest.approx(sum(-price * cut.entry(1, tuple(trip)) for cut, price in priced))
    assert np.array_equal(legs, legs.T)
