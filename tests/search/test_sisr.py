"""SISR: every answer passes the referee, at the cost the core reports, however odd the instance."""

import math
import re
import threading
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hcvrp.errors import InputError
from hcvrp.generator import generate
from hcvrp.instance import Instance, Vehicle
from hcvrp.search.sisr import Sisr, SisrPaper, step
from hcvrp.solution import Objective, Solution
from hcvrp.solver import solve
from hcvrp.task import Improvement, Result, Stop, Task

OBJECTIVES = ("min-max", "min-sum")

SQUARE = Instance(
    [1, 1, 1, 1],
    [Vehicle(2), Vehicle(2)],
    depot=(0, 0),
    customers=[(3, 0), (3, 4), (-3, 0), (-3, 4)],
)
"""Two sides of a street: one trip to each has length 3 + 4 + 5 = 12."""


def check(instance: Instance, result: Result) -> None:
    assert result.solution.violations(instance) == []
    last = result.history[-1].cost
    assert result.cost == pytest.approx(last, rel=1e-9, abs=1e-12)
    costs = [i.cost for i in result.history]
    assert costs == sorted(costs, reverse=True)
    numbers = [i.iteration for i in result.history]
    assert numbers == sorted(numbers)
    assert numbers[-1] <= result.iterations


@pytest.mark.parametrize(("objective", "cost"), [("min-max", 12.0), ("min-sum", 24.0)])
def test_two_sides_of_a_street(objective: str, cost: float) -> None:
    result = solve(SQUARE, objective, "sisr", iterations=200)
    assert result.cost == pytest.approx(cost)
    assert sorted(map(frozenset, [t for _, t in result.solution.trips()]), key=min) == [
        {1, 2},
        {3, 4},
    ]


def test_min_sum_gives_light_trips_to_the_fast_vehicle() -> None:
    # Out and back 20; the small vehicle is twice as fast but carries only the light customer.
    fleet = [Vehicle(1, 2.0), Vehicle(5, 1.0)]
    instance = Instance([1, 5], fleet, depot=(0, 0), customers=[(10, 0), (-10, 0)])
    result = solve(instance, "min-sum", "sisr", iterations=100)
    assert result.solution == Solution([[[1]], [[2]]])
    assert result.cost == pytest.approx(20 / 2 + 20)


def test_min_max_may_prefer_two_trips_of_one_vehicle() -> None:
    # Trips of 2, 2 and 4: the lone far one balances the two near ones.
    instance = Instance(
        [1, 1, 1], [Vehicle(1), Vehicle(1)], depot=(0, 0), customers=[(1, 0), (0, 1), (-2, 0)]
    )
    assert solve(instance, "min-max", "sisr", iterations=500).cost == pytest.approx(4.0)


def fleets() -> st.SearchStrategy[list[Vehicle]]:
    vehicle = st.builds(
        Vehicle,
        st.one_of(st.integers(5, 12), st.floats(5.0, 12.0)),
        st.sampled_from([0.25, 1.0, 1.0, 3.0]),
    )
    return st.lists(vehicle, min_size=1, max_size=7)


@st.composite
def instances(draw: st.DrawFn) -> Instance:
    n = draw(st.integers(1, 14))
    demand = st.one_of(st.integers(0, 5), st.floats(0.0, 5.0), st.just(5.0))
    demands = draw(st.lists(demand, min_size=n, max_size=n))
    side = st.integers(0, 3)  # a coarse grid: many points coincide
    points = draw(st.lists(st.tuples(side, side), min_size=n + 1, max_size=n + 1))
    if draw(st.booleans()):
        return Instance(demands, draw(fleets()), depot=points[0], customers=points[1:])
    values = draw(st.lists(st.floats(0, 10), min_size=(n + 1) ** 2, max_size=(n + 1) ** 2))
    matrix = np.array(values).reshape(n + 1, n + 1)
    np.fill_diagonal(matrix, 0.0)
    return Instance(demands, draw(fleets()), distances=matrix)


@settings(max_examples=60, deadline=None)
@given(instances(), st.sampled_from(OBJECTIVES), st.sampled_from(["sisr", "sisr-paper"]))
def test_any_instance_gets_a_feasible_answer(
    instance: Instance, objective: str, method: str
) -> None:
    result = solve(instance, objective, method, iterations=300)
    check(instance, result)
    assert result.cost <= solve(instance, objective, "savings").cost * (1 + 1e-9)


NASTY = {
    "one customer": Instance([3], [3], depot=(0, 0), customers=[(1, 1)]),
    "one vehicle": generate(12, 1, seed=3),
    "fifty vehicles": generate(20, fleet=[20.0] * 50, seed=4),
    "all points coincide": Instance([1] * 6, [2, 3], depot=(1, 1), customers=[(1, 1)] * 6),
    "demands fill the vehicle": Instance(
        [10] * 5, [10], depot=(0, 0), customers=[(k, 1) for k in range(5)]
    ),
    "no demand at all": Instance(
        [0] * 8, [1, 2], depot=(0, 0), customers=[(k, k % 3) for k in range(8)]
    ),
    "demands with fractions": Instance(
        [0.1] * 9, [0.3, 0.6], depot=(0, 0), customers=[(k, k % 3) for k in range(9)]
    ),
    "a demand within the tolerance": Instance(
        [10 * (1 + 9e-10), 1], [10], depot=(0, 0), customers=[(1, 0), (0, 1)]
    ),
    "kilometres": Instance(
        [1] * 7, [3, 3], depot=(0, 0), customers=[(1e6 * k, 1e6 * (k % 2)) for k in range(7)]
    ),
    "more trips than near neighbours": generate(150, fleet=[9.0, 10.0], seed=5),
} | {
    f"{n} full loads": Instance(
        [1] * n, [1, 1], depot=(0, 0), customers=[(k % 7, k % 5 + 1) for k in range(n)]
    )
    for n in (22, 31, 35, 38, 40, 41)
}


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("name", NASTY)
def test_odd_instances(name: str, objective: str) -> None:
    check(NASTY[name], solve(NASTY[name], objective, "sisr", iterations=2000))


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("forbidden", [1e9, 1e12, 1e15])
def test_forbidden_legs_take_no_digits_with_them(forbidden: float, objective: str) -> None:
    for seed in (0, 1, 2, 377):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(5, 25))
        points = rng.random((n + 1, 2))
        legs = np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1))
        never = rng.random(legs.shape) < 0.4
        never[0] = never[:, 0] = False
        legs[never] = forbidden
        np.fill_diagonal(legs, 0)
        instance = Instance(rng.integers(1, 9, n), [10, 15, 20], distances=legs)
        result = solve(instance, objective, "sisr", iterations=3000)
        check(instance, result)
        assert result.cost <= solve(instance, objective, "savings").cost


def test_distances_on_the_fly() -> None:
    instance = generate(3100, fleet=[100.0] * 5, seed=1)
    check(instance, solve(instance, "min-sum", "sisr", iterations=200))


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("threads", [1, 3])
def test_same_seed_same_answer(objective: str, threads: int) -> None:
    instance = generate(30, 3, seed=1)
    first, second, other = (
        solve(instance, objective, "sisr", iterations=3000, seed=s, threads=threads)
        for s in (5, 5, 6)
    )
    assert first.solution == second.solution
    assert first.solution != other.solution
    check(instance, first)


@pytest.mark.parametrize("threads", [1, 2])
def test_stops_at_the_iteration_limit(threads: int) -> None:
    result = solve(generate(10, seed=1), "min-max", "sisr", iterations=777, threads=threads)
    assert result.iterations == 777


def test_no_iterations_return_savings() -> None:
    instance = generate(10, seed=1)
    result = solve(instance, "min-max", "sisr", iterations=0)
    assert result.cost == pytest.approx(solve(instance, "min-max", "savings").cost)
    assert result.iterations == 0


def test_no_time_returns_savings() -> None:
    instance = generate(10, seed=1)
    result = solve(instance, "min-max", "sisr", time_limit=0.0)
    assert result.cost <= solve(instance, "min-max", "savings").cost * (1 + 1e-9)


@pytest.mark.parametrize("threads", [1, 2])
def test_stops_at_the_target(threads: int) -> None:
    instance = generate(40, seed=2)
    target = solve(instance, "min-max", "savings").cost * 0.98
    result = solve(instance, "min-max", "sisr", iterations=10**9, target=target, threads=threads)
    assert result.cost <= target * (1 + 1e-9)
    assert result.iterations < 10**9


@pytest.mark.parametrize("threads", [1, 2])
def test_stops_when_cancelled(threads: int) -> None:
    cancel = threading.Event()
    seen: list[Improvement] = []

    def stop_at_once(improvement: Improvement) -> None:
        seen.append(improvement)
        cancel.set()

    instance = generate(40, seed=2)
    result = solve(
        instance,
        "min-sum",
        "sisr",
        iterations=10**9,
        cancel=cancel,
        on_improvement=stop_at_once,
        threads=threads,
    )
    check(instance, result)
    assert [i.cost for i in result.history] == [i.cost for i in seen]
    assert result.iterations < 10**9


@pytest.mark.parametrize("threads", [1, 2])
def test_an_exception_in_the_callback_comes_through(threads: int) -> None:
    def fail(improvement: Improvement) -> None:
        raise RuntimeError(f"at {improvement.cost}")

    with pytest.raises(RuntimeError, match="at"):
        solve(
            generate(20, seed=1), "min-max", "sisr", iterations=10**9, on_improvement=fail,
            threads=threads,
        )  # fmt: skip


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_never_worse_than_any_initial_solution(objective: str) -> None:
    instance = generate(25, seed=3)
    good = solve(instance, objective, "sisr", iterations=20_000).solution
    poor = Solution([[[c] for c in range(1, 26)], [], []])
    for initial in ([good], [poor, good], [good, poor]):
        result = solve(instance, objective, "sisr", iterations=50, initial=initial)
        assert result.cost <= good.cost(instance, objective) * (1 + 1e-12)
        check(instance, result)


def test_finds_the_optimum_of_a_travelling_salesman() -> None:
    instance = Instance([1] * 7, [7], depot=(0, 0), customers=np.random.RandomState(1).rand(7, 2))
    best = min(Solution([[order]]).cost(instance, "min-sum") for order in permutations(range(1, 8)))
    result = solve(instance, "min-sum", "sisr", iterations=3000)
    assert result.cost == pytest.approx(best)


def test_without_limits_the_budget_follows_the_size() -> None:
    assert solve(generate(5, seed=1), "min-sum", "sisr").iterations == 20_000


def test_the_paper_preset_has_the_papers_parameters() -> None:
    paper = SisrPaper()
    assert (paper.mean_removed, paper.longest_string) == (10, 10)
    assert (paper.split_depth, paper.blink) == (0.01, 0.01)
    assert (paper.start_temperature, paper.final_temperature) == (100, 1)
    assert paper.iterations_per_customer * 40 == 1.2e7


@pytest.mark.parametrize("vehicles", [1, 2, 8])
def test_temperatures_follow_what_one_vehicle_does_to_the_objective(vehicles: int) -> None:
    # The mean pace of speeds 1 and ½ is 1.5; near customers are 0.2 apart. The mean over m vehicles
    # moves by an m-th of what one of them does, their sum by all of it.
    speeds = [1.0, 0.5] if vehicles > 1 else [2 / 3]
    fleet = [Vehicle(9, speed) for speed in speeds] * max(1, vehicles // 2)
    line = [(0.2 * k, 0.0) for k in range(1, 7)]
    instance = Instance([1] * 6, fleet, depot=(0, 0), customers=line)
    assert step(instance, Objective.MIN_SUM, 0.2) == pytest.approx(0.3)
    assert step(instance, Objective.MIN_MAX, 0.2) == pytest.approx(0.3 / vehicles)
    long = Stop(iterations=10**6)
    task = Task(instance, Objective.MIN_MAX, long)
    found = Sisr()._temperatures(task, 0.2, warm=False)
    assert found == pytest.approx((0.75 * 0.3 / vehicles, 0.15 * 0.3 / vehicles))
    whole = Sisr(remember=False)._temperatures(
        Task(instance, Objective.MIN_SUM, long), 0.2, warm=False
    )
    assert whole == pytest.approx((0.25 * 0.3, 0.05 * 0.3))


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("mean_removed", 0.5),
        ("mean_removed", 1e308),
        ("longest_string", math.nan),
        ("split_rate", 1.5),
        ("split_depth", -0.1),
        ("blink", 1.0),
        ("power", 12),
        ("power", 2048),
        ("start_temperature", 0.0),
        ("final_temperature", math.inf),
        ("near", -1),
        ("near", 10**23),
    ],
)
def test_bad_parameters_are_named(parameter: str, value: float) -> None:
    with pytest.raises(InputError, match=rf"{parameter} must .*{re.escape(str(value))}"):
        Sisr(**{parameter: value})


def test_objectives_are_told_apart() -> None:
    instance = generate(20, 3, seed=9)
    balanced = solve(instance, Objective.MIN_MAX, "sisr", iterations=5000).solution
    cheap = solve(instance, Objective.MIN_SUM, "sisr", iterations=5000).solution
    assert balanced.cost(instance, "min-max") < cheap.cost(instance, "min-max")
    assert cheap.cost(instance, "min-sum") < balanced.cost(instance, "min-sum")


def test_balancing_never_replaces_the_best_by_a_worse_maximum() -> None:
    # Moves that lower the power mean raise the maximum here.
    instance = Instance(
        [4.35, 4.49, 4, 5.0, 1.95, 5.0, 5.0, 1.61, 5.0, 5.0, 5.0, 4.2, 1.79],
        [Vehicle(8, 1.0), Vehicle(7.94, 0.25)],
        depot=(0, 1),
        customers=[
            (0, 1),
            (1, 2),
            (3, 3),
            (3, 0),
            (2, 3),
            (3, 1),
            (0, 1),
            (0, 3),
            (2, 3),
            (2, 2),
            (0, 2),
            (1, 3),
            (3, 3),
        ],
    )
    result = solve(instance, "min-max", "sisr", iterations=300)
    check(instance, result)
    assert result.cost <= solve(instance, "min-max", "savings").cost * (1 + 1e-9)


def test_times_near_the_smallest_numbers_end_too() -> None:
    """Divided by such a time, paces would no longer agree with the other times."""
    speeds, capacities = [1e-9, 1, 1e16, 0.5, 1e16], [1e9, 1, 1e9, 1e8, 1e9]
    vehicles = [Vehicle(q, s) for q, s in zip(capacities, speeds, strict=True)]
    near = 1e-301 * (np.ones((4, 4)) - np.eye(4))
    instance = Instance([0.2, 1e9, 1e-6], vehicles, distances=near)
    result = solve(instance, "min-max", "sisr", iterations=20)
    assert result.solution.violations(instance) == []
