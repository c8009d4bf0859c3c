"""From a config file to whoever learns by it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeAlias

import torch

from hcvrp.errors import InputError
from hcvrp.policy.config import KINDS
from hcvrp.policy.weights import read_weights
from hcvrp.policy.weights_file import locate
from hcvrp.training.config import Config, read_toml
from hcvrp.training.fleet_config import FleetConfig
from hcvrp.training.learner import BaseLearner
from hcvrp.training.reinforce import Learner
from hcvrp.training.sampling import SampleLearner

AnyConfig: TypeAlias = Config | FleetConfig


def read_config(path: Path) -> AnyConfig:
    """The config in a TOML file."""
    tables = read_toml(path)
    if not tables:  # hours of training by defaults alone are hardly meant
        raise InputError(f"{path}: the file is empty")
    return parse_config(tables, str(path))


def parse_config(tables: dict[str, Any], where: str = "config") -> AnyConfig:
    """A `FleetConfig` where the policy is `fleet`, otherwise the paper's."""
    policy = tables.get("policy", {})
    kind = policy.get("kind", "paper") if isinstance(policy, dict) else "paper"
    if kind not in KINDS:  # first: the kind decides which tables there are
        known = ", ".join(KINDS)
        raise InputError(f"{where} [policy] kind must be one of {known}, not {kind!r}")
    if kind == "fleet":
        return FleetConfig.parse(tables, where)
    return Config.parse(tables, where)


def make_learner(
    config: AnyConfig, device: torch.device, start: str | Path | None = None
) -> BaseLearner:
    """Whoever learns by that config, from the weights in `start` if given.

    A `fleet` network may have more layers than the one it starts from.
    """
    learner: BaseLearner
    if isinstance(config, FleetConfig):
        learner = SampleLearner(config, device)
    else:
        learner = Learner(config, device)
    if start is not None:
        weights = read_weights(locate(start))
        its, wanted = asdict(weights.description.network), asdict(config.policy)
        if its["kind"] == "fleet":
            its["layers"] = max(its["layers"], wanted["layers"])
        differences = [f"{k} {its[k]}, not {wanted[k]}" for k in its if its[k] != wanted[k]]
        if differences:
            raise InputError(
                f"{weights.path} is no start for this config: its network has"
                f" {' and '.join(differences)}"
            )
        learner.start(weights.network.state_dict())
    return learner
