"""Training: it learns, it stops, it goes on to the bit, and it refuses what does not fit."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch

from hcvrp import InputError
from hcvrp.env import rollout
from hcvrp.policy import read_weights
from hcvrp.policy.network import detached
from hcvrp.training import checkpoint
from hcvrp.training.config import Config
from hcvrp.training.log import _cut_back
from hcvrp.training.loop import Limits, train
from hcvrp.training.reinforce import Learner

CPU = torch.device("cpu")
TINY: dict[str, Any] = {
    "problem": {"customers": 6, "vehicles": 3},
    "policy": {"dim": 16, "heads": 4, "layers": 1, "feed_forward": 16},
    "training": {
        "epochs": 3,
        "steps": 4,
        "batch": 16,
        "learning_rate": 1e-2,
        "validation": 32,
    },
}


def config(**training: Any) -> Config:
    kind = training.pop("kind", "paper")
    return Config.parse(
        TINY | {"policy": TINY["policy"] | {"kind": kind}, "training": TINY["training"] | training}
    )


def state(learner: Learner) -> dict[str, torch.Tensor]:
    return (
        dict(learner.network.state_dict())
        | {f"baseline.{k}": v for k, v in learner.baseline.network.state_dict().items()}
        | {"average": learner.baseline.average}
        | {
            f"adam.{k}.{name}": tensor
            for k, entries in learner.optimizer.state_dict()["state"].items()
            for name, tensor in entries.items()
        }
    )


def assert_same(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> None:
    assert one.keys() == other.keys()
    for name in one:
        assert torch.equal(one[name].nan_to_num(-1), other[name].nan_to_num(-1)), name


def rows(out: Path) -> list[dict[str, str]]:
    with (out / "log.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("kind", ["paper", "am"])
def test_the_cost_falls(tmp_path: Path, kind: str) -> None:
    training = {"epochs": 2, "steps": 40, "batch": 64, "validation": 256, "learning_rate": 3e-3}
    setting = config(kind=kind, **training)
    before = Learner(setting, CPU).validate(0)[0]
    train(setting, tmp_path, CPU)
    epochs = [row for row in rows(tmp_path) if row["validation"]]
    assert [int(row["step"]) for row in epochs] == [40, 80]
    assert float(epochs[-1]["validation"]) < 0.95 * before
    assert epochs[0]["baseline_replaced"] == "True"


@pytest.mark.parametrize("stops", [(1, 2), (2,)])
def test_a_resumed_run_equals_an_unbroken_one(tmp_path: Path, stops: tuple[int, ...]) -> None:
    whole = train(config(), tmp_path / "whole", CPU)
    for epochs in stops:
        train(config(), tmp_path / "parts", CPU, Limits(epochs), resume=True)
    parts = train(config(), tmp_path / "parts", CPU, resume=True)
    assert_same(state(whole), state(parts))
    for one, other in zip(rows(tmp_path / "whole"), rows(tmp_path / "parts"), strict=True):
        assert (one["step"], one["cost"]) == (other["step"], other["cost"])


class StopAfter:
    """Cancels a run after so many looks at the clock."""

    def __init__(self, looks: int) -> None:
        self.looks = looks

    def is_set(self) -> bool:
        self.looks -= 1
        return self.looks < 0


def test_a_run_stopped_within_an_epoch_goes_on_to_the_bit(tmp_path: Path) -> None:
    whole = train(config(), tmp_path / "whole", CPU)
    cancel: Any = StopAfter(6)
    train(config(), tmp_path / "parts", CPU, Limits(cancel=cancel))
    weights = read_weights(tmp_path / "parts" / "checkpoint" / "weights.safetensors")
    assert weights.description.customers == 6
    parts = train(config(), tmp_path / "parts", CPU, resume=True)
    assert_same(state(whole), state(parts))


def test_no_minutes_means_no_step(tmp_path: Path) -> None:
    learner = train(config(), tmp_path, CPU, Limits(minutes=0.0))
    assert_same(state(learner), state(Learner(config(), CPU)))
    assert not checkpoint.exists(tmp_path)


def test_an_old_checkpoint_is_not_overwritten(tmp_path: Path) -> None:
    train(config(), tmp_path, CPU, Limits(1))
    with pytest.raises(InputError, match="already holds a checkpoint"):
        train(config(), tmp_path, CPU)


def test_a_checkpoint_of_another_config_is_refused(tmp_path: Path) -> None:
    train(config(), tmp_path, CPU, Limits(1))
    with pytest.raises(InputError, match=r"there training.batch is 16, here it is 32$"):
        train(config(batch=32), tmp_path, CPU, resume=True)


def test_a_damaged_checkpoint_falls_back_to_the_one_before(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    train(config(), tmp_path, CPU, Limits(2))
    file = tmp_path / "checkpoint" / "optimizer.safetensors"
    file.write_bytes(file.read_bytes()[:-10])
    learner = Learner(config(), CPU)
    assert checkpoint.restore(tmp_path, learner).step == 4
    assert "skipping a damaged checkpoint" in caplog.text
    expected = train(config(), tmp_path / "one", CPU, Limits(1))
    assert_same(state(learner), state(expected))
    shutil.rmtree(tmp_path / "checkpoint.previous")
    with pytest.raises(InputError, match=r"no checkpoint in .* can be read: .* is damaged"):
        checkpoint.restore(tmp_path, learner)


def test_an_interrupted_save_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    learner = train(config(), tmp_path, CPU, Limits(1))

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(checkpoint, "_optimizer_tensors", fail)
    with pytest.raises(OSError, match="disk full"):
        checkpoint.save(tmp_path, learner, checkpoint.Position(8))
    assert checkpoint.restore(tmp_path, Learner(config(), CPU)).step == 4


def test_divergence_ends_with_one_sentence(tmp_path: Path) -> None:
    setting = config(steps=20, learning_rate=1e30)
    with pytest.raises(InputError, match="training diverged at step 20"):
        train(setting, tmp_path, CPU)


def test_a_gradient_that_is_not_finite_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """One of twenty: the run goes on from sound weights, and the log says so."""
    descend, calls, left = Learner.descend, 0, []

    def sometimes(self: Learner, loss: torch.Tensor, share: float = 1.0) -> torch.Tensor:
        nonlocal calls
        calls += 1
        norm = descend(self, loss * (torch.nan if calls == 3 else 1), share)
        if not norm.isfinite():
            left.append(sum(float(p.grad.abs().sum()) for p in self.network.parameters()))
        return norm

    monkeypatch.setattr(Learner, "descend", sometimes)
    learner = train(config(steps=20, epochs=1), tmp_path, CPU)
    assert "step 20: 5% of gradients not finite" in caplog.text
    assert all(tensor.isfinite().all() for tensor in learner.network.parameters())
    assert left == [0.0]
    assert float(rows(tmp_path)[-1]["gradient_norm"]) > 0


def test_rollouts_leave_the_running_statistics_alone() -> None:
    learner = Learner(config(), CPU)
    mean = learner.network.state_dict()["encoder.layers.0.after_attention.mean"].clone()
    learner.validate(0)
    with torch.no_grad():
        learner.network.train().encode(learner.world.draw(8, learner.generator))
    norm = learner.network.encoder.layers[0].after_attention
    assert torch.equal(norm.mean, mean)
    learner.train_step(0, 0)
    assert not torch.equal(norm.mean, mean)


def test_the_moving_average_by_hand() -> None:
    baseline = Learner(config(), CPU).baseline
    assert baseline.moving_average(torch.tensor(4.0)).item() == 4
    assert baseline.moving_average(torch.tensor(9.0)).item() == pytest.approx(0.8 * 4 + 0.2 * 9)


def test_after_the_warm_up_the_baseline_is_the_frozen_policy() -> None:
    learner = Learner(config(), CPU)
    batch = learner.world.draw(8, learner.generator)
    decoder = detached(learner.network.train().encode(batch))
    generator = torch.Generator().manual_seed(5)
    sampled, costs = learner.baseline.play(batch, decoder, generator, 1)
    greedy = rollout(batch, learner.baseline.network.encode(batch))
    torch.testing.assert_close(costs, greedy.times.amax(-1))
    generator.manual_seed(5)
    alone = rollout(batch, decoder, 1, generator)
    torch.testing.assert_close(sampled.times, alone.times)


def test_the_baseline_gives_way_to_a_better_policy_only() -> None:
    learner = Learner(config(), CPU)
    cost, replaced, _ = learner.validate(0)
    assert not replaced  # it is level with itself
    for step in range(40):
        learner.train_step(0, step)
    better, replaced, _ = learner.validate(0)
    assert replaced
    assert better < cost
    for name, value in learner.network.state_dict().items():
        assert torch.equal(learner.baseline.network.state_dict()[name], value)
    assert learner.validate(0)[0] == better


HEADER = (
    "step,epoch,instances,seconds,cost,baseline,gradient_norm,learning_rate,"
    "instances_per_second,validation,baseline_replaced\r\n"
)
FOURTH = "4,0,64,0.5,3.5,3.6,0.1,0.01,128,3.25,True\r\n"
FIFTH = "5,1,80,0.6,3.4,3.5,0.1,0.01,160,,\r\n"


def cut_back(path: Path, content: bytes, step: int = 4) -> bytes | None:
    """What the log at `path` has after a resumption at `step`."""
    path.write_bytes(content)
    _cut_back(path, step)
    return path.read_bytes() if path.exists() else None


@pytest.mark.parametrize(
    ("content", "left"),
    [
        ("", None),
        ("step,epo", None),
        ("\0\0\0\n", None),
        (HEADER, HEADER),
        (HEADER + FOURTH + FIFTH, HEADER + FOURTH),
        (HEADER + FOURTH + "1", HEADER + FOURTH),
        (HEADER + FOURTH + "1\r\n", HEADER + FOURTH),
        (HEADER + "1,,,,,,,,,,\r\n" + FOURTH, HEADER + FOURTH),
        (HEADER + FOURTH[:20], HEADER),
        (HEADER + FOURTH + "\0" * 200_000, HEADER + FOURTH),
        (HEADER + FOURTH + "\0" * 200_000 + FIFTH, HEADER + FOURTH),
    ],
)
def test_a_torn_log_loses_only_what_is_torn(tmp_path: Path, content: str, left: str | None) -> None:
    assert cut_back(tmp_path / "log.csv", content.encode()) == (left and left.encode())


def test_a_torn_file_of_validations_loses_only_what_is_torn(tmp_path: Path) -> None:
    whole = b'step,seconds,set,cost\r\n4,0.5,v3-c40,3.5\r\n4,0.5,"a, b",3.6\r\n'
    for torn in (b"8,0.9,v3-c40,3.4\r\n", b"4,0.5,v3", b"4,0.5\r\n", b"4,0.5,v3,\r\n", b"\xff\r\n"):
        assert cut_back(tmp_path / "validation.csv", whole + torn) == whole


def test_a_log_cut_back_is_never_half_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", die)
    with pytest.raises(KeyboardInterrupt):
        cut_back(tmp_path / "log.csv", (HEADER + FOURTH + FIFTH).encode())
    assert (tmp_path / "log.csv").read_bytes() == (HEADER + FOURTH + FIFTH).encode()


@pytest.mark.parametrize("torn", [b"", b"1"])
def test_a_run_with_torn_logs_goes_on(tmp_path: Path, torn: bytes) -> None:
    train(config(), tmp_path, CPU, Limits(1))
    for name in ("log.csv", "validation.csv"):
        (tmp_path / name).write_bytes(torn)
    train(config(), tmp_path, CPU, resume=True)
    assert [int(row["step"]) for row in rows(tmp_path)] == [8, 12]


def test_steps_since_the_last_line_are_logged_when_a_run_stops(tmp_path: Path) -> None:
    cancel: Any = StopAfter(6)
    train(config(), tmp_path, CPU, Limits(cancel=cancel))
    assert [(row["step"], row["epoch"], row["instances"]) for row in rows(tmp_path)] == [
        ("4", "0", "64"),
        ("6", "1", "96"),
    ]
    train(config(), tmp_path, CPU, resume=True)
    assert [row["step"] for row in rows(tmp_path)] == ["4", "6", "8", "12"]


def test_rest_that_diverged_is_an_error_after_the_checkpoint(tmp_path: Path) -> None:
    cancel: Any = StopAfter(3)
    with pytest.raises(InputError, match=r"diverged at step 3: 67% of the last 3 costs"):
        train(config(learning_rate=1e30), tmp_path, CPU, Limits(cancel=cancel))
    assert checkpoint.exists(tmp_path)


def test_a_run_says_how_it_ended(tmp_path: Path) -> None:
    told: list[str] = []
    cancel: Any = StopAfter(1)
    for limits in (Limits(0), Limits(cancel=cancel), Limits(0), Limits(2), Limits(), Limits()):
        train(config(), tmp_path, CPU, limits, resume=True, tell=told.append)
    assert told == [
        f"there is no checkpoint in {tmp_path}: training begins anew",
        f"no step is made, and nothing is saved in {tmp_path}",
        f"there is no checkpoint in {tmp_path}: training begins anew",
        f"1 step, saved in {tmp_path}; --resume goes on",
        f"1 step, saved in {tmp_path}; --resume goes on",
        f"8 steps, saved in {tmp_path}; --resume goes on",
        f"12 steps, saved in {tmp_path}; the run of the config is complete",
        f"12 steps, saved in {tmp_path}; the run of the config is complete",
    ]


@pytest.mark.parametrize("name", ["log.csv", "validation.csv"])
def test_logs_without_a_checkpoint_are_lost_only_on_request(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("what is mine\n", encoding="utf-8")
    with pytest.raises(InputError, match=rf"{name} is of a run without a checkpoint, and would be"):
        train(config(), tmp_path, CPU)
    assert (tmp_path / name).read_text(encoding="utf-8") == "what is mine\n"
    train(config(), tmp_path, CPU, Limits(1), resume=True)
    assert [row["step"] for row in rows(tmp_path)] == ["4"]


@pytest.mark.parametrize("content", ["", HEADER[:9], HEADER])
def test_headers_alone_are_no_loss(tmp_path: Path, content: str) -> None:
    (tmp_path / "log.csv").write_text(content, encoding="utf-8", newline="")
    train(config(), tmp_path, CPU, Limits(1))
    assert [row["step"] for row in rows(tmp_path)] == ["4"]
