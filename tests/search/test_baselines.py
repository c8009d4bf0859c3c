"""The paper's baselines: VNS, ACO and the firefly algorithm."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hcvrp
from hcvrp import InputError, Instance, Objective, Solution, Vehicle
from hcvrp.search.aco import MOST_CUSTOMERS, Aco
from hcvrp.search.baseline import SEED_STEP, with_paper_iterations
from hcvrp.search.firefly import Firefly
from hcvrp.search.vns import Vns
from hcvrp.task import Stop, Task

METHODS = ("vns", "aco", "firefly")
OBJECTIVES = ("min-max", "min-sum")

every_method = pytest.mark.parametrize("method", METHODS)
both_objectives = pytest.mark.parametrize("objective", OBJECTIVES)


def judge(result: hcvrp.Result, instance: Instance) -> None:
    """The referee finds nothing wrong, and agrees on the cost and on the last reported best."""
    assert result.solution.violations(instance) == []
    assert result.cost == result.solution.cost(instance, result.objective)
    last = result.history[-1]
    assert last.solution is not None
    assert last.solution.violations(instance) == []
    assert last.cost == pytest.approx(
        last.solution.cost(instance, result.objective), rel=1e-9, abs=1e-12
    )
    costs = [best.cost for best in result.history]
    assert costs == sorted(costs, reverse=True)
    assert result.cost == pytest.approx(costs[-1], rel=1e-9, abs=1e-12)


@st.composite
def instances(draw: st.DrawFn) -> Instance:
    """Coincident points, zero distances and demands, tight capacities, one vehicle or seven."""
    n = draw(st.integers(1, 12))
    coordinate = st.sampled_from([0.0, 0.1, 0.5, 1.0, 1e4])
    demand = st.sampled_from([0.0, 0.1, 0.3, 1.0, 2.5, 9.0])
    demands = draw(st.lists(demand, min_size=n, max_size=n))
    vehicle = st.builds(Vehicle, st.sampled_from([0.3, 2.5, 9.0]), st.sampled_from([0.01, 1.0, 7]))
    fleet = draw(st.lists(vehicle, max_size=6))
    fleet.append(Vehicle(max([*demands, 0.3]), draw(st.sampled_from([0.2, 1.0]))))
    if draw(st.booleans()):
        flat = draw(st.lists(coordinate, min_size=(n + 1) ** 2, max_size=(n + 1) ** 2))
        matrix = np.array(flat).reshape(n + 1, n + 1)
        np.fill_diagonal(matrix, 0.0)
        return Instance(demands, fleet, distances=matrix)
    points = draw(st.lists(st.tuples(coordinate, coordinate), min_size=n + 1, max_size=n + 1))
    return Instance(demands, fleet, depot=points[0], customers=points[1:])


@every_method
@both_objectives
@settings(max_examples=40, deadline=None)
@given(instance=instances(), seed=st.integers(0, 2**63 - 1))
def test_any_instance_gets_a_feasible_answer_at_the_referees_cost(
    method: str, objective: str, instance: Instance, seed: int
) -> None:
    judge(hcvrp.solve(instance, objective, method, iterations=5, seed=seed), instance)


@every_method
@both_objectives
@pytest.mark.parametrize("vehicles", [1, 3, 7])
def test_random_fleets(method: str, objective: str, vehicles: int) -> None:
    instance = hcvrp.generate(30, vehicles, seed=vehicles)
    judge(hcvrp.solve(instance, objective, method, iterations=30), instance)


@every_method
@both_objectives
def test_legs_of_very_different_length_leave_no_rounding_behind(
    method: str, objective: str
) -> None:
    # Legs of 10⁴ in the first plans and of 0 in the best ones: a cost kept up by differences would
    # end beside zero, even below it, and the search would never rest.
    for seed in range(20):
        rng = np.random.default_rng(seed)
        matrix = rng.choice([0.0, 0.1, 1e4], size=(11, 11))
        np.fill_diagonal(matrix, 0.0)
        fleet = [Vehicle(9.0, 0.01), Vehicle(9.0, 7.0)]
        instance = Instance(np.ones(10), fleet, distances=matrix)
        judge(hcvrp.solve(instance, objective, method, iterations=5, seed=seed), instance)


@every_method
def test_three_customers_are_routed_optimally(method: str) -> None:
    # On a line at 1, 2 and −3: one vehicle of capacity 2 serves {1, 2} in 4 and {3} in 6.
    instance = Instance([1, 1, 1], [2], depot=(0, 0), customers=[(1, 0), (2, 0), (-3, 0)])
    assert hcvrp.solve(instance, "min-sum", method, iterations=20).cost == pytest.approx(10)
    # Two vehicles finish when the longer of the two trips is over.
    pair = instance.with_vehicles([2, 2])
    assert hcvrp.solve(pair, "min-max", method, iterations=20).cost == pytest.approx(6)


@every_method
def test_a_one_way_street_is_driven_the_right_way(method: str) -> None:
    # 0 → 1 → 2 → 3 → 0 costs 4, any other leg 10.
    matrix = np.full((4, 4), 10.0)
    for i in range(4):
        matrix[i, i] = 0
        matrix[i, (i + 1) % 4] = 1
    instance = Instance([1, 1, 1], [3], distances=matrix)
    result = hcvrp.solve(instance, "min-sum", method, iterations=50)
    assert result.solution.routes == (((1, 2, 3),),)
    assert result.cost == 4


@every_method
def test_the_faster_vehicle_does_the_work_for_min_sum(method: str) -> None:
    instance = Instance(
        [1, 1], [Vehicle(2, speed=1), Vehicle(2, speed=4)], depot=(0, 0), customers=[(1, 0), (2, 0)]
    )
    result = hcvrp.solve(instance, "min-sum", method, iterations=50)
    assert result.cost == pytest.approx(1)
    assert result.solution.routes[0] == ()


@every_method
@both_objectives
def test_the_same_seed_gives_the_same_answer(method: str, objective: str) -> None:
    instance = hcvrp.generate(40, 3, seed=5)
    a, b = (hcvrp.solve(instance, objective, method, iterations=20, seed=3) for _ in range(2))
    assert a.solution == b.solution
    other = hcvrp.solve(instance, objective, method, iterations=20, seed=4)
    assert other.solution != a.solution


@every_method
@both_objectives
def test_better_than_savings_on_average(method: str, objective: str) -> None:
    instances = [hcvrp.generate(25, 3, seed=seed) for seed in range(4)]
    savings = [hcvrp.solve(i, objective, "savings").cost for i in instances]
    found = [hcvrp.solve(i, objective, method, iterations=300).cost for i in instances]
    assert all(f < 1.02 * s for f, s in zip(found, savings, strict=True))
    assert sum(found) < 0.99 * sum(savings)


@every_method
def test_never_worse_than_the_best_initial_solution(method: str) -> None:
    instance = hcvrp.generate(40, 3, seed=8)
    good = hcvrp.solve(instance, "min-max", "vns", iterations=200).solution
    bad = Solution([[(c,) for c in range(1, 41)], [], []])
    for iterations in (0, 3):
        result = hcvrp.solve(
            instance, "min-max", method, initial=[bad, good], iterations=iterations
        )
        judge(result, instance)
        cost = good.cost(instance, "min-max")
        assert result.cost <= cost
        assert result.history[0].cost == pytest.approx(cost, rel=1e-12)


@every_method
def test_stops_after_the_iterations(method: str) -> None:
    instance = hcvrp.generate(10, seed=1)
    assert hcvrp.solve(instance, method=method, iterations=7).iterations == 7
    nothing_done = hcvrp.solve(instance, method=method, iterations=0)
    assert nothing_done.iterations == 0
    judge(nothing_done, instance)


@every_method
def test_stops_at_the_target(method: str) -> None:
    instance = hcvrp.generate(30, 3, seed=2)
    target = hcvrp.solve(instance, "min-max", method, iterations=50).cost
    result = hcvrp.solve(instance, "min-max", method, target=target)
    assert result.cost <= target
    assert result.iterations <= 50


@every_method
def test_stops_when_cancelled_from_within(method: str) -> None:
    instance = hcvrp.generate(60, 3, seed=2)
    cancel = threading.Event()
    result = hcvrp.solve(
        instance,
        "min-max",
        method,
        cancel=cancel,
        iterations=10**9,
        on_improvement=lambda _: cancel.set(),
    )
    assert cancel.is_set()
    judge(result, instance)


@pytest.mark.parametrize(
    ("method", "at_40", "at_100"),
    [("vns", 500, 800), ("aco", 10_000, 16_000), ("firefly", 1000, 1600)],
)
def test_the_default_iterations_are_the_papers(method: str, at_40: int, at_100: int) -> None:
    rise = (at_100 - at_40) // 60
    for size, expected in ((40, at_40), (100, at_100), (1, at_40 - 39 * rise)):
        task = Task(hcvrp.generate(size), Objective.MIN_MAX)
        assert with_paper_iterations(task, at_40, rise).stop.iterations == expected
        limited = replace(task, stop=Stop(time_limit=1.0))
        assert with_paper_iterations(limited, at_40, rise) is limited
        aimed = replace(task, stop=Stop(target=1.0))  # a target alone might never be met
        assert with_paper_iterations(aimed, at_40, rise).stop.iterations == expected
    alone = Instance([1], [1], depot=(0, 0), customers=[(3, 4)])
    result = hcvrp.solve(alone, method=method)
    assert (result.cost, result.iterations) == (10, at_40 - 39 * rise)


def test_a_customer_between_the_tolerances_is_served() -> None:
    instance = Instance([1 + 8e-10, 1], [1.0], depot=(0, 0), customers=[(1, 0), (2, 0)])
    for method in ("savings", *METHODS):
        judge_result = hcvrp.solve(instance, method=method, iterations=3)
        assert judge_result.solution.violations(instance) == []
        assert judge_result.cost == pytest.approx(6)


def test_aco_refuses_more_customers_than_it_has_memory_for() -> None:
    n = MOST_CUSTOMERS + 1
    instance = Instance(np.ones(n), [n], depot=(0, 0), customers=np.zeros((n, 2)))
    with pytest.raises(InputError, match="at most 3000 customers, not 3001"):
        hcvrp.solve(instance, method="aco", iterations=1)


@pytest.mark.parametrize(
    ("method", "parameters", "sentence"),
    [
        (Vns, {"least_shake": -0.1}, "vns parameter least_shake must be between 0 and 1, not -0.1"),
        (Vns, {"most_shake": 0.05}, "vns parameter most_shake must be between 0.1 and 1, not 0.05"),
        (Vns, {"max_tolerance": float("nan")}, "vns parameter max_tolerance must be .*, not nan"),
        (Aco, {"ants": 0}, "aco parameter ants must be between 1 and 1e.06, not 0"),
        (Aco, {"greed": 2}, "aco parameter greed must be between 0 and 1, not 2"),
        (Aco, {"trail_power": -1}, "aco parameter trail_power must be between 0 and 20, not -1"),
        (Firefly, {"fireflies": 0}, "firefly parameter fireflies must be between 1 and 1e.06"),
        (Firefly, {"absorption": -1}, "firefly parameter absorption must be at least 0, not -1"),
        (Firefly, {"randomness": 1.5}, "firefly parameter randomness must be between 0 and 1"),
    ],
)
def test_bad_parameters_get_a_sentence(
    method: type[Vns | Aco | Firefly], parameters: dict[str, float], sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        method(**parameters)


def test_the_defaults_are_the_papers_parameters() -> None:
    assert Vns() == Vns(0.1, 0.25, 5, 0.04)
    assert Aco() == Aco(20, 0.2, 0.1, 0.1, 3, 3)
    assert Firefly() == Firefly(25, 1, 1, 0.001)


@every_method
@both_objectives
def test_threads_run_side_by_side_and_the_best_wins(method: str, objective: str) -> None:
    instance = hcvrp.generate(30, 3, seed=5)
    seeds = [(7 + k * SEED_STEP) % 2**63 for k in range(3)]
    alone = [hcvrp.solve(instance, objective, method, iterations=10, seed=s) for s in seeds]
    together, again = (
        hcvrp.solve(instance, objective, method, iterations=10, seed=7, threads=3) for _ in range(2)
    )
    judge(together, instance)
    assert together.solution == min(alone, key=lambda result: result.cost).solution
    assert together.solution == again.solution
    assert together.iterations == 10


@every_method
def test_threads_stop_together(method: str) -> None:
    instance = hcvrp.generate(40, 3, seed=2)
    target = hcvrp.solve(instance, "min-max", method, iterations=20).cost * 1.02
    result = hcvrp.solve(instance, "min-max", method, target=target, iterations=10**9, threads=2)
    judge(result, instance)
    assert result.cost <= target

    def fail(_: hcvrp.Improvement) -> None:
        raise RuntimeError("heard")

    with pytest.raises(RuntimeError, match="heard"):
        hcvrp.solve(instance, method=method, iterations=10**9, threads=2, on_improvement=fail)


def test_methods_of_one_thread_refuse_more() -> None:
    sentence = "method savings works on one thread: threads must be 1, not 4"
    with pytest.raises(InputError, match=sentence):
        hcvrp.solve(hcvrp.generate(5), method="savings", threads=4)
