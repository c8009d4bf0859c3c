"""bound(), certify() and the method "exact", from hand-worked streets to the paper's instances."""

import math
import threading
from typing import Any

import numpy as np
import pytest

from hcvrp import InputError, Instance, Vehicle, generate, paper_set, solve
from hcvrp.exact import bound, certificate, certify, plan_prover
from hcvrp.exact.column_generation import Relaxation
from hcvrp.exact.master import Master
from hcvrp.exact.plan_master import PlanDuals
from hcvrp.exact.plan_offers import TripOffers
from hcvrp.exact.progress import STRICTLY, Progress, Step
from hcvrp.exact.prover import Prover, within_reach
from hcvrp.exact.watch import Watch
from hcvrp.search import savings
from hcvrp.solution import Objective, Solution
from hcvrp.task import Improvement

STREET = Instance(
    [1, 1, 1, 1],
    [Vehicle(2), Vehicle(2)],
    depot=(0, 0),
    customers=[(3, 0), (3, 4), (-3, 0), (-3, 4)],
)
"""Two sides of a street: one trip to each has length 3 + 4 + 5 = 12."""


@pytest.mark.parametrize(("objective", "cost"), [("min-max", 12.0), ("min-sum", 24.0)])
def test_two_sides_of_a_street_are_proven(objective: str, cost: float) -> None:
    result = solve(STREET, objective, "exact")
    assert result.status == "optimal"
    assert result.cost == pytest.approx(cost)
    assert result.bound == result.cost
    assert result.gap == 0.0


def test_demands_of_single_precision() -> None:
    """The best of all plans, found by trying them, fills the small vehicle to the last digit."""
    single = [float(np.float32(x)) for x in (0.03, 0.01, 0.04, 0.04, 0.1, 0.08)]
    vehicles = [Vehicle(single[5]), Vehicle(1.0, speed=0.1)]
    places = [(0.54, 0.39), (0.01, 0.8), (0.98, 0.91), (0.66, 0.34), (0.24, 0.78)]
    town = Instance(single[:5], vehicles, depot=(0, 0), customers=places)
    result = solve(town, "min-sum", "exact", iterations=0)
    assert result.bound == result.cost == pytest.approx(20.930184746424516)


@pytest.mark.parametrize("objective", ["min-max", "min-sum"])
def test_unlimited_capacities_cost_nothing(objective: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However "unlimited" is written, the proof is that of capacities that just hold everything."""
    filled: list[int] = []
    prices = Relaxation.prices

    def noted(self: Relaxation, group: int, *rest: Any) -> Any:
        filled.append(self.groups[group].level)
        return prices(self, group, *rest)

    monkeypatch.setattr(Relaxation, "prices", noted)
    points = np.random.default_rng(0).random((13, 2))
    costs = set()
    for capacity in (12.0, 1000.0, 1e6):
        town = Instance([1.0] * 12, [Vehicle(capacity)] * 2, depot=points[0], customers=points[1:])
        result = solve(town, objective, "exact", iterations=20_000)
        assert result.status == "optimal"
        costs.add(result.cost)
    assert len(costs) == 1
    assert set(filled) == {12}


@pytest.mark.parametrize(("objective", "cost"), [("min-max", 1.42), ("min-sum", 1.93)])
def test_forbidden_legs(objective: str, cost: float) -> None:
    """Marked by lengths that linear programmes do not take."""
    no = 1e16
    table = [
        [0, 0.71, 0.67, 0.25, 0.06, no],
        [0.81, 0, 0.55, no, 0.85, 0.45],
        [0.4, 0.34, 0, no, 0.02, no],
        [no, 0.57, 0.06, 0, no, 0.14],
        [0.13, 0.26, 0.83, 0.4, 0, 0.4],
        [0.61, 0.23, 0.01, 0.53, 0.5, 0],
    ]
    town = Instance([1] * 5, [Vehicle(3), Vehicle(2, 0.5)], distances=table)
    result = solve(town, objective, "exact")
    assert (result.cost, result.status) == (pytest.approx(cost), "optimal")


def test_times_beyond_linear_programmes_leave_a_bound() -> None:
    far = 1e16 * (1 - np.eye(4))
    town = Instance([1, 1, 1], [Vehicle(1), Vehicle(1, 0.5)], distances=far)
    proof = bound(town, "min-max")
    assert 0 < proof.value <= proof.cost
    assert proof.notes == ("the times are too large for linear programmes",)


def test_a_size_beyond_column_generation_makes_no_matrix(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(certificate, "start", lambda task, *_: savings.construct(task))
    town = generate(customers=2001, seed=1)
    proof = bound(town, "min-sum")
    assert 0 < proof.value < proof.cost
    assert proof.notes == ("column generation is for up to 2000 customers",)
    assert "distances" not in vars(town)


def test_legs_of_a_plane_are_within_reach_without_a_look() -> None:
    town = generate(customers=5, seed=1)
    assert within_reach(town, 1e-9) is town
    assert "distances" not in vars(town)


@pytest.mark.parametrize("objective", ["min-max", "min-sum"])
def test_vehicles_too_slow_or_small_for_any_trip_are_left_out(
    objective: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their times are too large for linear programmes; the others decide."""
    asked: list[int] = []
    init = Relaxation.__post_init__

    def noted(self: Relaxation) -> None:
        asked.extend(v for group in self.groups for v in group.vehicles)
        init(self)

    monkeypatch.setattr(Relaxation, "__post_init__", noted)
    points = np.random.default_rng(3).uniform(1e5, 9e5, (8, 2))
    quick = [Vehicle(9.0, 1e5), Vehicle(4.0, 0.8e5)]
    hopeless = [Vehicle(0.5, 1e6), Vehicle(30.0, 1e-9)]
    demands = [1, 2, 3, 1, 2, 3, 4]
    town = Instance(demands, [*hopeless, *quick], depot=points[0], customers=points[1:])
    result = solve(town, objective, "exact", iterations=0)
    assert asked == ([2, 3] if objective == "min-max" else [2])
    best = solve(town.with_vehicles(quick), objective, "exact")
    assert (result.status, best.status) == ("optimal", "optimal")
    assert result.cost == pytest.approx(best.cost)
    assert result.solution.violations(town) == []


def test_a_programme_that_highs_gives_up_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    def infeasible(self: Master, _: Watch) -> None:
        self._lp.addRow(1.0, 1.0, 0, [], [])
        self._lp.run()

    monkeypatch.setattr(Master, "solve", infeasible)
    sentence = "HiGHS did not solve a linear programme over routes: Infeasible"
    assert bound(generate(customers=10, seed=4)).notes == (sentence,)


def test_a_plan_that_takes_no_time_is_the_end() -> None:
    """One cycle of legs of length 0; a plan of cost 0 cannot be beaten, and is found once."""
    n = 5
    table = np.ones((n + 1, n + 1))
    for k in range(n + 1):
        table[k, (k + 1) % (n + 1)] = table[k, k] = 0
    town = Instance([1] * n, [Vehicle(n), Vehicle(n)], distances=table)
    poor = Solution([[[k] for k in range(1, n + 1)], []])
    proof = bound(town, "min-max", solution=poor)
    assert (proof.value, proof.cost) == (0.0, 0.0)


def test_a_farthest_customer_who_decides_is_proof_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """There and back takes 2 · √(3.5² + 3.5²); twenty vehicles serve the others meanwhile."""
    monkeypatch.setattr(Prover, "_close_min_max", None)
    rng = np.random.default_rng(1)
    points = rng.random((101, 2))
    points[1] = [4, 4]
    town = Instance(
        rng.integers(1, 9, 100), [Vehicle(60.0)] * 20, depot=[0.5, 0.5], customers=points[1:]
    )
    result = solve(town, "min-max", "exact", iterations=5_000)
    assert (result.cost, result.status) == (pytest.approx(2 * 24.5**0.5), "optimal")
    assert result.bound == result.cost


def test_one_customer() -> None:
    lone = Instance([2], [Vehicle(1, 4.0), Vehicle(2, 0.5)], depot=(0, 0), customers=[(3, 4)])
    for objective in ("min-max", "min-sum"):
        result = solve(lone, objective, "exact")
        assert (result.cost, result.status) == (20.0, "optimal")


@pytest.mark.parametrize("objective", ["min-max", "min-sum"])
def test_everyone_at_the_depot_costs_nothing(objective: str) -> None:
    nowhere = Instance([1, 1], [Vehicle(1)], depot=(1, 1), customers=[(1, 1), (1, 1)])
    proof = bound(nowhere, objective)
    assert (proof.value, proof.cost, proof.optimal, proof.gap) == (0.0, 0.0, True, 0.0)


def test_the_first_paper_instance_has_its_known_min_sum_optimum() -> None:
    instance = paper_set("v3-c40", "min-sum")[0]
    proof = bound(instance, "min-sum")
    assert proof.optimal
    assert proof.value == pytest.approx(58.609563249195546)
    assert proof.solution.violations(instance) == []


@pytest.mark.parametrize("objective", ["min-max", "min-sum"])
@pytest.mark.parametrize("time_limit", [0.0, 1e-3, 0.05, 0.3])
def test_any_time_limit_gives_a_valid_bound(objective: str, time_limit: float) -> None:
    instance = generate(customers=30, seed=5)
    best = {"min-max": 3.2, "min-sum": 9.5}  # costs that are known to be above the optimum
    proof = bound(instance, objective, time_limit=time_limit)
    assert 0 < proof.value <= proof.cost
    assert proof.solution.violations(instance) == []
    assert proof.value <= best[objective]


def test_the_bound_only_rises_and_each_step_is_reported() -> None:
    steps: list[Step] = []
    proof = bound(generate(customers=15, seed=3), "min-max", on_improvement=steps.append)
    assert tuple(steps) == proof.history
    bounds = [step.bound for step in steps]
    assert bounds == sorted(bounds)
    assert steps[-1].bound == proof.value
    assert steps[-1].cost == proof.cost


def test_bounds_are_reported_beside_the_best_as_they_rise() -> None:
    instance = generate(customers=15, seed=3)
    heard: list[Improvement] = []
    result = solve(instance, "min-max", "exact", on_improvement=heard.append)
    assert [h.cost for h in heard] == sorted((h.cost for h in heard), reverse=True)
    bounds = [h.bound for h in heard if h.bound is not None]
    assert len(bounds) > 1
    assert bounds == sorted(bounds)
    assert heard[0].bound is None
    assert heard[-1].cost == pytest.approx(result.cost, rel=1e-12)
    assert heard[-1].bound == result.bound
    assert all(h.solution is not None for h in heard)
    assert [(h.cost, h.bound) for h in result.history] == [(h.cost, h.bound) for h in heard]


def test_certifying_reports_bounds_too() -> None:
    instance = generate(customers=12, seed=2)
    heard: list[Improvement] = []
    result = solve(instance, "min-sum", "savings", certify=5.0, on_improvement=heard.append)
    assert [h.cost for h in heard] == [result.cost] * len(heard)
    assert heard[0].bound is None
    assert heard[-1].bound == result.bound
    assert heard[-1].solution == result.solution


def test_a_bound_above_which_none_is_better_is_the_end() -> None:
    instance = generate(customers=10, seed=4)
    solution = solve(instance, "min-max", "savings").solution
    progress = Progress(instance, Objective.MIN_MAX, solution, Watch(None))
    progress.raise_bound(progress.cost * (STRICTLY - 1e-12))
    assert not progress.closed
    assert progress.bound < progress.cost * STRICTLY
    progress.raise_bound(progress.cost * (STRICTLY + 1e-12))
    assert progress.closed
    assert progress.bound == progress.cost


def test_a_target_ends_the_proof_once_it_is_met() -> None:
    instance = generate(40, 3, seed=5)
    result = solve(instance, "min-max", "exact", iterations=0, target=1e9)
    assert result.cost == solve(instance, "min-max", "savings").cost
    assert result.bound is not None
    assert result.bound < result.cost
    assert result.status == "feasible"


def test_a_cancelled_run_ends_with_what_it_has() -> None:
    cancel = threading.Event()

    instance = generate(customers=40, seed=1)
    proof = bound(instance, "min-sum", on_improvement=lambda _: cancel.set(), cancel=cancel)
    assert not proof.optimal
    assert 0 < proof.value < proof.cost


@pytest.mark.parametrize(
    ("memory", "note"),
    [
        (1e4, "column generation needs 1.3e-05 GB for its tables"),
        (5e4, "memory did not allow pricing all routes"),
        (5e5, "memory or time did not allow listing all trips within the gap"),
    ],
)
def test_short_memory_gives_a_weaker_bound_and_says_so(memory: float, note: str) -> None:
    instance = generate(customers=15, seed=4)
    proof = bound(instance, "min-max", memory=memory)
    assert not proof.optimal
    assert 0 < proof.value < proof.cost
    assert proof.notes == (note,)


def test_capacity_and_load_cuts_count_in_the_tables_of_min_sum() -> None:
    # 15² legs of 32 bytes, 8 more for the one group that min-sum needs, and 16 for the cuts.
    instance = generate(customers=15, seed=4)
    note = "column generation needs 1.3e-05 GB for its tables"
    assert bound(instance, "min-sum", memory=1e4).notes == (note,)


def test_lists_of_plans_keep_to_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def fastest(_: TripOffers, __: PlanDuals, most: int, ___: Watch) -> tuple[bool, None]:
        asked.append(most)
        return False, None

    monkeypatch.setattr(certificate, "start", lambda task, *_: savings.construct(task))
    monkeypatch.setattr(plan_prover, "fastest", fastest)
    bound(generate(customers=10, seed=4), memory=1e6)
    assert set(asked) == {3333}  # 100 bytes a plan, three groups


def test_a_solution_that_the_referee_refuses_proves_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    instance = generate(customers=10, seed=4)
    best = bound(instance)
    assert best.optimal
    nobody = Solution([()] * len(instance.vehicles))
    monkeypatch.setattr(certificate, "start", lambda task, *_: savings.construct(task))
    monkeypatch.setattr(plan_prover.PlanProgramme, "refute", lambda _: None)
    monkeypatch.setattr(plan_prover, "fastest", lambda *_: (True, nobody))
    proof = bound(instance)
    assert proof.solution.violations(instance) == []
    assert proof.value <= best.value * (1 + 1e-9) < proof.cost


def test_time_that_an_open_proof_leaves_goes_to_the_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    instance = generate(customers=15, seed=4)
    better = solve(instance, "min-max", "sisr", iterations=20_000).solution
    monkeypatch.setattr(certificate, "start", lambda task, *_: savings.construct(task))
    monkeypatch.setattr(certificate, "go_on", lambda *_: better)
    assert bound(instance, memory=1e4, time_limit=60.0).solution == better
    assert bound(instance, memory=1e4).solution != better


def test_certify_adds_a_bound_to_any_answer() -> None:
    instance = generate(customers=12, seed=2)
    plain = solve(instance, "min-sum", "savings")
    assert plain.bound is None
    certified = certify(instance, plain)
    assert certified.solution == plain.solution
    assert certified.bound is not None
    assert certified.bound <= plain.cost
    best = solve(instance, "min-sum", "exact")
    assert certified.bound == pytest.approx(best.cost)
    assert certify(instance, best).status == "optimal"


def test_a_given_solution_is_never_made_worse() -> None:
    instance = generate(customers=10, seed=8)
    start = solve(instance, "min-max", "sisr", iterations=50_000).solution
    result = solve(instance, "min-max", "exact", initial=start)
    assert result.cost <= start.cost(instance, "min-max")
    assert result.status == "optimal"


@pytest.mark.parametrize("memory", [0.0, -1.0, math.nan])
def test_memory_must_be_positive(memory: float) -> None:
    with pytest.raises(InputError, match="memory must be a positive number of bytes"):
        solve(STREET, method="exact", memory=memory)
    with pytest.raises(InputError, match="memory must be a positive number of bytes"):
        bound(STREET, memory=memory)


def test_an_infeasible_solution_is_refused() -> None:
    other = solve(generate(customers=3, seed=1)).solution
    with pytest.raises(InputError, match="the initial solution is infeasible"):
        bound(STREET, solution=other)
