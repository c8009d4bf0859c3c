"""The quick bound: by hand, tight where trips serve one customer, never above a solution."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hcvrp.exact.radial import radial_bound
from hcvrp.generator import generate
from hcvrp.instance import Instance, Vehicle
from hcvrp.solution import Objective
from hcvrp.solver import solve


def test_by_hand() -> None:
    # W = 2·6 + 1·10 = 22; the vehicles carry 4·1 and 3·2 per time.
    fleet = [Vehicle(4, 1), Vehicle(3, 2)]
    instance = Instance([2, 1], fleet, depot=(0, 0), customers=[(3, 0), (3, 4)])
    assert radial_bound(instance, Objective.MIN_MAX) == pytest.approx(2.2)
    assert radial_bound(instance, Objective.MIN_SUM) == pytest.approx(22 / 6)


def test_full_loads_meet_it() -> None:
    instance = Instance([5, 5], [5, 5], depot=(0, 0), customers=[(2, 0), (0, -2)])
    assert radial_bound(instance, Objective.MIN_MAX) == pytest.approx(4)
    assert radial_bound(instance, Objective.MIN_SUM) == pytest.approx(8)


def test_a_matrix_counts_by_its_shortest_ways() -> None:
    # To customer 2 by way of customer 1: 1 + 1 out and 5 back, not 9 + 5.
    instance = Instance([1, 1], [2], distances=[[0, 1, 9], [1, 0, 1], [5, 5, 0]])
    assert radial_bound(instance, Objective.MIN_SUM) == pytest.approx((2 + 7) / 2)
    assert solve(instance, "min-sum", "exact").cost == pytest.approx(7)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(1, 4), st.sampled_from(Objective))
def test_never_above_a_solution(seed: int, n: int, m: int, objective: Objective) -> None:
    instance = generate(n, m, seed=seed)
    found = solve(instance, objective, "sisr", iterations=200)
    assert radial_bound(instance, objective) <= found.cost
