"""Training `fleet`: the samples' mean as baseline, phases, views, averages, checkpoints."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from small_fleet import small_config
from torch import nn

from hcvrp import InputError, Objective
from hcvrp.env import World, cost, log_prob, rollout
from hcvrp.policy import read_weights
from hcvrp.policy.network import Network, detached
from hcvrp.training import checkpoint
from hcvrp.training.advantage import advantages
from hcvrp.training.fleet_config import FleetConfig, Phase, Shape
from hcvrp.training.loop import Limits, train
from hcvrp.training.runs import parse_config, read_config
from hcvrp.training.sampling import SampleLearner, relative_cost

CPU = torch.device("cpu")
EXPERIMENTS = Path(__file__).parents[2] / "experiments"
SHAPE = {"customers": 6, "vehicles": [1, 3], "batch": 8}


def config(**training: Any) -> FleetConfig:
    usual = {"steps": 4, "samples": 8, "views": 2, "learning_rate": 1e-2, "validation": 16}
    return small_config({"shapes": [SHAPE]}, **(usual | {"sets": ["v3-c6", "mixed-c5"]} | training))


def state(learner: Any) -> dict[str, torch.Tensor]:
    moments = learner.optimizer.state_dict()["state"]
    return (
        learner.state()
        | {f"average.{k}": v for k, v in learner.exported.state_dict().items()}
        | {f"adam.{k}.{name}": v for k, entries in moments.items() for name, v in entries.items()}
    )


def assert_same(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> None:
    assert one.keys() == other.keys()
    for name in one:
        assert torch.equal(one[name], other[name]), name


def test_advantages_by_hand() -> None:
    costs = torch.tensor([[[1.0, 2.0]], [[3.0, 6.0]]])  # one instance, two views of two samples
    spread = math.sqrt((4 + 1 + 0 + 9) / 3) + 1e-3 * 3
    expected = [-2 / spread, -1 / spread, 0, 3 / spread]
    assert advantages(costs).flatten().tolist() == pytest.approx(expected)
    led = advantages(costs, leader=2.0).flatten().tolist()
    assert led == pytest.approx([3 * expected[0], *expected[1:]])


def test_advantages_do_not_depend_on_the_unit_and_never_divide_by_zero() -> None:
    costs = torch.rand(2, 5, 4, generator=torch.Generator().manual_seed(1)) + 1
    torch.testing.assert_close(advantages(60 * costs), advantages(costs))
    assert not advantages(torch.full((2, 1, 4), 3.0)).any()
    assert not advantages(torch.zeros(2, 1, 4)).any()


def test_the_gradient_is_that_of_the_definition() -> None:
    """Instance by instance and sample by sample, all views sharing one mean."""
    learner = SampleLearner(config(), CPU)
    lesson = learner.lesson(3, 0.0)
    learner.seed(3, 0)
    batch = learner.draw(lesson)
    drawn = learner.generator.get_state()
    before = {n: p.detach().clone() for n, p in learner.network.named_parameters()}
    learner.set_rate(0.0)
    learner.learn(lesson, batch, learner.generator)
    got = {n: p.grad.clone() for n, p in learner.network.named_parameters() if p.grad is not None}

    learner.generator.set_state(drawn)
    learner.network.zero_grad()
    decoder = learner.network.encode(batch, lesson.objective)
    outcome = rollout(batch, detached(decoder), 4, learner.generator)
    costs, score = cost(outcome.times, lesson.objective), log_prob(batch, decoder, outcome.actions)
    loss = torch.zeros(())
    for instance in range(8):
        rows = (instance, instance + 8)
        mine = torch.cat([costs[row] for row in rows])
        weights = (mine - mine.mean()) / (mine.std() + 1e-3 * mine.mean())
        loss = loss + (weights * torch.cat([score[row] for row in rows])).sum() / 64
    loss.backward()
    norm = nn.utils.get_total_norm([p.grad for p in learner.network.parameters()])  # type: ignore[misc]
    for name, parameter in learner.network.named_parameters():
        assert torch.equal(parameter, before[name])  # the rate was 0
        assert parameter.grad is not None, name
        expected = parameter.grad * min(1.0, 1 / float(norm))
        torch.testing.assert_close(got[name], expected, rtol=1e-3, atol=1e-6)


def test_views_are_the_same_instances_mirrored() -> None:
    learner = SampleLearner(config(), CPU)
    lesson = learner.lesson(0, 0.0)
    assert len(set(lesson.views)) == 2
    batch = learner.draw(lesson)
    assert batch.size == 16
    assert torch.equal(batch.distance[:8], batch.distance[8:])
    assert torch.equal(batch.demand[:8], batch.demand[8:])
    assert not torch.equal(batch.points[:8], batch.points[8:])


def test_objectives_take_turns() -> None:
    learner = SampleLearner(config(), CPU)
    goals = [learner.lesson(step, 0.0).objective for step in range(4)]
    assert goals == [Objective.MIN_MAX, Objective.MIN_SUM] * 2


def test_phases_follow_the_share_of_the_run() -> None:
    small, large = Shape(customers=5), Shape(customers=9, weight=3)
    setting = FleetConfig(
        phases=(Phase(0.4, shapes=(small,)), Phase(1.0, 2.0, shapes=(small, large)))
    )
    assert setting.customers == 9
    assert [setting.phase(d).until for d in (0, 0.39, 0.4, 1.0)] == [0.4, 0.4, 1.0, 1.0]
    late = setting.phases[1]
    assert [late.pick(r).customers for r in (0.0, 0.2, 0.26, 0.999)] == [5, 5, 9, 9]


def test_the_learning_rate_by_hand() -> None:
    learner = SampleLearner(config(warmup=9, learning_rate=1e-3, last_rate=1e-5), CPU)
    assert learner.learning_rate(0, 0.0) == pytest.approx(1e-4)
    assert learner.learning_rate(9, 0.0) == pytest.approx(1e-3)
    assert learner.learning_rate(99, 0.5) == pytest.approx((1e-3 + 1e-5) / 2)
    assert learner.learning_rate(99, 1.0) == pytest.approx(1e-5)
    assert learner.done(7, 3e7) == pytest.approx(0.5)
    assert learner.done(7, 9e7) == 1


def test_a_run_of_so_many_updates_does_not_look_at_the_clock() -> None:
    learner = SampleLearner(config(updates=40), CPU)
    assert [learner.done(step, 1e9) for step in (0, 10, 40, 41)] == [0.0, 0.25, 1.0, 1.0]


def test_a_run_validates_on_something() -> None:
    with pytest.raises(InputError, match="training sets must name at least one set"):
        config(sets=())


def test_the_average_follows_the_weights() -> None:
    learner = SampleLearner(config(average=0.5), CPU)
    start = {n: p.clone() for n, p in learner.average.named_parameters()}
    learner.train_step(0, 0, 0.0)
    for (name, average), weights in zip(
        learner.average.named_parameters(), learner.network.parameters(), strict=True
    ):
        expected = 0.1 * start[name] + 0.9 * weights  # (1 + 0)/(10 + 0) of the start is kept
        torch.testing.assert_close(average, expected.detach())


def test_relative_costs_do_not_depend_on_units() -> None:
    learner = SampleLearner(config(), CPU)
    batch = learner.draw(learner.lesson(0, 0.0))
    costs = torch.ones(batch.size, 2)
    both = [relative_cost(batch, costs, objective) for objective in Objective]
    torch.testing.assert_close(both[0], both[1] * batch.fitted.sum(-1, keepdim=True))


def sampled(learner: SampleLearner, objective: Objective) -> float:
    """The mean cost of samples on fixed instances."""
    batch = World.paper(6, 3, objective).draw(128, torch.Generator().manual_seed(9))
    with torch.no_grad():
        decoder = learner.average.encode(batch, objective)
    outcome = rollout(batch, decoder, 4, torch.Generator().manual_seed(2))
    return float(cost(outcome.times, objective).mean())


def test_the_cost_falls_for_both_objectives(tmp_path: Path) -> None:
    setting = config(steps=80, average=0.9, learning_rate=3e-3)
    before = SampleLearner(setting, CPU)
    after = train(setting, tmp_path, CPU, Limits(1))
    assert isinstance(after, SampleLearner)
    for objective in Objective:
        assert sampled(after, objective) < 0.95 * sampled(before, objective)
    with (tmp_path / "validation.csv").open(encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert [line["set"] for line in lines] == [
        f"{name} {goal}" for name in setting.training.sets for goal in Objective
    ]
    best = read_weights(tmp_path / "best.safetensors")
    assert best.description.objective is None
    assert best.description.customers == 6


def test_a_resumed_run_equals_an_unbroken_one(tmp_path: Path) -> None:
    whole = train(config(), tmp_path / "whole", CPU, Limits(3))
    for epochs in (1, 3):
        parts = train(config(), tmp_path / "parts", CPU, Limits(epochs), resume=True)
    assert_same(state(whole), state(parts))


def test_a_run_ends_when_its_minutes_are_over(tmp_path: Path) -> None:
    setting = config(minutes=1.0)
    learner = SampleLearner(setting, CPU)
    checkpoint.save(tmp_path, learner, checkpoint.Position(4, 60.0, 32))
    ended = train(setting, tmp_path, CPU, resume=True)
    assert_same(state(ended), state(learner))


@pytest.mark.parametrize("kind", ["fleet", "am"])
def test_training_starts_from_given_weights(tmp_path: Path, kind: str) -> None:
    setting: Any = config()
    if kind == "am":
        tables = {"policy": {"kind": "am", "dim": 16, "heads": 4, "layers": 1, "feed_forward": 16}}
        small = {"problem": {"customers": 5}, "training": {"steps": 2, "batch": 4, "validation": 8}}
        setting = parse_config(tables | small)
    first = train(setting, tmp_path / "first", CPU, Limits(1))
    weights = tmp_path / "first" / "checkpoint" / "weights.safetensors"
    second = train(setting, tmp_path / "second", CPU, Limits(minutes=0.0), start=weights)
    for name, tensor in second.network.state_dict().items():
        assert torch.equal(tensor, first.exported.state_dict()[name])


def test_a_deeper_network_starts_with_the_scores_of_the_other(tmp_path: Path) -> None:
    first = train(config(), tmp_path / "first", CPU, Limits(1))
    weights = tmp_path / "first" / "checkpoint" / "weights.safetensors"
    deep = replace(config(), policy=replace(config().policy, layers=3))
    batch = World.paper(6, 3, Objective.MIN_MAX).draw(4, torch.Generator().manual_seed(1))

    @torch.no_grad()
    def scores(network: Network) -> torch.Tensor:
        decoder = network.encode(batch, Objective.MIN_MAX)
        return log_prob(batch, decoder, rollout(batch, decoder).actions)

    begun = train(deep, tmp_path / "deep", CPU, Limits(0), start=weights)
    for network in (begun.network, begun.exported):
        torch.testing.assert_close(scores(network), scores(first.exported))
    taught = train(deep, tmp_path / "deep", CPU, Limits(1), resume=True)
    assert taught.network.state_dict()["encoder.layers.2.join.weight"].abs().max() > 0


def test_a_start_of_another_network_is_refused(tmp_path: Path) -> None:
    train(config(), tmp_path / "first", CPU, Limits(1))
    weights = tmp_path / "first" / "checkpoint" / "weights.safetensors"
    other = parse_config({"policy": {"kind": "fleet", "dim": 8, "heads": 4}})
    with pytest.raises(
        InputError, match=r"is no start for this config: its network has dim 16, not 8 and"
    ):
        train(other, tmp_path / "second", CPU, start=weights)


@pytest.mark.parametrize("path", sorted(EXPERIMENTS.glob("fleet/*.toml")), ids=lambda p: p.stem)
def test_published_configs_can_be_read(path: Path) -> None:
    setting = read_config(path)
    assert isinstance(setting, FleetConfig)
    assert setting.policy.layers == (8 if path.stem in {"round-9", "round-10"} else 6)
    assert parse_config(json.loads(setting.to_json())) == setting


@pytest.mark.parametrize(
    ("tables", "sentence"),
    [
        ({"training": {"views": 3}}, "views must be 1 to 8 and divide samples 32, not 3"),
        ({"training": {"sets": ["c40"]}}, "must look like v3-c40 or mixed-c60, not 'c40'"),
        ({"training": {"average": 2}}, "average must lie between 0 and 1, not 2"),
        ({"training": {"fused": 1}}, "fused must be true or false, not 1"),
        ({"training": {"minutes": 0}}, "minutes must be positive, not 0"),
        ({"training": {"batch": 9}}, "has no entry 'batch'"),
        ({"phases": [{"until": 0.5}]}, "must end at rising shares of the run up to 1, not at"),
        ({"phases": [{"shapes": []}]}, "a phase needs at least one shape"),
        ({"phases": [{"leader": -1.0}]}, "leader must be at least 0, not -1.0"),
        ({"phases": [{"imitation": -2.0}]}, "imitation must be at least 0, not -2.0"),
        ({"training": {"optimizer": "sgd"}}, "optimizer must be adam or muon, not 'sgd'"),
        ({"training": {"imitated": 0}}, "imitated must be positive, not 0"),
        ({"training": {"imitate_every": 0}}, "imitate_every must be at least 1, not 0"),
        ({"phases": [{"leader": math.nan}]}, "leader must be at least 0, not nan"),
        ({"phases": [{"shapes": [{"vehicles": 3}]}]}, "must be a list of whole numbers, not 3"),
        ({"phases": [{"shapes": [{"vehicles": [2.5]}]}]}, "a list of whole numbers, not [2.5]"),
        ({"phases": [{"shapes": [{"vehicles": ["a"]}]}]}, "a list of whole numbers, not ['a']"),
        ({"phases": [{"shapes": [{"weight": math.inf}]}]}, "weight must be positive, not inf"),
        ({"phases": [{"shapes": 3}]}, "shapes must be an array of tables, not 3"),
        ({"phases": 3}, "phases must be an array of tables, not 3"),
        ({"training": {"sets": 5}}, "sets must be a list of names, not 5"),
        ({"training": {"sets": [1]}}, "sets must be a list of names, not [1]"),
        ({"phases": [{"shapes": [{"customers": 0}]}]}, "customers must be at least 1, not 0"),
        ({"phases": [{"shapes": [3]}]}, "shapes must be an array of tables, not [3]"),
        ({"phases": ["x"]}, "phases must be an array of tables, not ['x']"),
        ({"problem": {}}, "has no entry 'problem'"),
    ],
)
def test_bad_configs_get_one_sentence(tables: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_config({"policy": {"kind": "fleet"}} | tables)
    assert sentence in str(caught.value)


def test_a_resumed_run_forgets_validations_of_a_lost_future(tmp_path: Path) -> None:
    train(config(), tmp_path, CPU, Limits(epochs=1))
    lines = (tmp_path / "validation.csv").read_text().splitlines()
    assert [line.split(",")[0] for line in lines] == ["step", *4 * ["4"]]
    with (tmp_path / "validation.csv").open("a") as file:
        file.write("8,1.0,v3-c6 min-max,1.00000\n")
    train(config(), tmp_path, CPU, Limits(epochs=1), resume=True)
    assert (tmp_path / "validation.csv").read_text().splitlines() == lines
