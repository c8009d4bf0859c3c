import threading

import numpy as np
import pytest

from hcvrp import InputError, Instance, Objective, Solution, exact, generate, solve
from hcvrp.solver import METHODS, find_method
from hcvrp.task import Recorder, Result, Stop, Task


@pytest.mark.parametrize("name", METHODS)
def test_every_entry_leads_to_a_method_of_that_name(name):
    assert find_method(name).name == name
    assert METHODS[name].summary


def test_solve_takes_names_objects_and_reports_by_the_referee():
    instance = generate(10, seed=1)
    by_name = solve(instance, "min-sum", "savings")
    by_object = solve(instance, Objective.MIN_SUM, find_method("savings"))
    assert by_name.solution == by_object.solution
    assert by_name.cost == by_name.solution.cost(instance, "min-sum")
    assert by_name.method == "savings"
    assert by_name.status == "feasible"
    assert by_name.bound is None
    assert by_name.gap is None


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"method": "magic"}, "unknown method 'magic'; known: .*savings"),
        ({"objective": "fast"}, "objective must be min-max or min-sum, not 'fast'"),
        ({"method": "savings", "depth": 3}, "method savings has no parameter 'depth'"),
        ({"method": find_method("savings"), "depth": 3}, "method savings has no parameter 'depth'"),
        ({"time_limit": -1}, "time_limit must be a number of at least 0, not -1"),
        ({"time_limit": float("nan")}, "time_limit must be a number of at least 0, not nan"),
        ({"iterations": -1}, "iterations must lie between 0 and 1000000000000000, not -1"),
        ({"iterations": 1.5}, "iterations must be a whole number, not 1.5"),
        ({"target": float("nan")}, "target must be a number, not nan"),
        ({"target": "a"}, "target must be a number, not 'a'"),
        ({"time_limit": "1"}, "time_limit must be a number, not '1'"),
        ({"seed": -4}, "seed must lie between 0 and 2⁶³ − 1, not -4"),
        ({"seed": 1.5}, "seed must be a whole number, not 1.5"),
        ({"threads": 0}, "threads must lie between 1 and 256, not 0"),
        ({"initial": Solution([[], [], []])}, "the initial solution is infeasible: customer 1 is"),
    ],
)
def test_bad_arguments(arguments, sentence):
    with pytest.raises(InputError, match=sentence):
        solve(generate(5), **arguments)


def test_a_path_is_no_instance():
    with pytest.raises(InputError, match=r"instance must be an Instance, not 'town.json'"):
        solve("town.json")


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"power": 8.5}, "method sisr: power must be a whole number, not 8.5"),
        ({"mean_removed": "abc"}, "method sisr: mean_removed must be a number, not 'abc'"),
        ({"near": True}, "method sisr: near must be a whole number, not True"),
        ({"remember": 1}, "method sisr: remember must be true or false, not 1"),
    ],
)
def test_parameters_of_the_wrong_type(parameters, sentence):
    with pytest.raises(InputError, match=sentence):
        find_method("sisr", **parameters)


def test_any_object_with_a_name_and_solve_is_a_method():
    class Lazy:
        name = "lazy"

        def solve(self, task):
            return Recorder(task, self.name).result(Solution([[[1], [2], [3]], [], []]))

    assert solve(generate(3), method=Lazy()).method == "lazy"
    with pytest.raises(InputError, match="method lazy has no parameter 'depth'; it has: none"):
        solve(generate(3), method=Lazy(), depth=3)


def test_stop_is_reached_by_whatever_comes_first():
    cancel = threading.Event()
    stop = Stop(time_limit=2, iterations=10, target=5, cancel=cancel)
    assert not stop.reached(seconds=1.9, iteration=9, cost=5.1)
    assert stop.reached(seconds=2)
    assert stop.reached(iteration=10)
    assert stop.reached(cost=5)
    cancel.set()
    assert stop.reached()


def test_the_recorder_keeps_only_improvements_and_passes_them_on():
    heard = []
    instance = Instance([1, 1], [1], depot=(0, 0), customers=[(1, 0), (2, 0)])
    two = instance.with_vehicles([1, 1])
    task = Task(two, Objective.MIN_MAX, on_improvement=heard.append)
    recorder = Recorder(task, "test")
    assert recorder.improved(Solution([[[1], [2]], []])) == 6
    assert recorder.improved(Solution([[[2], [1]], []])) == 6
    assert recorder.improved(Solution([[[1]], [[2]]]), iteration=7) == 4
    assert [(i.cost, i.iteration) for i in heard] == [(6, 0), (4, 7)]
    result = recorder.result(heard[-1].solution, 9, bound=3)
    assert (result.cost, result.iterations, result.gap) == (4, 9, 0.25)
    assert [i.cost for i in result.history] == [6, 4]
    assert [i.solution for i in result.history] == [None, heard[-1].solution]


def test_gap_is_never_negative_nor_divides_by_zero():
    def gap(cost, bound):
        return Result(Solution([]), cost, Objective.MIN_SUM, "x", 0.0, bound=bound).gap

    assert gap(0.0, 0.0) == 0
    assert gap(1.0, 1.0 + 1e-12) == 0


@pytest.mark.parametrize("method", ["auto", "sisr"])
def test_numpy_s_whole_numbers_will_do(method):
    limits = {"iterations": np.int64(15_000), "seed": np.int64(3), "threads": np.int64(2)}
    result = solve(generate(140, 5, seed=1), "min-max", method, **limits)
    assert result.solution.violations(generate(140, 5, seed=1)) == []


def test_no_time_for_a_proof_is_none_for_the_bound_either(monkeypatch):
    given = []
    prove = exact.certify
    monkeypatch.setattr(
        exact, "certify", lambda *a, **k: given.append(k["time_limit"]) or prove(*a, **k)
    )
    for limit in (0, 0.01, None):
        solve(generate(6, 2), "min-sum", "savings", time_limit=limit, certify=True)
    assert given == [0, 0.01, 10.0]


def test_certify_adds_a_bound_to_any_answer():
    instance = generate(8, 2, seed=4)
    plain = solve(instance, "min-sum", "savings")
    proven = solve(instance, "min-sum", "savings", certify=True)
    best = solve(instance, "min-sum", "exact")
    assert proven.solution == plain.solution
    assert best.status == "optimal"
    assert proven.bound == pytest.approx(best.cost, rel=1e-6)
    assert proven.bound <= best.cost * (1 + 1e-9)
    assert proven.gap == pytest.approx((plain.cost - proven.bound) / plain.cost)


def test_numbers_of_numpy_are_numbers_among_parameters_too():
    instance = generate(6, seed=1)
    policy = find_method("fleet", samples=np.int64(3), temperature=np.float32(1.5))
    assert solve(instance, method=policy).solution.violations(instance) == []
    with pytest.raises(InputError, match=r"samples must be a whole number, not 3\.0"):
        find_method("fleet", samples=np.float64(3))


@pytest.mark.parametrize("name", ["sisr", "vns", "fleet", "savings"])
def test_no_answer_is_dearer_than_an_initial_one_by_a_single_bit(name):
    # Ten trips to one customer each: another order of the sum is another last bit.
    points = np.random.default_rng(5).random((11, 2))
    one = Instance([1.0] * 10, [1.0], depot=points[0], customers=points[1:])
    for seed in range(8):
        order = np.random.default_rng(seed).permutation(10) + 1
        initial = Solution([[(int(customer),) for customer in order]])
        iterations = None if name == "savings" else 20
        result = solve(one, "min-sum", name, iterations=iterations, initial=initial)
        assert result.cost <= initial.cost(one, "min-sum")
        assert result.history[-1].cost == pytest.approx(result.cost, rel=1e-11)


@pytest.mark.parametrize("name", ["sisr", "vns", "aco", "firefly"])
def test_a_target_that_is_met_at_the_start_ends_the_run_there(name):
    instance = generate(20, 3, seed=4)
    for seed in range(6):
        first = solve(instance, "min-max", name, iterations=50, seed=seed)
        again = solve(
            instance, "min-max", name, iterations=50, initial=first.solution, target=first.cost
        )
        assert again.iterations == 0
        assert again.cost == first.cost
