"""Equal vehicles as groups, loads as whole numbers."""

import math

import numpy as np
import pytest

from hcvrp import Instance, Objective, Vehicle
from hcvrp.exact.fleet import groups, load_levels


def instance(demands: list[float], vehicles: list[Vehicle]) -> Instance:
    points = [(float(k), 0.0) for k in range(1, len(demands) + 1)]
    return Instance(demands, vehicles, depot=(0, 0), customers=points)


def test_demands_with_a_common_unit_are_exact_levels() -> None:
    levels = load_levels(instance([0.2, 0.6, 0.4], [Vehicle(1.0)]))
    assert levels.exact
    assert levels.customers == (1, 3, 2)
    assert levels.of(1.0) == 5
    assert levels.of(0.99) == 4


def test_demands_just_below_a_level_still_fill_the_vehicle() -> None:
    """In single precision 0.04 + 0.02 is 0.06 to the last digit, and less than 60 thousandths."""
    demands, capacity = [float(np.float32(x)) for x in (0.04, 0.02)], float(np.float32(0.06))
    task = instance(demands, [Vehicle(capacity), Vehicle(1.0)])
    assert task.vehicles[0].can_carry(sum(demands))
    levels = load_levels(task)
    assert levels.of(capacity) >= levels.total

    more = instance([*demands, demands[1]], task.vehicles)
    levels = load_levels(more)
    assert levels.customers == (2, 1, 1)
    assert levels.of(capacity) == 3


def test_demands_without_a_common_unit_are_rounded_down_to_a_grid() -> None:
    levels = load_levels(instance([0.5, 2**0.5 / 4, 0.5], [Vehicle(1.0)]))
    assert not levels.exact
    assert levels.customers == (500, 353, 500)
    assert levels.of(1.0) == 1000


def test_a_customer_without_demand_still_has_a_level() -> None:
    # At most three customers fit one trip, so levels are 4 × demand + 1 and 3 more fit on top.
    levels = load_levels(instance([0, 1, 2, 2], [Vehicle(3)]))
    assert levels.exact
    assert levels.customers == (1, 5, 9, 9)
    assert levels.of(3) == 4 * 3 + 3
    assert levels.total == 24


@pytest.mark.parametrize("demands", [[1.0, 2.0, 4.0], [0.1, 2**0.5, 3.0], [0.0, 0.0, 0.0]])
def test_where_all_vehicles_carry_everything_each_customer_counts_one(demands: list[float]) -> None:
    task = instance(demands, [Vehicle(1e6), Vehicle(math.fsum(demands) or 1.0, 2.0)])
    levels = load_levels(task)
    assert levels.customers == (1, 1, 1)
    assert [g.level for g in groups(task, Objective.MIN_MAX, levels)] == [3, 3]


def test_a_capacity_counts_up_to_all_there_is() -> None:
    task = instance([1, 2, 4], [Vehicle(1e6), Vehicle(8e6), Vehicle(5)])
    levels = load_levels(task)
    assert levels.exact
    assert levels.customers == (1, 2, 4)
    found = groups(task, Objective.MIN_MAX, levels)
    assert [(g.vehicles, g.level) for g in found] == [((0, 1), 7), ((2,), 5)]
    grid = load_levels(instance([0.5, 2**0.5 / 4, 0.5], [Vehicle(1e6), Vehicle(1.0)]))
    assert grid.of(1.0) < 1000
    assert grid.of(1.0 + 2**0.5 / 4) == 1000


def test_min_max_groups_equal_vehicles() -> None:
    fleet = [Vehicle(3, 1.0), Vehicle(5, 1.0), Vehicle(3, 1.0)]
    task = instance([1, 2, 3], fleet)
    found = groups(task, Objective.MIN_MAX, load_levels(task))
    assert [(g.vehicles, g.capacity) for g in found] == [((1,), 5.0), ((0, 2), 3.0)]


def test_min_sum_keeps_only_vehicles_that_carry_more_than_faster_ones() -> None:
    # The slow small one is never of use; the slow large one only for loads above 3.
    fleet = [Vehicle(5, 0.5), Vehicle(3, 1.0), Vehicle(2, 0.25)]
    task = instance([1, 2, 3], fleet)
    found = groups(task, Objective.MIN_SUM, load_levels(task))
    assert [(g.vehicles, g.above, g.above_level) for g in found] == [
        ((1,), -1.0, 0),
        ((0,), 3.0, 3),
    ]
    assert [g.pace for g in found] == pytest.approx([1.0, 2.0])
