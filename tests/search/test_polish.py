"""Set partitioning against brute force, and as a partner of the search."""

import builtins
import threading
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hcvrp.errors import InputError
from hcvrp.generator import generate
from hcvrp.instance import Instance, Vehicle
from hcvrp.search import native
from hcvrp.search.polish import Trips, polish
from hcvrp.solution import Objective, Solution, Trip, trip_length
from hcvrp.solver import solve
from hcvrp.task import Improvement

pytest.importorskip("highspy")

OBJECTIVES = tuple(Objective)


def every_trip(instance: Instance) -> list[Trip]:
    """The shortest order of every set of customers that some vehicle can carry."""
    trips = []
    for size in range(1, instance.size + 1):
        for chosen in combinations(range(1, instance.size + 1), size):
            load = sum(instance.demands[c - 1] for c in chosen)
            if any(v.can_carry(load) for v in instance.vehicles):
                trips.append(min(permutations(chosen), key=lambda t: trip_length(instance, t)))
    return trips


def best_cost(instance: Instance, objective: Objective) -> float:
    """By trying every partition into trips and every assignment of trips to vehicles."""
    shortest = {frozenset(t): trip_length(instance, t) for t in every_trip(instance)}

    def partitions(rest: frozenset[int]) -> list[list[frozenset[int]]]:
        if not rest:
            return [[]]
        first = min(rest)
        return [
            [block, *others]
            for block in shortest
            if first in block and block <= rest
            for others in partitions(rest - block)
        ]

    best = np.inf
    for blocks in partitions(frozenset(range(1, instance.size + 1))):
        loads = [sum(instance.demands[c - 1] for c in b) for b in blocks]
        for vehicles in product(range(len(instance.vehicles)), repeat=len(blocks)):
            pairs = list(zip(vehicles, loads, strict=True))
            if all(instance.vehicles[v].can_carry(load) for v, load in pairs):
                times = np.zeros(len(instance.vehicles))
                for v, block in zip(vehicles, blocks, strict=True):
                    times[v] += shortest[block] / instance.speeds[v]
                best = min(best, objective.of(times))
    return best


def alone(instance: Instance) -> Solution:
    """Each customer on a trip of its own, all with the largest vehicle."""
    largest = int(np.argmax(instance.capacities))
    return Solution(
        [
            [[c] for c in range(1, instance.size + 1)] if v == largest else []
            for v in range(len(instance.vehicles))
        ]
    )


FLEETS = [
    [Vehicle(10)],
    [Vehicle(6, 2.0), Vehicle(10, 1.0)],
    [Vehicle(7, 0.5), Vehicle(10, 1.0), Vehicle(10, 1.0)],
]


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("fleet", FLEETS)
def test_all_trips_give_the_optimum(objective: Objective, fleet: list[Vehicle]) -> None:
    instance = generate(5, fleet=fleet, seed=len(fleet))
    trips = Trips.of(instance, every_trip(instance))
    polished = polish(instance, objective, trips, alone(instance), columns=10**6, seconds=60)
    assert polished.optimal
    assert polished.solution.violations(instance) == []
    assert polished.solution.cost(instance, objective) == pytest.approx(
        best_cost(instance, objective), rel=1e-6
    )


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(OBJECTIVES), st.integers(0, 60))
def test_never_worse_and_always_feasible(seed: int, objective: Objective, columns: int) -> None:
    instance = generate(9, fleet=[Vehicle(12, 1.0), Vehicle(20, 0.7)], seed=seed)
    known = solve(instance, objective, "savings").solution
    pool = solve(instance, objective, "sisr", iterations=100, seed=seed).solution
    trips = Trips.of(instance, [trip for _, trip in pool.trips()])
    polished = polish(instance, objective, trips, known, columns=columns, seconds=10)
    assert polished.solution.violations(instance) == []
    assert polished.solution.cost(instance, objective) <= known.cost(instance, objective)


def test_without_time_the_incumbent_stays() -> None:
    instance = generate(8, seed=1)
    known = alone(instance)
    trips = Trips.of(instance, every_trip(generate(3, seed=1)))
    polished = polish(instance, Objective.MIN_SUM, trips, known, columns=10, seconds=0.0)
    assert polished.solution == known
    assert not polished.optimal


def test_a_cancelled_polish_returns_the_incumbent_or_better() -> None:
    instance = generate(8, seed=1)
    cancel = threading.Event()
    cancel.set()
    trips = Trips.of(instance, [(1, 2), (3, 4)])
    polished = polish(
        instance, Objective.MIN_SUM, trips, alone(instance), columns=10, seconds=60, cancel=cancel
    )
    assert polished.solution.violations(instance) == []


def test_trips_in_flat_arrays() -> None:
    instance = Instance([1, 2, 4], [7], depot=(0, 0), customers=[(3, 0), (3, 4), (0, 4)])
    trips = Trips.of(instance, [(1, 2), (3,), (2, 3, 1)])
    assert trips.lengths.tolist() == [12, 8, 5 + 3 + 5 + 3]
    assert trips.loads(instance).tolist() == [3, 4, 7]
    assert trips[np.array([2, 0])].split() == [(2, 3, 1), (1, 2)]
    assert (trips[np.array([1])] + trips[np.array([0])]).split() == [(3,), (1, 2)]


def test_the_search_remembers_the_trips_it_has_seen() -> None:
    instance = generate(30, seed=4)
    search = _pooling_search(instance)
    columns = search.columns(10**6)
    trips = Trips(*(np.array(a) for a in (columns.customers, columns.sizes, columns.lengths)))
    split = trips.split()
    assert len({frozenset(t) for t in split}) == len(split)
    assert trips.lengths == pytest.approx([trip_length(instance, t) for t in split])
    assert (trips.loads(instance) <= instance.capacities.max()).all()
    best = {frozenset(t) for _, t in native.solution(search.best).trips()}
    assert best <= {frozenset(t) for t in split}
    assert len(search.columns(7).sizes) == 7


def test_a_full_pool_forgets_its_worst_half() -> None:
    assert 10 <= len(_pooling_search(generate(30, seed=4), pool=20).columns(100).sizes) <= 20


def _pooling_search(instance: Instance, pool: int = 1000) -> native.core.Sisr:
    problem = native.problem(instance)
    objective = native.core.Objective.min_sum
    parameters = native.core.SisrParameters(
        mean_removed=6, longest_string=10, split_rate=0.5, split_depth=0.01, blink=0.01,
        log2_power=4, near=40, pool=pool,
    )  # fmt: skip
    start = native.core.savings(problem, objective, native.preparation())
    search = native.core.Sisr(problem, objective, parameters, 1, [start], 1, native.preparation())
    search.search(native.core.Run(np.inf, 2000, -np.inf, lambda: False, None), 0.1, 0.01)
    return search


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_search_and_polish_together(objective: Objective) -> None:
    instance = generate(20, seed=8)
    seen: list[Improvement] = []
    result = solve(
        instance, objective, "sisr", iterations=2000, polish="on", on_improvement=seen.append
    )
    assert result.solution.violations(instance) == []
    assert result.cost == pytest.approx(seen[-1].cost, rel=1e-9)
    assert result.iterations == 2000
    costs = [i.cost for i in seen]
    assert costs == sorted(costs, reverse=True)


def test_a_missing_solver_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without_highs(name: str, *args: object, **kwargs: object) -> object:
        if name == "highspy":
            raise ImportError(name)
        return real(name, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without_highs)
    instance = generate(6, seed=1)
    with pytest.raises(InputError, match="polish needs HiGHS: install the package highspy"):
        solve(instance, "min-sum", "sisr", iterations=100, polish="on")
    assert solve(instance, "min-sum", "sisr", time_limit=0.8, target=1e9).iterations == 0
