"""Bounds without a linear programme, worked out by hand."""

import threading

import numpy as np
import pytest

from hcvrp import Instance, Vehicle
from hcvrp.exact.trivial import radial_bound, shortest_trips, trivial_bounds
from hcvrp.exact.watch import Watch
from hcvrp.solution import Objective

CORNER = Instance(
    [2, 2],
    [Vehicle(2, 1.0), Vehicle(4, 0.5)],
    depot=(0, 0),
    customers=[(3, 0), (0, 4)],
)
"""There and back 6 and 8; both vehicles carry 2 units at a pace of 1 per unit of load."""


def test_min_sum_pays_for_every_unit_on_its_way() -> None:
    # (2 · 6 + 2 · 8) · 1/2
    assert radial_bound(CORNER, Objective.MIN_SUM) == pytest.approx(14.0, rel=1e-8)


def test_a_vehicle_carries_no_more_than_there_is() -> None:
    # 10 · 2 · 6 / (2 · 1 + 20 · 0.5), not / (2 · 1 + 1000 · 0.5)
    fleet = [Vehicle(2, 1.0), Vehicle(1000, 0.5)]
    many = Instance([2] * 10, fleet, depot=(0, 0), customers=[(3, 0)] * 10)
    assert radial_bound(many, Objective.MIN_MAX) == pytest.approx(10.0, rel=1e-8)


def test_min_max_is_at_least_the_way_to_the_farthest_customer() -> None:
    # The work, 28, shared by 2 · 1 + 4 · 0.5 is only 7.
    assert radial_bound(CORNER, Objective.MIN_MAX) == pytest.approx(8.0)


def test_min_max_shares_the_work_where_there_is_much() -> None:
    many = Instance([2] * 10, CORNER.vehicles, depot=(0, 0), customers=[(3, 0)] * 10)
    # 10 · 2 · 6 / (2 · 1 + 4 · 0.5)
    assert radial_bound(many, Objective.MIN_MAX) == pytest.approx(30.0, rel=1e-8)


def test_only_vehicles_that_can_carry_a_customer_count() -> None:
    heavy = Instance([3], CORNER.vehicles, depot=(0, 0), customers=[(3, 0)])
    assert radial_bound(heavy, Objective.MIN_SUM) == pytest.approx(12.0)


def test_no_trip_is_shorter_than_to_the_nearest_who_can_be_carried() -> None:
    fleet = [Vehicle(2, 0.5), Vehicle(4, 2.0), Vehicle(1)]
    town = Instance([4, 2], fleet, depot=(0, 0), customers=[(0, 3), (4, 0)])
    # 8 / 0.5, 6 / 2, and nobody.
    assert shortest_trips(town) == pytest.approx([16.0, 3.0, np.inf])


def test_a_detour_that_is_shorter_counts() -> None:
    legs = np.array([[0, 9, 1], [9, 0, 1], [1, 1, 0]], dtype=float)
    # Customer 1 is reached by way of 2: 2 there and 2 back.
    instance = Instance([1, 0], [Vehicle(1)], distances=legs)
    assert radial_bound(instance, Objective.MIN_SUM) == pytest.approx(4.0)


def test_every_customer_is_left_once() -> None:
    row = Instance([0, 0, 0], [Vehicle(1)], depot=(0, 0), customers=[(1, 0), (2, 0), (3, 0)])
    radial, nearest = trivial_bounds(row, Objective.MIN_SUM, Watch(None))
    assert radial == pytest.approx(6.0)
    assert nearest == pytest.approx(3.0)


def test_without_time_there_is_still_a_bound() -> None:
    cancel = threading.Event()
    cancel.set()
    assert len(list(trivial_bounds(CORNER, Objective.MIN_MAX, Watch(None, cancel)))) == 1
