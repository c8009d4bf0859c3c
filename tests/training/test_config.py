from __future__ import annotations

from pathlib import Path

import pytest

from hcvrp import InputError, Objective
from hcvrp.training.config import Config

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


def read(tmp_path: Path, text: str) -> Config:
    path = tmp_path / "config.toml"
    path.write_text(text, encoding="utf-8")
    return Config.read(path)


@pytest.mark.parametrize("path", sorted(EXPERIMENTS.glob("paper/*.toml")), ids=lambda p: p.stem)
def test_published_configs_stay_within_the_papers_instances(path: Path) -> None:
    training = Config.read(path).training
    assert training.epochs * training.steps * training.batch <= 64_000_000


def test_the_defaults_are_the_papers(tmp_path: Path) -> None:
    config = read(tmp_path, '[problem]\nvehicles = 5\nobjective = "min-sum"')
    assert config.policy.vehicles == 5
    assert config.problem.objective is Objective.MIN_SUM
    assert config.problem.world.speeds == pytest.approx((1 / 4, 1 / 5, 1 / 6, 1 / 7, 1 / 8))
    training = config.training
    assert training.steps * training.batch == 1_280_000
    assert (training.learning_rate, training.decay, training.clip) == (1e-4, 0.995, 3.0)
    assert (training.momentum, training.validation, training.significance) == (0.8, 10_000, 0.05)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[training]\nbach = 3", "has no entry 'bach'; it has: epochs, steps, batch"),
        ("[trainig]", "has no entry 'trainig'; it has: problem, policy, training"),
        ("[training]\nbatch = 0", "training batch must be at least 1, not 0"),
        ("[training]\nbatch = 2.5", "batch must be a whole number, not 2.5"),
        ('[training]\nclip = "x"', "clip must be a number, not 'x'"),
        ("[training]\ndecay = 1.5", "training decay must lie above 0 and be at most 1, not 1.5"),
        ("[training]\nlearning_rate = 0", "learning_rate must be positive, not 0"),
        ('[problem]\nobjective = "max"', "objective must be min-max or min-sum, not 'max'"),
        ("[policy]\nvehicles = 4", "policy vehicles must be the problem's 3, not 4"),
        ("[policy]\nheads = 5", "policy heads must divide dim 128, not 5"),
        ("problem = 3", "problem must be a table, not 3"),
        ("[", "is no TOML file"),
    ],
)
def test_bad_configs_get_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    assert sentence in str(caught.value)


def test_a_missing_config_gets_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read config .*none.toml: No such file"):
        Config.read(tmp_path / "none.toml")
