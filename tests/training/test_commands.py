"""The commands: train, profile, evaluate."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from hcvrp import InputError
from hcvrp.policy import Decoding
from hcvrp.training import __main__ as training
from hcvrp.training import evaluate, profile

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


def test_train_then_evaluate(tmp_path: Path, config: Path) -> None:
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


def test_profile_prints_every_part(config: Path) -> None:
    code, output = call(profile.main, "--config", config, "--steps", "2", "--device", "cpu")
    assert code == 0
    parts = [line.split()[0] for line in output.splitlines()[:-1]]
    assert parts == ["draw", "encode", "rollouts", "log_prob", "backward", "whole"]
    assert "instances/s at batch 8" in output


def test_bad_input_gets_one_sentence_and_code_2(tmp_path: Path, config: Path) -> None:
    code, output = call(training.main, "--config", tmp_path / "no.toml", "--out", tmp_path / "run")
    assert code == 2
    assert output.startswith("error: cannot read config")
    assert not (tmp_path / "run").exists()
    code, output = call(
        training.main, "--config", config, "--out", tmp_path / "run", "--device", "gpu"
    )
    assert (code, output) == (2, "error: device must be auto, cpu or cuda, not 'gpu'\n")


def test_decodings_by_name() -> None:
    assert evaluate.parse_decoding("greedy") == Decoding()
    assert evaluate.parse_decoding("x8") == Decoding(0, augment=True)
    assert evaluate.parse_decoding("1280") == Decoding(1280)
    assert evaluate.parse_decoding("1280x8") == Decoding(1280, augment=True)
    for bad in ("", "0", "-3", "greedyx8", "12 x8"):
        with pytest.raises(InputError, match="decoding must be greedy, x8, a number"):
            evaluate.parse_decoding(bad)
