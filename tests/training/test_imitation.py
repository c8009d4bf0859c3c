"""Examples from the search: handed in, handed back, learned."""

from __future__ import annotations

import csv
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
import torch
from small_fleet import small_config

from hcvrp import InputError, Objective
from hcvrp.env import Actions, Batch, Following, instances, log_prob, rollout, solutions, trips
from hcvrp.env.tensors import mapped
from hcvrp.policy.settings import Decoding
from hcvrp.search.improve import Drafts, Improved
from hcvrp.training.captured import Sizes
from hcvrp.training.fleet_config import FleetConfig
from hcvrp.training.imitation import Exercise, Tutor
from hcvrp.training.loop import Limits, train
from hcvrp.training.sampling import SampleLearner

CPU = torch.device("cpu")


def config(**training: Any) -> FleetConfig:
    usual = {
        "steps": 5,
        "samples": 4,
        "learning_rate": 1e-2,
        "imitate_every": 1,
        "imitated": 0.9,
        "search_iterations": 200,
        "validation": 8,
        "sets": ["v3-c6"],
    }
    shape = {"customers": 9, "vehicles": [2, 3], "batch": 8}
    return small_config({"imitation": 1.0, "shapes": [shape]}, **(usual | training))


def handed_in(
    tutor: Tutor, batch: Batch, drafts: Actions, objective: Objective, weight: float, seed: int = 1
) -> None:
    tutor.hand_in(Exercise(batch, drafts, objective, weight, seed))
    tutor.begin()


@pytest.fixture
def learner() -> Iterator[SampleLearner]:
    made = SampleLearner(config(), CPU)
    yield made
    made.close()


def test_drafts_come_back_better(learner: SampleLearner) -> None:
    assert learner.tutor.hand_back() is None
    lesson = learner.lesson(0, 0.0)
    batch = learner.draw(lesson)
    drafts = learner._decoded(batch, lesson.objective, Decoding(1), seed=5).actions
    before = [
        plan.cost(instance, lesson.objective)
        for instance, plan in zip(instances(batch), solutions(batch, drafts), strict=True)
    ]
    handed_in(learner.tutor, batch, drafts, lesson.objective, 2.5)
    example = learner.tutor.hand_back()
    assert example is not None
    assert (example.weight, example.objective) == (2.5, lesson.objective)
    assert learner.tutor.hand_back() is None  # only once

    decoder = learner.network.encode(batch, lesson.objective)
    made = rollout(batch, Following(decoder, example.plan), 1, torch.Generator().manual_seed(1))
    after = []
    for instance, plan in zip(instances(batch), solutions(batch, made.actions), strict=True):
        assert not plan.violations(instance)
        after.append(plan.cost(instance, lesson.objective))
    assert all(a <= b + 1e-6 for a, b in zip(after, before, strict=True))
    shares = [1 - a / b for a, b in zip(after, before, strict=True)]
    gain = learner.tutor.gain()
    assert gain == pytest.approx(sum(shares) / len(shares), abs=1e-5)
    assert gain is not None
    assert gain > 0.02  # an untrained network's samples are poor
    assert learner.tutor.gain() is None


@pytest.mark.parametrize("objective", list(Objective))
def test_examples_become_likelier(learner: SampleLearner, objective: Objective) -> None:
    learner.seed(1, 0)
    batch = learner._world(learner.lesson(list(Objective).index(objective), 0.0)).draw(
        12, learner.generator
    )
    drafts = learner._decoded(batch, objective, Decoding(4), seed=5).actions
    handed_in(learner.tutor, batch, drafts, objective, 1.0)
    example = learner.tutor.hand_back()
    assert example is not None

    def likelihood() -> float:
        with torch.no_grad():
            decoder = learner.network.encode(batch, objective)
            order = rollout(batch, Following(decoder, example.plan))
            return float(log_prob(batch, decoder, order.actions).mean())

    before = likelihood()
    for step in range(20):
        learner.seed(step, 9)
        figures, sizes = learner.copy(example, learner.generator)
        assert float(figures.lost) == 0
        assert sizes.steps > 9
    assert likelihood() > before + 1


@pytest.mark.parametrize("weight", [0.25, 2.0])
def test_a_gradient_by_hand(learner: SampleLearner, weight: float) -> None:
    """That of −mean log π of the given plans, clipped to a norm of `weight`."""
    learner.seed(2, 0)
    batch = learner._world(learner.lesson(0, 0.0)).draw(12, learner.generator)
    drafts = learner._decoded(batch, Objective.MIN_MAX, Decoding(4), seed=5).actions
    handed_in(learner.tutor, batch, drafts, Objective.MIN_MAX, weight)
    example = learner.tutor.hand_back()
    assert example is not None
    learner.set_rate(0.0)
    got: list[torch.Tensor] = []
    for sizes in (None, Sizes(24, 64)):  # looking, and as a captured update
        learner.seed(7, 0)
        learner.copy(example, learner.generator, sizes)
        grads = [p.grad.clone() for p in learner.network.parameters() if p.grad is not None]
        got = grads if sizes is None else got
        torch.testing.assert_close(grads, got)

    learner.seed(7, 0)
    learner.network.zero_grad()
    decoder = learner.network.encode(batch, Objective.MIN_MAX)
    order = rollout(batch, Following(decoder, example.plan), 1, learner.generator).actions
    (-log_prob(batch, decoder, order).mean()).backward()
    gradients = [p.grad for p in learner.network.parameters() if p.grad is not None]
    norm = float(torch.nn.utils.get_total_norm(gradients))
    assert norm > 2
    for mine, expected in zip(got, gradients, strict=True):
        torch.testing.assert_close(mine, expected * weight / norm, rtol=1e-3, atol=1e-6)


def test_a_run_that_imitates_can_be_resumed(tmp_path: Path) -> None:
    whole = train(config(), tmp_path / "whole", CPU, Limits(2))
    for epochs in (1, 2):
        parts = train(config(), tmp_path / "parts", CPU, Limits(epochs), resume=True)
    for name, tensor in whole.network.state_dict().items():
        assert torch.equal(tensor, parts.network.state_dict()[name]), name
    plain = train(config(imitate_every=100), tmp_path / "plain", CPU, Limits(2))
    assert any(
        not torch.equal(tensor, plain.network.state_dict()[name])
        for name, tensor in whole.network.state_dict().items()
    )
    with (tmp_path / "whole" / "validation.csv").open(newline="") as file:
        gains = [float(row["cost"]) for row in csv.DictReader(file) if "gain" in row["set"]]
    assert len(gains) == 2
    assert all(0 < gain < 1 for gain in gains)


def test_an_exercise_waits_until_the_one_before_it_is_back(
    learner: SampleLearner, idle: list[Drafts]
) -> None:
    batch = learner.draw(learner.lesson(0, 0.0))
    drafts = learner._decoded(batch, Objective.MIN_MAX, Decoding(1)).actions
    tutor = learner.tutor
    tutor.begin()  # nothing is there yet
    for weight in (1.0, 2.0):
        tutor.hand_in(Exercise(batch, drafts, Objective.MIN_MAX, weight, 1))
        assert tutor.hand_back() is None
    tutor.begin()
    tutor.hand_in(Exercise(batch, drafts, Objective.MIN_MAX, 3.0, 1))
    example = tutor.hand_back()
    assert example is not None
    assert example.weight == 2.0  # in place of the one that was never begun
    tutor.let_go()
    tutor.begin()
    assert tutor.hand_back() is None
    assert len(idle) == 4


def test_what_is_let_go_has_gained_nothing_and_leaves_no_answers(learner: SampleLearner) -> None:
    batch = learner.draw(learner.lesson(0, 0.0))
    drafts = learner._decoded(batch, Objective.MIN_MAX, Decoding(1)).actions
    handed_in(learner.tutor, batch, drafts, Objective.MIN_MAX, 1.0)
    learner.tutor.let_go()
    assert learner.tutor.gain() is None
    assert learner.tutor.hand_back() is None
    few = mapped(drafts, lambda t: t[:3])
    handed_in(learner.tutor, batch.rows(0, 3), few, Objective.MIN_MAX, 2.0)
    example = learner.tutor.hand_back()
    assert example is not None
    assert (example.weight, example.batch.size) == (2.0, 3)
    assert learner.tutor.gain() is not None


def test_without_the_compiled_core_a_run_that_imitates_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "hcvrp.search.improve", None)
    with pytest.raises(InputError, match="phases that imitate need the search: "):
        SampleLearner(config(), CPU)


def test_a_search_that_dies_is_reported() -> None:
    tutor = Tutor(10)
    try:
        learner = SampleLearner(config(), CPU)
        batch = learner.draw(learner.lesson(0, 0.0))
        drafts = learner._decoded(batch, Objective.MIN_MAX, Decoding(1)).actions
        handed_in(tutor, batch, drafts, Objective.MIN_MAX, 1.0)
        assert tutor.hand_back() is not None
        for worker in tutor._workers:
            worker.process.kill()
            worker.process.join()
        handed_in(tutor, batch, drafts, Objective.MIN_MAX, 1.0)
        with pytest.raises(InputError, match="a search for training ended early"):
            tutor.hand_back()
    finally:
        tutor.close()


class Idle:
    """In place of a worker: it gives back what it was given."""

    given: ClassVar[list[Drafts]] = []

    def __init__(self, *_: Any, daemon: bool) -> None:
        assert daemon  # so that nobody who forgets to close waits for it for ever

    def give(self, job: Drafts) -> None:
        self.job = job
        self.given.append(job)

    def take(self) -> tuple[Drafts, list[Improved]]:
        return self.job, [Improved(plan, 0.25) for plan in self.job.plans]

    def stop(self) -> None: ...


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch) -> list[Drafts]:
    monkeypatch.setattr("hcvrp.training.imitation.Worker", Idle)
    monkeypatch.setattr("hcvrp.training.imitation.cores", lambda: 5)
    monkeypatch.setattr(Idle, "given", [])
    return Idle.given


def test_batches_of_all_sizes_are_spread_over_all_workers(
    learner: SampleLearner, idle: list[Drafts]
) -> None:
    batch = learner.draw(learner.lesson(0, 0.0))
    drafts = learner._decoded(batch, Objective.MIN_SUM, Decoding(1)).actions
    for size, shares in ((3, [1, 1, 1, 0]), (10, [3, 3, 2, 2])):
        part = mapped(drafts, lambda t, size=size: t[:size])  # type: ignore[misc]
        handed_in(learner.tutor, batch.rows(0, size), part, Objective.MIN_SUM, 1.0, seed=3)
        assert [len(job.instances) for job in idle[-4:]] == shares
        assert {(j.iterations, j.seed, j.objective) for j in idle} == {(200, 3, Objective.MIN_SUM)}
        example = learner.tutor.hand_back()
        assert example is not None
        expected = trips(batch.rows(0, size), solutions(batch.rows(0, size), part))
        assert torch.equal(example.plan.owner, expected.owner)
        assert torch.equal(example.plan.beside, expected.beside)
        assert learner.tutor.gain() == 0.25


@pytest.mark.parametrize("every", [1, 2, 3])
def test_both_objectives_have_examples_however_often(every: int, idle: list[Drafts]) -> None:
    learner = SampleLearner(config(imitate_every=every), CPU)
    for step in range(7 * every):  # the last one handed in is never begun
        learner.train_step(0, step, 0.0)
    asked = [job.objective for job in idle[::4]]
    assert asked == [Objective.MIN_MAX, Objective.MIN_SUM] * 3


def test_a_process_that_forgets_to_close_ends_all_the_same() -> None:
    script = """if __name__ == "__main__":
        import sys
        import torch
        sys.path.append("tests/training")
        from test_imitation import config
        from hcvrp.training.sampling import SampleLearner
        learner = SampleLearner(config(imitate_every=1), torch.device("cpu"))
        for step in range(2):
            learner.train_step(0, step, 0.0)
        print(len(learner.tutor._workers) > 0)
    """
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("True\n", 0), done.stderr
