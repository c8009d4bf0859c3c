"""auto: never behind its parts, the same answer by the same seed, proofs where they are cheap."""

import threading
from types import SimpleNamespace

import pytest

from hcvrp import auto, starts
from hcvrp.auto import Auto
from hcvrp.errors import InputError
from hcvrp.generator import generate
from hcvrp.instance import Instance
from hcvrp.solution import Objective, Solution
from hcvrp.solver import DEFAULT_METHOD, solve
from hcvrp.task import Improvement, Stop, Task

SOME = generate(140, 5, seed=1)
"""Large enough for rollouts to pay."""


@pytest.fixture(autouse=True)
def no_weights(monkeypatch, tmp_path):
    monkeypatch.setattr(starts, "WEIGHTS", tmp_path / "fleet.safetensors")


@pytest.fixture
def policy(monkeypatch):
    """A stand-in for the policy that always has the same answer, and notes what it is asked."""

    def pretend(answer: Solution) -> list[int]:
        asked: list[int] = []

        def rolled(_: Task, samples: int) -> list[Solution]:
            asked.append(samples)
            return [answer]

        starts.WEIGHTS.touch()
        monkeypatch.setattr(auto, "policy_starts", rolled)
        return asked

    return pretend


def singles(instance: Instance) -> Solution:
    routes = [[(c,) for c in range(1, instance.size + 1)]]
    largest = int(instance.capacities.argmax())
    return Solution(routes[0] if v == largest else [] for v in range(len(instance.vehicles)))


def test_it_is_the_default():
    assert DEFAULT_METHOD == "auto"
    assert solve(SOME, iterations=10).method == "auto"


@pytest.mark.parametrize("objective", Objective)
def test_without_weights_it_is_the_search(objective):
    for instance in (SOME, generate(20, seed=2)):
        ours = solve(instance, objective, "auto", iterations=3000, seed=4)
        search = solve(instance, objective, "sisr", iterations=3000, seed=4)
        assert ours.solution == search.solution
        assert (ours.iterations, ours.method) == (3000, "auto")


def test_without_weights_an_initial_solution_is_the_search_s_alone():
    poor = singles(SOME)
    runs = [
        solve(SOME, method=method, initial=poor, iterations=50, seed=3)
        for method in ("sisr", Auto(samples=8))
    ]
    costs = [[step.cost for step in run.history] for run in runs]
    assert costs[0] == costs[1]


def test_a_good_rollout_is_where_the_search_starts(policy):
    good = solve(SOME, "min-max", "sisr", iterations=20_000).solution
    asked = policy(good)
    result = solve(SOME, "min-max", "auto", iterations=40_800, seed=3)
    assert asked == [49]
    cost = good.cost(SOME, "min-max")
    assert result.history[0].cost == cost
    assert result.cost < cost
    costs, seconds = zip(*((i.cost, i.seconds) for i in result.history), strict=True)
    assert sorted(costs, reverse=True) == list(costs)
    assert sorted(seconds) == list(seconds)
    assert seconds[-1] <= result.seconds


def test_savings_stays_in_the_race(policy):
    policy(singles(SOME))
    result = solve(SOME, "min-max", "auto", iterations=0, samples=1)
    assert result.cost == pytest.approx(solve(SOME, "min-max", "savings").cost)


def test_initial_solutions_stay_in_the_race(policy):
    policy(singles(SOME))
    known = solve(SOME, "min-max", "sisr", iterations=2000).solution
    result = solve(SOME, "min-max", "auto", iterations=0, samples=1, initial=known)
    assert result.solution == known


def test_a_cancelled_policy_leaves_an_answer(policy, monkeypatch):
    policy(singles(SOME))
    monkeypatch.setattr(auto, "policy_starts", lambda *_: [])
    cancel = threading.Event()
    cancel.set()
    result = solve(SOME, "min-max", "auto", time_limit=60, cancel=cancel)
    assert result.solution.violations(SOME) == []


def test_the_same_seed_gives_the_same_answer(policy):
    asked = policy(solve(SOME, "min-max", "savings").solution)
    first, second, other = (
        solve(SOME, "min-max", "auto", iterations=8000, seed=seed, samples=2) for seed in (5, 5, 6)
    )
    assert asked == [2, 2, 2]
    assert first.solution == second.solution
    assert first.solution != other.solution


@pytest.mark.parametrize(("samples", "expected"), [(0, []), (5, [5]), (None, [])])
def test_samples_can_be_told(policy, samples, expected):
    instance = generate(20, seed=2)
    asked = policy(solve(instance, "min-max", "savings").solution)
    solve(instance, "min-max", "auto", iterations=100, samples=samples)
    assert asked == expected


@pytest.mark.parametrize("objective", Objective)
def test_tiny_instances_are_proven(objective):
    instance = generate(7, 2, seed=3)
    steps: list[Improvement] = []
    result = solve(instance, objective, on_improvement=steps.append)
    proof = solve(instance, objective, "exact")
    assert (result.status, result.method) == ("optimal", "auto")
    assert result.cost == pytest.approx(proof.cost)
    assert result.bound == pytest.approx(result.cost)
    assert steps[-1].bound == result.bound
    assert result.history[-1].cost == pytest.approx(result.cost)


@pytest.mark.parametrize(
    ("customers", "stop", "expected"),
    [
        (12, Stop(), True),
        (12, Stop(time_limit=1.0), True),
        (12, Stop(time_limit=0.5), False),
        (12, Stop(iterations=10**6), False),
        (12, Stop(target=1.0), False),
        (13, Stop(), False),
    ],
)
def test_what_is_tiny(customers, stop, expected):
    assert auto.is_tiny(Task(generate(customers), Objective.MIN_MAX, stop)) == expected


def test_a_gpu_is_woken_for_long_batches_only(monkeypatch):
    monkeypatch.setattr(starts, "_has_gpu", lambda: True)
    monkeypatch.setitem(starts.sys.modules, "torch", None)
    task = Task(generate(40, 3), Objective.MIN_MAX, Stop(time_limit=2.0))
    assert not starts._gpu_at_hand([])
    assert not starts._gpu_at_hand([task] * 29)
    assert starts._gpu_at_hand([task] * 31)
    monkeypatch.setattr(starts, "_has_gpu", lambda: False)
    assert not starts._gpu_at_hand([task] * 31)


def test_a_gpu_that_is_awake_is_used(monkeypatch):
    awake = SimpleNamespace(cuda=SimpleNamespace(is_initialized=lambda: True))
    monkeypatch.setitem(starts.sys.modules, "torch", awake)
    assert starts._gpu_at_hand([Task(SOME, Objective.MIN_MAX, Stop(time_limit=0.001))])
    assert not starts._gpu_at_hand([])


def made_by_a_gpu(monkeypatch, tasks, samples=None):
    """The starts that `prepare` gets from a stand-in, and which sizes and samples it was asked."""
    asked = []

    def decode(batch, samples):
        asked.append(([task.instance.size for task in batch], samples))
        return [singles(task.instance) for task in batch]

    starts.WEIGHTS.touch()
    monkeypatch.setattr(starts, "_gpu_at_hand", bool)
    monkeypatch.setattr(starts, "_decoded", decode)
    return auto.Auto(samples).prepare(tasks), asked


def test_a_gpu_makes_starts_where_they_pay(monkeypatch):
    limits = {30: 0.01, 12: 1.0, 150: 0.5, 1_001: 0.01, 300: 5.0}
    tasks = [Task(generate(n, 3), Objective.MIN_MAX, Stop(time_limit=t)) for n, t in limits.items()]
    tasks.append(Task(generate(30, 3), Objective.MIN_MAX, Stop(iterations=100)))
    found, asked = made_by_a_gpu(monkeypatch, [*tasks, *tasks[:1] * 99])
    # Not for what is proven, what is too large, a long search, nor what must not depend on the GPU.
    assert asked == [([30] * 100, 1_280), ([150], 1_280)]
    assert [bool(start) for start in found[:6]] == [True, False, True, False, False, False]
    found, asked = made_by_a_gpu(monkeypatch, tasks, samples=5)
    assert asked == [([30], 5), ([150], 5), ([300], 5), ([1_001], 5)]


def test_a_gpu_that_fails_leaves_the_search_alone(monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("out of memory\nand more")

    monkeypatch.setattr("hcvrp.policy.Policy.solve_many", fail)
    task = Task(generate(30, 3), Objective.MIN_MAX, Stop(time_limit=0.01))
    assert starts._decoded([task, task], 8) == []
    monkeypatch.setattr(starts, "_gpu_at_hand", bool)
    starts.WEIGHTS.touch()
    assert starts.batch_starts([task, task], 8) == [(), ()]


def test_a_cancelled_batch_makes_no_further_starts(monkeypatch):
    cancel = threading.Event()
    asked = []

    def decode(_, instances, *__, stop):
        asked.append([instance.size for instance in instances])
        assert stop.cancel is cancel
        cancel.set()
        return [singles(instances[0])]

    monkeypatch.setattr("hcvrp.policy.Policy.solve_many", decode)
    monkeypatch.setattr(starts, "_gpu_at_hand", bool)
    starts.WEIGHTS.touch()
    stop = Stop(time_limit=0.01, cancel=cancel)
    tasks = [Task(generate(n, 3), Objective.MIN_MAX, stop) for n in (30, 30, 150)]
    found = starts.batch_starts(tasks, 8)
    assert asked == [[30, 30]]
    assert found == [(singles(tasks[0].instance),), (), ()]


def test_a_slow_policy_is_given_up():
    cancel = threading.Event()
    assert starts._Deadline(0.0, cancel).is_set()
    assert not starts._Deadline(1e6, cancel).is_set()
    assert not starts._Deadline(None, cancel).is_set()
    cancel.set()
    assert starts._Deadline(None, cancel).is_set()


def test_negative_samples_get_a_sentence():
    with pytest.raises(InputError, match="samples must be a whole number of at least 0, not -1"):
        Auto(samples=-1)
    with pytest.raises(InputError, match="samples must be at most 1000000000, not 10000000000"):
        Auto(samples=10**10)


@pytest.mark.parametrize("objective", Objective)
def test_the_shipped_policy_starts_the_search(objective, monkeypatch):
    monkeypatch.undo()
    if not starts.WEIGHTS.is_file():
        pytest.skip("no fleet weights are shipped")
    result = solve(SOME, objective, "auto", iterations=200, samples=2, threads=2)
    again = solve(SOME, objective, "auto", iterations=200, samples=2, threads=2)
    assert result.solution == again.solution
    assert result.solution.violations(SOME) == []
    rollout = solve(SOME, objective, "fleet", samples=2, device="cpu")
    assert result.cost <= rollout.cost
    assert result.cost <= solve(SOME, objective, "savings").cost * (1 + 1e-9)
