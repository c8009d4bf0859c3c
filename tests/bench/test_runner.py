"""The runner: complete, resumable after a kill, judged by the referee."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass

import pytest

from hcvrp import batch
from hcvrp.auto import Auto
from hcvrp.bench import answers, runner
from hcvrp.bench.answers import Answer, Job, answer
from hcvrp.bench.plan import Cell, parse_plan
from hcvrp.bench.results import load
from hcvrp.bench.runner import run
from hcvrp.bench.series import family_of
from hcvrp.bench.sets import find_set
from hcvrp.bench.workers import answered
from hcvrp.errors import InputError
from hcvrp.generator import generate, paper_set
from hcvrp.solution import Objective, Solution
from hcvrp.solver import solve

MIN_MAX = Objective.MIN_MAX
SEARCH = """
[[cells]]
label = "sisr"
method = "sisr"
sets = ["v3-c40[:24]"]
objectives = ["min-max"]
iterations = 30000
"""


@pytest.fixture
def in_process(monkeypatch):
    """Answers without worker processes: quicker, and enough where those do not matter."""
    monkeypatch.setattr(runner, "answered", lambda jobs, *_: ((j, answer(j)) for j in jobs))


def told(path):
    """The file without what a second run cannot repeat: seconds and the session."""
    return [vars(row) | {"seconds": 0, "session": ""} for row in load([path]).rows]


def test_a_run_has_a_row_per_instance_with_the_costs_of_solve(tmp_path):
    cells = parse_plan("""
        [[cells]]
        label = "s"
        method = "savings"
        sets = ["v3-c40[2:5]", "random-n9-m2[7:8]"]
    """)
    assert run(cells, tmp_path / "deep" / "r.csv", workers=2)
    rows = load([tmp_path / "deep" / "r.csv"]).rows
    assert len(rows) == 8
    for row in rows:
        if row.set == "v3-c40":
            instance = paper_set("v3-c40", row.objective)[row.number]
            assert row.cost == solve(instance, row.objective, "savings").cost
            assert row.instance == instance.name


def test_a_killed_run_is_completed_as_if_nothing_had_happened(tmp_path):
    plan, killed, whole = (tmp_path / name for name in ("plan.toml", "killed.csv", "whole.csv"))
    plan.write_text(SEARCH)
    main = "from hcvrp.cli import main; main()"
    command = [sys.executable, "-c", main, "bench", "run", plan, "--out", killed, "--workers", "2"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not killed.exists() or killed.read_bytes().count(b"\n") < 4:
        assert process.poll() is None
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    done = load([killed]).rows
    assert 3 <= len(done) < 24
    with killed.open("a") as file:
        file.write("v3-c40,29,v3-c40-29,min-m")
    cells = parse_plan(SEARCH)
    asked = []
    assert run(cells, killed, workers=2, progress=lambda *news: asked.append(news[2].key))
    assert not {row.key for row in done} & set(asked)
    assert run(cells, whole, workers=1)
    assert told(killed) == told(whole)
    assert len(load([killed]).sessions) == 2


@pytest.mark.usefixtures("in_process")
def test_a_batch_that_was_torn_is_decoded_again_as_it_was(tmp_path):
    path = tmp_path / "r.csv"
    cells = parse_plan("""
        [[cells]]
        label = "sampled"
        method = "paper"
        sets = ["v3-c40[:5]"]
        objectives = ["min-max"]
        batch = 3
        parameters = { samples = 4 }
    """)
    assert run(cells, path)
    whole = told(path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], lines[2], lines[4]]))
    assert run(cells, path)
    assert told(path) == whole


def test_what_is_answered_together_is_what_each_would_have_got(tmp_path):
    cells = parse_plan("""
        [[cells]]
        label = "auto, batch"
        method = "auto"
        sets = ["random-n15-m2[1:6]"]
        iterations = 500
        batch = 3
        together = true
    """)
    assert run(cells, tmp_path / "r.csv")
    rows = load([tmp_path / "r.csv"]).rows
    assert len(rows) == 10
    for row in rows:
        assert row.seconds > 0
        assert row.iterations == 500
        assert family_of(row) == "auto, batch"
        (instance,) = find_set(
            f"random-n15-m2[{row.number}:{row.number + 1}]", row.objective
        ).instances
        assert row.cost == solve(instance, row.objective, "auto", iterations=500).cost


@pytest.mark.parametrize(("pays", "device"), [(True, "cuda"), (False, "cpu")])
def test_a_gpu_is_awake_and_its_kernels_compiled_before_the_clock_runs(monkeypatch, pays, device):
    """With a stand-in for the GPU: who is asked for what, in which order."""
    asked = []

    class Awake(Auto):
        def prepare(self, tasks):
            asked.append(("prepare", len(tasks)))
            return [(Solution([[], []]),) if pays else () for _ in tasks]

    def solve_many(instances, objective, method, **given):
        asked.append((len(instances), str(method), given.get("device")))
        return batch.solve_many(instances, objective, "savings")

    monkeypatch.setattr("hcvrp.policy.engine.on_gpu", lambda _: True)
    monkeypatch.setattr(answers, "find_method", lambda _: Awake())
    monkeypatch.setattr(answers, "solve_many", solve_many)
    instances = find_set("random-n9-m2[0:2]", MIN_MAX).instances
    cell = Cell("a", "random-n9-m2[0:2]", MIN_MAX, "auto", time_limit=0.001, together=True)
    found = answer(Job(cell, (0, 1), instances))
    assert [a.message for a in found] == ["", ""]
    assert [a.device for a in found] == [device, device]
    assert asked == [(1, "fleet", "cuda"), ("prepare", 2), (2, str(Awake()), None)]


@pytest.mark.parametrize(("device", "samples"), [("cpu", 0), ("cuda", 128)])
def test_few_samples_are_made_before_the_clock_runs(monkeypatch, device, samples):
    asked = []

    @dataclass(frozen=True)
    class Learned:
        samples: int = 0
        name = "learned"

        def solve_many(self, instances, objective, seed=0, *, threads=None, stop=None):  # noqa: ARG002
            asked.append((self.samples, stop and (stop.time_limit, stop.iterations)))
            return [Solution([[[1]]]) for _ in instances]

    monkeypatch.setattr("hcvrp.policy.engine.on_gpu", lambda _: device == "cuda")
    monkeypatch.setattr(answers, "find_method", lambda _name, **given: Learned(**given))
    limits = {"time_limit": 0.5, "iterations": 7}
    cell = Cell("l", "random-n1-m1[0:1]", MIN_MAX, "fleet", parameters={"samples": 1280}, **limits)
    (found,) = answer(Job(cell, (0,), find_set("random-n1-m1[0:1]", MIN_MAX).instances))
    assert asked == [(samples, None), (1280, (0.5, 7))]
    assert found.device == device


def test_no_answer_is_begun_after_the_minutes_are_over(tmp_path):
    cells = [Cell("s", "v3-c40[:3]", MIN_MAX, "savings")]
    assert not run(cells, tmp_path / "r.csv", minutes=0)
    assert load([tmp_path / "r.csv"]).rows == ()
    assert run(cells, tmp_path / "r.csv", minutes=5)
    assert len(load([tmp_path / "r.csv"]).rows) == 3


def test_a_method_that_fails_is_recorded_and_stops_nothing(tmp_path):
    cells = [
        Cell("none", "v3-c40[:2]", MIN_MAX, weights="nowhere"),
        Cell("wrong", "v3-c40[:1]", MIN_MAX, "sisr", parameters={"blink": 7}),
        Cell("s", "v3-c40[:2]", MIN_MAX, "savings"),
    ]
    assert run(cells, tmp_path / "r.csv")
    rows = {(row.label, row.number): row for row in load([tmp_path / "r.csv"]).rows}
    assert [rows["none", k].status for k in (0, 1)] == ["failed", "failed"]
    assert rows["none", 0].message.startswith("no policy 'nowhere': neither a file")
    assert rows["wrong", 0].message == "blink must lie in [0, 1), not 7"
    assert rows["wrong", 0].cost is None
    assert [rows["s", k].status for k in (0, 1)] == ["feasible", "feasible"]


@pytest.mark.usefixtures("in_process")
def test_an_instance_that_two_cells_ask_for_counts_once(tmp_path):
    cells = [Cell("s", f"v3-c40[{k}:3]", MIN_MAX, "savings") for k in (0, 2)]
    told = []
    assert run(cells, tmp_path / "r.csv", progress=lambda *news: told.append(news[:2]))
    assert told == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.usefixtures("in_process")
def test_failures_are_asked_again_only_on_request(tmp_path):
    cells = [Cell("none", "v3-c40[:1]", MIN_MAX, weights="nowhere")]
    asked = []
    for retry in (False, False, True):
        run(cells, tmp_path / "r.csv", retry=retry, progress=lambda *news: asked.append(news[0]))
    assert asked == [1, 1]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (lambda s: Answer(Solution(s.routes[:2])), "infeasible: the solution has routes for 2"),
        (lambda s: Answer(s, bound=1e6), "the bound 1000000 exceeds the cost "),
        (lambda _: Answer(message="gave up"), "gave up"),
    ],
)
def test_the_referee_judges_outside_the_method(tmp_path, monkeypatch, given, message):
    solution = solve(paper_set("v3-c40")[0], method="savings").solution
    monkeypatch.setattr(runner, "answered", lambda jobs, *_: ((j, [given(solution)]) for j in jobs))
    run([Cell("s", "v3-c40[:1]", MIN_MAX, "savings")], tmp_path / "r.csv")
    (row,) = load([tmp_path / "r.csv"]).rows
    assert (row.status, row.cost) == ("failed", None)
    assert row.message.startswith(message)


def test_a_proven_answer_keeps_its_bound(tmp_path, monkeypatch):
    found = solve(paper_set("v3-c40")[0], method="savings")
    proven = Answer(found.solution, 1.5, 7, found.cost, "optimal")
    monkeypatch.setattr(runner, "answered", lambda jobs, *_: ((j, [proven]) for j in jobs))
    run([Cell("s", "v3-c40[:1]", MIN_MAX, "savings")], tmp_path / "r.csv")
    (row,) = load([tmp_path / "r.csv"]).rows
    assert (row.status, row.cost, row.bound) == ("optimal", found.cost, found.cost)
    assert (row.seconds, row.iterations) == (1.5, 7)


class Bomb:
    """Ends the process that unpickles it."""

    def __reduce__(self):
        return os._exit, (3,)


def test_a_worker_that_dies_is_replaced():
    cell = Cell("s", "v3-c40", MIN_MAX, "savings")
    instance = paper_set("v3-c40")[0]
    jobs = [Job(cell, (0,), (Bomb(),)), Job(cell, (1,), (instance,)), Job(cell, (2,), (instance,))]
    found = {job.numbers[0]: answers[0] for job, answers in answered(jobs, 1)}
    assert found[0].message == "the process ended with exit code 3"
    assert found[1].solution == found[2].solution != None  # noqa: E711


def test_a_defect_in_a_method_is_an_answer_too(monkeypatch):
    monkeypatch.setattr(answers, "find_method", lambda _: {}["method"])
    cell = Cell("s", "v3-c40", MIN_MAX, "savings")
    (found,) = answer(Job(cell, (0,), (generate(3),)))
    assert found.message == "KeyError: 'method'"


def test_a_label_with_other_settings_is_refused_before_anything_runs(tmp_path):
    cells = [
        Cell("s", "v3-c40[:1]", MIN_MAX, "savings"),
        Cell("s", "v3-c40[1:2]", MIN_MAX, "sisr"),
    ]
    with pytest.raises(InputError, match="label 's' on v3-c40 stands for"):
        run(cells, tmp_path / "r.csv")
    assert load([tmp_path / "r.csv"]).rows == ()


def test_a_run_needs_neither_torch_nor_pictures_nor_a_terminal():
    script = (
        "import sys, hcvrp.bench.runner;"
        "print([m for m in ('torch', 'matplotlib', 'typer', 'rich') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
