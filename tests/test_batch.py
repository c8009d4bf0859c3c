"""solve_many: the answers of solve, in order, however many processes there are."""

import os
import threading
from dataclasses import dataclass, replace
from types import SimpleNamespace

import pytest

import hcvrp
from hcvrp import auto, batch, rollouts, starts
from hcvrp.auto import Auto
from hcvrp.errors import InputError
from hcvrp.generator import generate
from hcvrp.policy import Policy, engine
from hcvrp.policy.policy import Fleet
from hcvrp.solution import Solution
from hcvrp.solver import solve
from hcvrp.task import Improvement, Recorder, Result

TOWNS = [generate(n, 3, seed=n) for n in (20, 14, 17, 30, 16)]


@dataclass(frozen=True)
class Patient:
    """Waits to be cancelled, then answers with a trip for each customer."""

    name = "patient"

    def solve(self, task):
        while not task.stop.cancel.is_set():
            task.stop.cancel.wait(0.005)
        return Recorder(task, self.name).result(Solution([[[c] for c in range(1, 4)], [], []]))


@dataclass(frozen=True)
class Fatal:
    """Ends its process."""

    name = "fatal"

    def solve(self, _task):
        os._exit(7)


@pytest.mark.parametrize("processes", [1, 3])
def test_the_answers_of_solve_in_order(processes):
    heard = {}
    results = hcvrp.solve_many(
        TOWNS, "min-sum", "sisr", iterations=500, seed=2, processes=processes,
        on_result=heard.__setitem__,
    )  # fmt: skip
    alone = [solve(town, "min-sum", "sisr", iterations=500, seed=2) for town in TOWNS]
    assert [r.solution for r in results] == [r.solution for r in alone]
    assert [heard[k].cost for k in range(5)] == [r.cost for r in results]


def test_nothing_to_do():
    assert hcvrp.solve_many([], processes=4) == []
    assert hcvrp.solve_many([], method="fleet") == []
    assert Fleet().solve_many([], "min-max") == []


@pytest.mark.parametrize("processes", [1, 2])
def test_bad_input_comes_through_as_it_is(processes):
    with pytest.raises(InputError, match="method savings works on one thread"):
        hcvrp.solve_many(TOWNS, method="savings", threads=2, processes=processes)


def test_processes_must_be_some():
    with pytest.raises(InputError, match="processes must lie between 1 and 256, not 0"):
        hcvrp.solve_many(TOWNS, processes=0)
    with pytest.raises(InputError, match=r"processes must be a whole number, not 2\.5"):
        hcvrp.solve_many(TOWNS, processes=2.5)


def test_answers_of_a_learned_batch_have_a_history():
    for result in hcvrp.solve_many(TOWNS, method="fleet"):
        assert [step.cost for step in result.history] == [result.cost]
        assert result.history[0].solution == result.solution


def test_a_cancelled_batch_ends_with_what_was_begun():
    cancel = threading.Event()
    cancel.set()
    three = [generate(3, 3, seed=k) for k in range(9)]
    assert len(hcvrp.solve_many(three, method=Patient(), cancel=cancel)) == 1
    results = hcvrp.solve_many(three, method=Patient(), cancel=cancel, processes=2)
    assert 1 <= len(results) < 9
    assert all(r.method == "patient" for r in results)


def test_a_cancelled_batch_of_a_learned_method_ends_with_the_first():
    cancel = threading.Event()
    cancel.set()
    sizes = [5, 7, 5, 6]
    towns = [generate(n, 2, seed=k) for k, n in enumerate(sizes)]
    told = []
    results = hcvrp.solve_many(
        towns, method="fleet", cancel=cancel, on_result=lambda number, _: told.append(number)
    )
    assert told == [0]
    assert [r.solution.violations(towns[0]) for r in results] == [[]]


def test_a_cancelled_batch_has_no_holes():
    """Groups of equal size are decoded one after another; only the first instances count then."""
    cancel = threading.Event()

    class Learned:
        name = "learned"

        def solve(self, _task):
            raise NotImplementedError

        def solve_many(self, instances, objective, _seed=0, **_):
            cancel.set()
            return [solve(i, objective, "savings").solution for i in instances]

    towns = [generate(n, 2, seed=n) for n in (10, 15, 10, 15)]
    results = hcvrp.solve_many(towns, method=Learned(), cancel=cancel)
    assert [r.solution.violations(towns[0]) for r in results] == [[]]


def test_a_dead_process_is_named():
    with pytest.raises(RuntimeError, match=r"instance \d: the process ended with exit code 7"):
        hcvrp.solve_many(TOWNS[:2], method=Fatal(), processes=2)


def test_learned_methods_decode_together():
    class Learned:
        name = "learned"

        def solve_many(self, instances, objective, _seed=0, *, threads, stop):
            assert (threads, stop.iterations) == (2, 7)
            return [solve(i, objective, "savings").solution for i in instances]

    results = hcvrp.solve_many(TOWNS, "min-max", Learned(), processes=2, iterations=7)
    assert [r.method for r in results] == ["learned"] * 5
    assert [r.cost for r in results] == [solve(t, "min-max", "savings").cost for t in TOWNS]


def test_starts_that_were_made_together_are_searched_from(monkeypatch):
    known = [solve(town, "min-max", "sisr", iterations=3000).solution for town in TOWNS]
    monkeypatch.setattr(Auto, "prepare", lambda *_: [(solution,) for solution in known])
    monkeypatch.setattr(auto, "policy_starts", None)  # nobody asks again
    results = hcvrp.solve_many(TOWNS, "min-max", iterations=0)
    assert [r.solution for r in results] == known
    assert [r.method for r in results] == ["auto"] * 5


def test_the_time_of_starts_made_together_is_shared(monkeypatch):
    known = [solve(town, "min-max", "sisr", iterations=3000).solution for town in TOWNS]
    ticks = iter([10.0, 12.0])
    monkeypatch.setattr(Auto, "prepare", lambda *_: [(s,) for s in known[:4]] + [()])
    monkeypatch.setattr(batch, "time", SimpleNamespace(perf_counter=lambda: next(ticks)))
    monkeypatch.setattr(Auto, "solve", lambda _, task: _instant(replace(task, initial=known[4:])))
    heard = {}
    results = hcvrp.solve_many(TOWNS, "min-max", time_limit=0.4, on_result=heard.__setitem__)
    # Half a second each is more than there was: the starts are the answers.
    assert [r.solution for r in results] == known
    assert [r.seconds for r in results[:4]] == pytest.approx([0.5] * 4, abs=0.1)
    assert [r.history[0].cost for r in results] == [r.cost for r in results]
    assert results[4].seconds == 0
    assert [heard[k] for k in range(5)] == results


def test_a_search_goes_on_from_its_start_in_the_time_that_is_left(monkeypatch):
    known = [solve(town, "min-max", "savings").solution for town in TOWNS[:2]]
    ticks = iter([10.0, 10.2])
    monkeypatch.setattr(Auto, "prepare", lambda *_: [(s,) for s in known])
    monkeypatch.setattr(batch, "time", SimpleNamespace(perf_counter=lambda: next(ticks)))
    limits = []
    monkeypatch.setattr(
        Auto, "solve", lambda _, task: limits.append(task.stop.time_limit) or _instant(task)
    )
    results = hcvrp.solve_many(TOWNS[:2], "min-max", time_limit=0.3)
    assert limits == pytest.approx([0.2, 0.2])
    assert [r.seconds for r in results] == pytest.approx([0.1, 0.1])
    assert [r.history[0].seconds for r in results] == pytest.approx([0.1, 0.1])


def test_only_those_without_a_start_ask_the_policy_again(monkeypatch):
    first, second = (solve(town, "min-max", "savings").solution for town in TOWNS[:2])
    monkeypatch.setattr(Auto, "prepare", lambda *_: [(first,), ()])
    asked = []

    def search(self, task):
        asked.append(self.samples)
        return _instant(task if task.initial else replace(task, initial=(second,)))

    monkeypatch.setattr(Auto, "solve", search)
    hcvrp.solve_many(TOWNS[:2], "min-max", time_limit=9.0)
    assert asked == [0, None]


def _instant(task):
    """A result that took no time."""
    start = task.initial[0]
    cost = task.cost(start)
    return Result(start, cost, task.objective, "auto", 0.0, history=(Improvement(cost, 0.0, 0),))


@pytest.mark.parametrize("samples", [None, 16])
def test_torch_decodes_the_starts_of_a_batch(monkeypatch, samples):
    """On a CPU, in place of the GPU that it is for."""
    pytest.importorskip("torch")
    if not starts.WEIGHTS.is_file():
        pytest.skip("no fleet weights are shipped")
    monkeypatch.setattr(starts, "_gpu_at_hand", bool)
    monkeypatch.setattr(engine, "on_gpu", lambda _: True)
    limit = {"iterations": 100, "time_limit": 60.0, "samples": samples}
    monkeypatch.setattr(rollouts, "pay_if_free", lambda _: True)
    monkeypatch.setattr(rollouts, "on_gpu", lambda *_: 1)
    results = hcvrp.solve_many(TOWNS, "min-max", seed=3, processes=2, **limit)
    policy = Policy.load(starts.WEIGHTS, samples=samples or 0)
    alone = [policy.solve_many([town], "min-max", 3)[0] for town in TOWNS]
    for town, result, start in zip(TOWNS, results, alone, strict=True):
        assert result.solution.violations(town) == []
        assert result.cost <= solve(town, "min-max", "savings").cost
        if samples is None:  # greedy: samples depend on who is decoded beside
            assert result.cost <= start.cost(town, "min-max")


def test_torch_answers_a_batch_without_time_to_search(monkeypatch):
    pytest.importorskip("torch")
    if not starts.WEIGHTS.is_file():
        pytest.skip("no fleet weights are shipped")
    monkeypatch.setattr(starts, "_gpu_at_hand", bool)
    monkeypatch.setattr(engine, "on_gpu", lambda _: True)
    monkeypatch.setattr(rollouts, "gpu_seconds", lambda *_: (0.0, 0.0, 1.0))
    results = hcvrp.solve_many(TOWNS, "min-max", time_limit=1e-5)
    policy = Policy.load(starts.WEIGHTS)
    for town, result in zip(TOWNS, results, strict=True):
        assert result.solution == policy.solve_many([town], "min-max")[0]
        assert result.method == "auto"
