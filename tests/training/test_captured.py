"""Captured updates: what they take instead of looking, and when they are captured."""

from __future__ import annotations

import logging
from functools import partial
from importlib import import_module
from typing import Any

import pytest
import torch

from hcvrp.env import Actions, Batch, World, initial, log_prob, rollout, solutions, trips
from hcvrp.env import step as moved
from hcvrp.env.graph import buffers, copy_into
from hcvrp.env.log_prob import ROUNDED, FusedSteps, count_departures, score_steps
from hcvrp.env.tensors import tensors
from hcvrp.env.transition import vehicle_mask
from hcvrp.policy.config import NetworkConfig
from hcvrp.policy.network import build, detached
from hcvrp.solution import Objective
from hcvrp.training import captured
from hcvrp.training.captured import REHEARSALS, CapturedUpdates, Figures, Sizes
from hcvrp.training.imitation import Example
from hcvrp.training.reinforce import Learner
from hcvrp.training.runs import make_learner, parse_config
from hcvrp.training.sampling import SampleLearner

CPU = torch.device("cpu")
NETWORK = {"dim": 32, "heads": 2, "layers": 1, "feed_forward": 16}  # widths that kernels take
PAPER = {
    "problem": {"customers": 6, "vehicles": 2, "objective": "min-max"},
    "policy": {"kind": "paper", **NETWORK},
    "training": {"epochs": 1, "steps": 20, "batch": 16, "warmup": 0, "seed": 3},
}
FLEET: dict[str, Any] = {
    "policy": {"kind": "fleet", **NETWORK},
    "training": {"minutes": 1e6, "steps": 3, "samples": 8, "validation": 4, "sets": ["v2-c4"]},
    "phases": [{"shapes": [{"customers": 7, "batch": 8}]}],
}
IMITATING = FLEET | {
    "training": {**FLEET["training"], "imitate_every": 1, "imitated": 1.0, "search_iterations": 50},
    "phases": [{"imitation": 1.0, "shapes": [{"customers": 7, "batch": 8}]}],
}
MUON = FLEET | {"training": {**FLEET["training"], "optimizer": "muon"}}
gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")


def drawn(customers: int = 9, count: int = 6) -> Batch:
    world = World.paper(customers, 3, Objective.MIN_MAX)
    return world.draw(count, torch.Generator().manual_seed(1))


@pytest.mark.parametrize("kind", ["paper", "am", "fleet"])
def test_a_given_number_of_steps_is_taken_and_unfinished_rollouts_have_no_times(kind: Any) -> None:
    batch = drawn()
    decoder = detached(build(NetworkConfig(kind, 3, **NETWORK), seed=2).eval().encode(batch))
    seeds = [torch.Generator().manual_seed(4) for _ in range(3)]
    whole = rollout(batch, decoder, 5, seeds[0])
    same = rollout(batch, decoder, 5, seeds[1], steps=whole.actions.node.shape[2])
    assert torch.equal(same.actions.node, whole.actions.node)
    assert torch.equal(same.times, whole.times)
    short = rollout(batch, decoder, 5, seeds[2], steps=8)
    assert short.actions.node.shape[2] == 8
    served = (whole.actions.node[..., :8] > 0).sum(-1)
    ended = served == 9
    assert torch.equal(short.times.isnan().all(-1), ~ended)
    assert torch.equal(short.times[ended], whole.times[ended])
    assert not ended.any()  # nine customers take at least nine steps


def test_room_for_departures_changes_nothing() -> None:
    batch = drawn()
    decoder = detached(build(NetworkConfig("fleet", 3, **NETWORK), seed=2).eval().encode(batch))
    actions = rollout(batch, decoder, 5, torch.Generator().manual_seed(4)).actions
    room = count_departures(batch, decoder, actions)
    assert room == ROUNDED  # five rollouts of a few trips each
    expected = log_prob(batch, decoder, actions)
    torch.testing.assert_close(log_prob(batch, decoder, actions, departures=room + 64), expected)


def test_an_instance_with_more_departures_than_there_is_room_for_teaches_nothing() -> None:
    batch = drawn()
    network = build(NetworkConfig("fleet", 3, **NETWORK), seed=2)
    decoder = network.encode(batch)
    actions = rollout(batch, detached(decoder), 5, torch.Generator().manual_seed(4)).actions
    actions.node[1:] = actions.node[:1]  # the first instance six times over …
    actions.vehicle[1:] = actions.vehicle[:1]
    assert log_prob(batch, decoder, actions).abs().min() > 0.1
    few = log_prob(batch, decoder, actions, departures=5)  # … and it has more
    assert few.isnan().all()
    few.sum().backward()  # type: ignore[no-untyped-call]
    assert not any(p.grad.any() for p in network.parameters() if p.grad is not None)


class Recorder:
    """An update that counts; its costs are its own number."""

    def __init__(self) -> None:
        self.given: list[Sizes | None] = []
        self.layouts: set[tuple[tuple[int, ...], ...]] = set()

    def __call__(self, batch: Batch, _: object, sizes: Sizes | None) -> tuple[Figures, Sizes]:
        self.given.append(sizes)
        self.layouts.add(tuple(t.stride() for t in tensors(batch)))
        number = torch.tensor(float(len(self.given)))
        return Figures(number, number, number, torch.zeros(())), Sizes(8 * len(self.given), 64)


class FakeGraph:
    """Runs what it was given instead of capturing it."""

    def __init__(self, batch: Batch, learn: Any, sizes: Sizes, _pool: object) -> None:
        self.batch, self.learn, self.sizes = buffers(batch), learn, sizes

    def __call__(self, batch: Batch, _seed: int) -> Figures:
        copy_into(self.batch, batch)
        figures: Figures = self.learn(self.batch, torch.Generator(), self.sizes)[0]
        return figures

    def outgrown(self) -> bool:
        return len(self.learn.given) == 3 * REHEARSALS


def test_after_some_plain_updates_it_takes_the_most_that_was_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(captured, "_Graph", FakeGraph)
    monkeypatch.setattr(torch.cuda, "graph_pool_handle", lambda: None)
    updates, learn, batch = CapturedUpdates(CPU), Recorder(), drawn()
    costs = [float(updates("key", batch, seed, learn).cost) for seed in range(REHEARSALS + 2)]
    assert costs == [1, 2, 3, 4, 5, 6]
    most = Sizes(8 * REHEARSALS, 64)
    assert learn.given == [None] * REHEARSALS + [most] * 2
    assert not batch.speed.is_contiguous()  # one fleet, seen many times
    assert len(learn.layouts) == 1  # so that nothing is compiled again within a capture
    updates("another key", batch, 0, learn)
    updates("key", drawn(5), 0, learn)
    assert learn.given[-2:] == [None, None]
    for seed in range(REHEARSALS + 1):  # the last finds that it has been outgrown
        updates("key", batch, seed, learn)
    assert learn.given[8:] == [most] * REHEARSALS + [None]


def test_what_cannot_be_captured_goes_on_plainly(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    pools: list[object] = []

    def refuse(_batch: Batch, _learn: object, _sizes: Sizes, pool: object) -> None:
        pools.append(pool)
        raise RuntimeError("no capture today")

    monkeypatch.setattr(captured, "_Graph", refuse)
    monkeypatch.setattr(torch.cuda, "graph_pool_handle", object)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    updates, learn, batch = CapturedUpdates(CPU), Recorder(), drawn()
    with caplog.at_level(logging.WARNING):
        for seed in range(REHEARSALS + 5):
            updates("key", batch, seed, learn)
    assert learn.given == [None] * (REHEARSALS + 5)
    assert [r.message for r in caplog.records] == [
        "an update was not captured: no capture today"
    ] * captured.ATTEMPTS
    assert len(set(pools)) == captured.ATTEMPTS  # none that a failed capture has used


@pytest.mark.parametrize("capturing", [False, True])
def test_a_failed_capture_is_no_reason_to_give_up_compiled_steps(
    capturing: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("operation not permitted when stream is capturing")

    module = import_module("hcvrp.env.log_prob")  # the package has a function of that name
    monkeypatch.setattr(module, "capturing", lambda: capturing)
    scored, batch = FusedSteps(), drawn()
    scored._scored = fail  # type: ignore[assignment]
    decoder = detached(build(NetworkConfig("paper", 3, **NETWORK), seed=2).eval().encode(batch))
    actions = rollout(batch, decoder).actions
    if capturing:
        with pytest.raises(RuntimeError, match="stream is capturing"):
            scored(batch, decoder, actions)
        assert scored._scored is fail
    else:
        torch.testing.assert_close(
            scored(batch, decoder, actions)[0], log_prob(batch, decoder, actions)
        )
        assert scored._scored is score_steps


@pytest.mark.parametrize("config", [PAPER, FLEET])
def test_an_update_of_given_sizes_has_the_same_gradient(config: dict[str, Any]) -> None:
    learner = make_learner(parse_config(config), CPU)
    learner.set_rate(0.0)
    learn: Any
    if isinstance(learner, SampleLearner):
        lesson = learner.lesson(1, 0.0)
        batch, learn = learner.draw(lesson), partial(learner.learn, lesson)
    else:
        assert isinstance(learner, Learner)
        batch, learn = learner.world.draw(16, learner.generator), partial(learner.learn, epoch=1)
    found = []
    for sizes in (None, Sizes(24, 256)):
        figures, seen = learn(batch, torch.Generator().manual_seed(5), sizes)
        gradient = torch.cat([p.grad.flatten() for p in learner.network.parameters()])
        found.append((torch.stack([*figures]), gradient))
        assert seen.steps <= 24
    assert found[0][1].norm() > 1e-3
    torch.testing.assert_close(found[1], found[0])


def departures(batch: Batch, actions: Actions) -> list[int]:
    """At how many steps of each instance more than one vehicle might have moved, step by step."""
    state = initial(batch, actions.node.shape[1])
    count = torch.zeros(batch.size, dtype=torch.int64)
    for vehicle, node in zip(actions.vehicle.unbind(-1), actions.node.unbind(-1), strict=True):
        choices = vehicle_mask(batch, state, trips=True).sum(-1) > 1
        count += (choices & ~state.finished).sum(1)
        state = moved(batch, state, vehicle, node)
    found: list[int] = count.tolist()
    return found


@pytest.mark.parametrize("imitating", [False, True])
def test_rollouts_that_outgrew_their_room_are_counted_as_lost(imitating: bool) -> None:
    """Else nobody would notice that a captured update has stopped teaching."""
    larger = FLEET | {"phases": [{"shapes": [{"customers": 20, "batch": 8}]}]}
    learner = make_learner(parse_config(larger), CPU)
    assert isinstance(learner, SampleLearner)
    learner.set_rate(0.0)
    lesson = learner.lesson(0, 0.0)
    batch, goal = learner.draw(lesson), lesson.objective
    learn: Any = partial(learner.learn, lesson, batch)
    actions = learner._play(batch, goal, 4, torch.Generator().manual_seed(5), None)[1].actions
    if imitating:
        plan = trips(batch, solutions(batch, actions))
        learn = partial(learner.copy, Example(batch, plan, goal, 1.0))
        seed = torch.Generator().manual_seed(5)
        actions = learner._play(batch, goal, 1, seed, None, plan)[1].actions
    counts = departures(batch, actions)

    def figures(steps: int, room: int) -> Figures:
        found: Figures = learn(torch.Generator().manual_seed(5), Sizes(steps, room))[0]
        return found

    assert figures(40, max(counts)).lost == 0
    room = sorted(counts)[len(counts) // 2]
    some = figures(40, room)
    assert some.lost == sum(count > room for count in counts) / len(counts)
    assert 0 < some.lost < 1
    assert 0 < some.gradient_norm < torch.inf
    none = [figures(40, min(counts) - 1), figures(16, max(counts)), figures(16, room)]
    assert [(float(f.lost), float(f.gradient_norm)) for f in none] == [(1, 0)] * 3


@gpu
@pytest.mark.filterwarnings("ignore")  # the compiler looks at everything, and warns itself
@pytest.mark.parametrize("config", [PAPER, FLEET, IMITATING, MUON])
def test_captured_updates_learn_what_plain_ones_do(
    config: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    cuda = torch.device("cuda")
    learners = [make_learner(parse_config(config), cuda) for _ in range(2)]
    for learner, rehearsals in zip(learners, (REHEARSALS, 1000), strict=True):
        monkeypatch.setattr(captured, "REHEARSALS", rehearsals)
        for step in range(12):
            update = learner.train_step(0, step, 0.0)
        assert (len(learner.captured._graphs) > 0) is (rehearsals == REHEARSALS)  # type: ignore[union-attr]
        assert update.figures.cost > 0
        learner.close()
    pairs = zip(*(learner.network.parameters() for learner in learners), strict=True)
    for one, other in pairs:
        torch.testing.assert_close(one, other, rtol=1e-2, atol=1e-3)
