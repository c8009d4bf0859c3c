"""Remembered trips in place of a plan's own: in the small, and in the search."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hcvrp.generator import generate
from hcvrp.instance import Instance, Vehicle
from hcvrp.search import native
from hcvrp.solution import Objective
from hcvrp.solver import solve

ENOUGH = 10**9


def partition(
    sets: list[list[int]],
    prices: list[float],
    elements: int,
    limit: float,
    comparisons: int = ENOUGH,
) -> list[int]:
    return native.core.cheaper_partition(sets, prices, elements, limit, comparisons)


def cheapest(sets: list[list[int]], prices: list[float], elements: int) -> float:
    """By trying all choices, element by element."""

    def rest(covered: frozenset[int]) -> float:
        if len(covered) == elements:
            return 0.0
        first = min(set(range(elements)) - covered)
        return min(
            (
                price + rest(covered | set(members))
                for members, price in zip(sets, prices, strict=True)
                if first in members and not covered & set(members)
            ),
            default=math.inf,
        )

    return rest(frozenset())


def test_two_pairs_are_cheaper_than_their_crossing() -> None:
    sets = [[0, 1], [2, 3], [0, 2], [1, 3], [0], [1, 2, 3]]
    prices = [3.0, 3.0, 2.0, 3.0, 1.0, 4.5]
    assert sorted(partition(sets, prices, 4, limit=6.0)) == [2, 3]
    assert partition(sets, prices, 4, limit=5.0) == []


def test_what_is_as_dear_as_the_limit_is_no_better() -> None:
    assert partition([[0], [1]], [1.0, 1.0], 2, limit=2.0) == []
    assert partition([[0], [1]], [1.0, 1.0], 2, limit=2.001) != []


def test_elements_without_a_set_have_no_partition() -> None:
    assert partition([[0]], [1.0], 2, limit=100.0) == []
    assert partition([], [], 1, limit=100.0) == []


def test_all_of_64_elements() -> None:
    singles = [[e] for e in range(64)]
    pairs = [[e, e + 1] for e in range(0, 64, 2)]
    found = partition(singles + pairs, [1.0] * 64 + [1.5] * 32, 64, limit=64.0)
    assert sorted(found) == list(range(64, 96))


def test_without_comparisons_nothing_is_found() -> None:
    assert partition([[0, 1], [0], [1]], [1.0, 0.9, 0.9], 2, limit=5.0, comparisons=0) == []


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 7), st.integers(1, 40), st.floats(0.3, 1.5))
def test_the_cheapest_partition_is_found(
    seed: int, elements: int, count: int, share: float
) -> None:
    rng = np.random.default_rng(seed)
    every = [list(c) for k in (1, 2, 3) for c in combinations(range(elements), k)]
    sets = [every[int(k)] for k in rng.integers(len(every), size=count)]
    prices = [float(p) for p in rng.uniform(0.1, 2.0, size=count)]
    limit = share * elements
    best = cheapest(sets, prices, elements)
    found = partition(sets, prices, elements, limit)
    if best >= limit:
        assert found == []
    else:
        assert sorted(e for k in found for e in sets[k]) == list(range(elements))
        assert sum(prices[k] for k in found) == pytest.approx(best, rel=1e-6)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 30))
def test_answers_of_a_search_that_remembers_are_judged(seed: int, customers: int) -> None:
    fleet = [Vehicle(12, 1.0), Vehicle(20, 0.7)]
    instance = generate(customers, fleet=fleet, seed=seed)
    result = solve(instance, "min-sum", "sisr", iterations=9000, seed=seed)
    assert result.solution.violations(instance) == []
    assert result.cost == pytest.approx(result.solution.cost(instance, Objective.MIN_SUM))


@pytest.mark.parametrize("pool", [2, 20, 300])
def test_a_search_that_often_forgets_is_judged(pool: int) -> None:
    instance = generate(30, seed=4)
    problem, objective = native.problem(instance), native.core.Objective.min_sum
    parameters = native.core.SisrParameters(
        mean_removed=6, longest_string=10, split_rate=0.5, split_depth=0.01, blink=0.01,
        log2_power=4, near=40, pool=pool,
    )  # fmt: skip
    start = native.core.savings(problem, objective, native.preparation())
    search = native.core.Sisr(problem, objective, parameters, 1, [start], 1, native.preparation())
    told: list[float] = []
    run = native.core.Run(
        math.inf, 9000, -math.inf, lambda: False, lambda *new: told.append(new[0])
    )
    search.search(run, 0.1, 0.01)
    found = native.solution(search.best)
    assert found.violations(instance) == []
    assert found.cost(instance, Objective.MIN_SUM) == pytest.approx(told[-1])
    assert told[-1] < native.solution(start).cost(instance, Objective.MIN_SUM)


def test_memory_makes_better_plans() -> None:
    """Means over six instances of 80 customers, from the same seeds."""
    instances = [generate(80, seed=seed, fleet=_paper_like()) for seed in range(6)]
    assert _mean_cost(instances, remember=True) < 0.999 * _mean_cost(instances, remember=False)


def _paper_like() -> list[Vehicle]:
    return [Vehicle(20, 1 / 4), Vehicle(25, 1 / 5), Vehicle(30, 1 / 6)]


def _mean_cost(instances: list[Instance], *, remember: bool) -> float:
    options = {"iterations": 60_000, "seed": 1, "remember": remember}
    return float(np.mean([solve(i, "min-sum", "sisr", **options).cost for i in instances]))
