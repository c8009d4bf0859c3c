"""The commands: train, profile, evaluate."""

from __future__ import annotations

import csv
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from hcvrp import InputError, Objective
from hcvrp.policy import Decoding
from hcvrp.training import __main__ as training
from hcvrp.training import evaluate, profile
from hcvrp.training.reinforce import Learner

TINY = """
[problem]
customers = 5
vehicles = 3
[policy]
dim = 16
heads = 4
layers = 1
feed_forward = 16
[training]
epochs = 1
steps = 3
batch = 8
validation = 16
"""


FLEET = """
[policy]
kind = "fleet"
dim = 16
heads = 4
layers = 1
feed_forward = 16
[training]
minutes = 1e6
steps = 2
samples = 4
validation = 8
sets = ["v2-c5"]
[[phases]]
shapes = [{ customers = 5, vehicles = [1, 3], batch = 4 }, { customers = 7, batch = 2 }]
"""


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    path = tmp_path / "fleet.toml"
    path.write_text(FLEET, encoding="utf-8")
    return path


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.toml"
    path.write_text(TINY, encoding="utf-8")
    return path


def call(main: object, *arguments: str | Path) -> tuple[int, str]:
    app = typer.Typer()
    app.command()(main)  # type: ignore[type-var]
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


def test_train_then_evaluate(tmp_path: Path, config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HCVRP_COMMIT", "abc1234")
    code, output = call(
        training.main, "--config", config, "--out", tmp_path / "run", "--device", "cpu"
    )
    assert code == 0
    assert "greedy" in output
    file = tmp_path / "run" / "checkpoint" / "weights.safetensors"
    lines = tmp_path / "results" / "lines.csv"
    plans = ["--decoding", "greedy", "--decoding", "8x8"]
    arguments = ["--weights", file, "--out", lines, "--set", "v3-c5", "--first", "6", *plans]
    for _ in range(2):
        code, output = call(evaluate.main, *arguments, "--device", "cpu")
        assert code == 0
    with lines.open(encoding="utf-8") as text:
        found = list(csv.DictReader(text))
    assert [line["decoding"] for line in found] == ["greedy", "8x8"] * 2
    assert found[0]["mean_cost"] == found[2]["mean_cost"]
    assert float(found[1]["mean_cost"]) < float(found[0]["mean_cost"])
    assert found[0]["instances"] == "6"
    assert found[0]["objective"] == "min-max"
    assert {line["commit"] for line in found} == {"abc1234"}


def test_numbers_below_one_get_one_sentence(config: Path, tmp_path: Path) -> None:
    code, output = call(profile.main, "--config", config, "--steps", "0")
    assert (code, output) == (2, "hcvrp: --steps must be at least 1, not 0\n")
    sets = ["--set", "v3-c40", "--decoding", "greedy", "--first", "-5"]
    code, output = call(evaluate.main, "--weights", "fleet", "--out", tmp_path / "x.csv", *sets)
    assert (code, output) == (2, "hcvrp: --first must be at least 1, not -5\n")


def test_profile_prints_every_part(config: Path) -> None:
    code, output = call(profile.main, "--config", config, "--steps", "2", "--device", "cpu")
    assert code == 0
    parts = [line.split()[0] for line in output.splitlines()[:-1]]
    assert parts == ["draw", "encode", "rollouts", "log_prob", "backward", "whole"]
    assert "instances/s at batch 8" in output


def test_fleet_weights_are_evaluated_for_both_objectives_and_any_fleet(
    tmp_path: Path, fleet: Path
) -> None:
    out = ["--out", tmp_path / "run", "--epochs", "1", "--device", "cpu"]
    code, output = call(training.main, "--config", fleet, *out)
    assert code == 0
    assert "new best" in output
    best, lines = tmp_path / "run" / "best.safetensors", tmp_path / "lines.csv"
    sets = ["--set", "v3-c5", "--set", "random-v4-c6", "--set", "clustered-v2-c6"]
    more = ["--out", lines, "--first", "3", "--decoding", "greedy", "--decoding", "16x8"]
    code, _ = call(evaluate.main, "--weights", best, *sets, *more, "--device", "cpu")
    assert code == 0
    with lines.open(encoding="utf-8") as text:
        found = list(csv.DictReader(text))
    assert [line["objective"] for line in found] == ["min-max", "min-max", "min-sum", "min-sum"] * 3
    for greedy, sampled in zip(found[::2], found[1::2], strict=True):
        assert float(sampled["mean_cost"]) <= float(greedy["mean_cost"])
    again = ["--out", tmp_path / "second", "--start", best, "--epochs", "1", "--device", "cpu"]
    assert call(training.main, "--config", fleet, *again)[0] == 0


def test_seeded_sets_of_random_fleets() -> None:
    one = evaluate.named_set("random-v4-c6", Objective.MIN_MAX, 3)
    assert [i.name for i in one] == [f"random-v4-c6-{k}" for k in range(3)]
    assert len({i.vehicles for i in one}) == 3
    for instance in one:
        assert instance.size == 6
        assert all(20 <= q <= 40 for q in instance.capacities)
        assert all(0.5 <= s <= 1 for s in instance.speeds)
    assert evaluate.named_set("random-v4-c6", Objective.MIN_SUM, 2) == one[:2]
    with pytest.raises(InputError, match="unknown paper set 'odd-v3-c6'"):
        evaluate.named_set("odd-v3-c6", Objective.MIN_MAX, 2)


def test_profile_of_a_fleet_goes_shape_by_shape(fleet: Path) -> None:
    code, output = call(profile.main, "--config", fleet, "--steps", "1", "--device", "cpu")
    assert code == 0
    lines = output.splitlines()
    assert lines[0] == "5 customers, up to 3 vehicles"
    assert [line.split()[0] for line in lines[1:7]] == [
        "draw",
        "encode",
        "rollouts",
        "log_prob",
        "backward",
        "whole",
    ]
    assert lines[7].endswith("rollouts/s at batch 4 × 4")
    assert lines[8] == "7 customers, up to 3 vehicles"


def test_bad_input_gets_one_sentence_and_code_2(tmp_path: Path, config: Path) -> None:
    code, output = call(training.main, "--config", tmp_path / "no.toml", "--out", tmp_path / "run")
    assert code == 2
    assert output.startswith("hcvrp: cannot read config")
    assert not (tmp_path / "run").exists()
    code, output = call(
        training.main, "--config", config, "--out", tmp_path / "run", "--device", "gpu"
    )
    assert (code, output) == (2, "hcvrp: device must be auto, cpu or cuda, not 'gpu'\n")
    for option, value, sentence in (
        ("--minutes", "-1", "minutes must be a number of at least 0, not -1.0"),
        ("--minutes", "nan", "minutes must be a number of at least 0, not nan"),
        ("--epochs", "-1", "epochs must be at least 0, not -1"),
    ):
        code, output = call(
            training.main, "--config", config, "--out", tmp_path / "run", option, value
        )
        assert (code, output) == (2, f"hcvrp: {sentence}\n")


def test_decodings_by_name() -> None:
    assert evaluate.parse_decoding("greedy") == Decoding()
    assert evaluate.parse_decoding("x8") == Decoding(0, augment=True)
    assert evaluate.parse_decoding("1280") == Decoding(1280)
    assert evaluate.parse_decoding("1280x8") == Decoding(1280, augment=True)
    for bad in ("", "0", "-3", "greedyx8", "12 x8"):
        with pytest.raises(InputError, match="decoding must be greedy, x8, a number"):
            evaluate.parse_decoding(bad)


def test_short_runs_say_how_they_ended(tmp_path: Path, config: Path) -> None:
    run = tmp_path / "run"
    arguments = ["--config", config, "--out", run, "--device", "cpu"]
    none = f"no step is made, and nothing is saved in {run}\n"
    assert call(training.main, *arguments, "--epochs", "0") == (0, none)
    code, output = call(training.main, *arguments, "--resume")
    assert code == 0
    assert output.startswith(f"there is no checkpoint in {run}: training begins anew\n[100%] epo")
    assert output.endswith(f"\n3 steps, saved in {run}; the run of the config is complete\n")
    shutil.rmtree(run / "checkpoint")
    code, output = call(training.main, *arguments)
    lost = f"{run / 'log.csv'} is of a run without a checkpoint, and would be lost"
    way_out = "choose another folder, or resume to begin anew there"
    assert (code, output) == (2, f"hcvrp: {lost}: {way_out}\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_is_answered_at_once(
    tmp_path: Path, config: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    step, run = Learner.train_step, tmp_path / "run"
    told: list[str] = []
    heard: list[list[str]] = []

    def interrupted(self: Learner, *given: Any) -> object:
        for _ in range(2):  # the second is heard, but there is nothing new to say
            signal.raise_signal(number)
        heard.append(list(told))
        return step(self, *given)

    before = signal.getsignal(number)
    monkeypatch.setattr(Learner, "train_step", interrupted)
    monkeypatch.setattr(training, "_say", told.append)
    code, _ = call(training.main, "--config", config, "--out", run, "--device", "cpu")
    stopping = f"\nstopping after the step under way, to be saved in {run}"
    assert (code, heard) == (0, [[stopping]])
    assert told == [stopping, f"1 step, saved in {run}; --resume goes on"]
    assert (run / "checkpoint" / "weights.safetensors").exists()
    assert signal.getsignal(number) is before


def test_ctrl_c_before_the_first_step_says_that_nothing_is_there(
    tmp_path: Path, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(training, "require_torch", interrupt)
    run = tmp_path / "run"
    told = call(training.main, "--config", config, "--out", run)
    assert told == (130, f"hcvrp: interrupted before the first step: {run} is as it was\n")
    assert not run.exists()
