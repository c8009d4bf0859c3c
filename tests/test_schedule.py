import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hcvrp
from hcvrp.schedule import Visit, timed_trips, visits


@pytest.fixture
def triangle():
    """Legs by hand: 0–1 is 3, 1–2 is 4, 2–0 is 5, 0–3 is 5."""
    return hcvrp.Instance(
        [2, 3, 4.5],
        [hcvrp.Vehicle(5), hcvrp.Vehicle(10, 2.0), hcvrp.Vehicle(1)],
        depot=(0, 0),
        customers=[(3, 0), (3, 4), (0, -5)],
    )


def test_loads_fall_and_arrivals_follow_the_road(triangle):
    solution = hcvrp.Solution([[[1, 2]], [[3]], []])
    assert visits(triangle, solution) == [
        Visit(vehicle=0, trip=0, order=0, customer=1, demand=2, load_after=3, arrival=3),
        Visit(vehicle=0, trip=0, order=1, customer=2, demand=3, load_after=0, arrival=7),
        Visit(vehicle=1, trip=0, order=0, customer=3, demand=4.5, load_after=0, arrival=2.5),
    ]


def test_the_next_trip_starts_when_the_last_is_back(triangle):
    solution = hcvrp.Solution([[], [[1, 2], [3]], []])
    first, second = timed_trips(triangle, solution)
    assert (first.start, first.end, first.load) == (0, 6, 5)
    assert (second.start, second.end, second.load) == (6, 11, 4.5)
    assert second.visits[0].arrival == 6 + 2.5
    assert (second.vehicle, second.trip) == (1, 1)


def test_asymmetric_roads_are_driven_in_their_direction():
    one_way = [[0, 1, 10], [10, 0, 2], [4, 10, 0]]
    instance = hcvrp.Instance([1, 1], [2], distances=one_way)
    (trip,) = timed_trips(instance, hcvrp.Solution([[[1, 2]]]))
    assert [stop.arrival for stop in trip.visits] == [1, 3]
    assert trip.end == 7


@given(st.integers(1, 40), st.sampled_from([1, 3, 7]), st.integers(0, 1000))
def test_the_schedule_agrees_with_the_referee(customers, vehicles, seed):
    instance = hcvrp.generate(customers, vehicles, seed=seed)
    solution = hcvrp.solve(instance, "min-max", "savings").solution
    ends = np.zeros(vehicles)
    for trip in timed_trips(instance, solution):
        assert trip.start == ends[trip.vehicle]
        ends[trip.vehicle] = trip.end
        assert trip.visits[-1].load_after == 0
        assert instance.vehicles[trip.vehicle].can_carry(trip.load)
    assert ends.tolist() == solution.vehicle_times(instance).tolist()
    assert all(
        solution.routes[s.vehicle][s.trip][s.order] == s.customer
        for s in visits(instance, solution)
    )
