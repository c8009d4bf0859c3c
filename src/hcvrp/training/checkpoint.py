"""Checkpoints: three safetensors files in a folder that appears whole or not at all."""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from torch import Tensor

from hcvrp.errors import InputError
from hcvrp.policy.weights import read_tensors, write_tensors, write_weights
from hcvrp.provenance import this_session
from hcvrp.training.learner import BaseLearner
from hcvrp.training.runs import AnyConfig, parse_config

logger = logging.getLogger(__name__)

CURRENT, PREVIOUS, PARTIAL = "checkpoint", "checkpoint.previous", "checkpoint.partial"


@dataclass(frozen=True)
class Position:
    """How far a run has come."""

    step: int = 0
    seconds: float = 0.0
    instances: int = 0


def save(out: Path, learner: BaseLearner, position: Position) -> None:
    """Writes a new checkpoint and keeps the one before it."""
    partial = out / PARTIAL
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    note = _note(learner, position)
    _write_exported(partial / "weights.safetensors", learner, note)
    write_tensors(partial / f"{learner.companion}.safetensors", learner.state(), note)
    write_tensors(partial / "optimizer.safetensors", _optimizer_tensors(learner), note)
    if (out / CURRENT).exists():
        shutil.rmtree(out / PREVIOUS, ignore_errors=True)
        (out / CURRENT).rename(out / PREVIOUS)
    partial.rename(out / CURRENT)


def save_best(out: Path, learner: BaseLearner, position: Position) -> None:
    """Writes the weights that validated best, beside the checkpoint."""
    _write_exported(out / "best.safetensors", learner, _note(learner, position))


def exists(out: Path) -> bool:
    """Whether there is anything to resume."""
    return (out / CURRENT).exists() or (out / PREVIOUS).exists()


def restore(out: Path, learner: BaseLearner) -> Position:
    """Loads the newest checkpoint that can be read; one of another config is refused."""
    problems = []
    files = ("weights", learner.companion, "optimizer")
    for folder in (out / CURRENT, out / PREVIOUS):
        if not folder.exists():
            continue
        try:
            parts = [read_tensors(folder / f"{name}.safetensors") for name in files]
        except InputError as error:
            logger.warning("skipping a damaged checkpoint: %s", error)
            problems.append(str(error))
            continue
        _check_config(parts[0][1], learner.config, folder)
        _load(learner, *(tensors for tensors, _ in parts))
        return Position(**json.loads(parts[0][1]["position"]))
    raise InputError(
        f"no checkpoint in {out} can be read: {'; '.join(problems) or 'there is none'}"
    )


def _note(learner: BaseLearner, position: Position) -> dict[str, str]:
    """What every file says of its run, and of where it was made."""
    return {
        "config": learner.config.to_json(),
        "position": json.dumps(asdict(position)),
        **_place(),
    }


@cache
def _place() -> dict[str, str]:
    session = this_session()
    return {"commit": session.commit, "machine": session.machine()}


def _write_exported(path: Path, learner: BaseLearner, note: Mapping[str, str]) -> None:
    config = learner.config
    write_weights(path, learner.exported, config.objective, config.customers, **note)


def _load(
    learner: BaseLearner,
    weights: Mapping[str, Tensor],
    state: Mapping[str, Tensor],
    optimizer: Mapping[str, Tensor],
) -> None:
    learner.load(weights, state)
    moments: dict[int, dict[str, Tensor]] = {}
    for name, tensor in optimizer.items():
        number, _, key = name.partition(".")
        moments.setdefault(int(number), {})[key] = tensor
    groups = learner.optimizer.state_dict()["param_groups"]
    learner.optimizer.load_state_dict({"state": moments, "param_groups": groups})


def _optimizer_tensors(learner: BaseLearner) -> dict[str, Tensor]:
    state: dict[int, dict[str, Any]] = learner.optimizer.state_dict()["state"]
    return {f"{k}.{name}": t for k, entries in state.items() for name, t in entries.items()}


def _check_config(metadata: Mapping[str, str], config: AnyConfig, folder: Path) -> None:
    found = json.loads(metadata.get("config", "{}"))
    if parse_config(found, str(folder)) == config:  # entries that are newer have their defaults
        return
    old, new = _flat(found), _flat(json.loads(config.to_json()))
    field = next((name for name in new if old.get(name) != new[name]), "format")
    raise InputError(
        f"{folder} belongs to another config: there {field} is {old.get(field)},"
        f" here it is {new.get(field)}"
    )


def _flat(tables: dict[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for table, entries in tables.items():
        if isinstance(entries, dict):
            flat |= {f"{table}.{name}": value for name, value in entries.items()}
        else:
            flat[table] = entries
    return flat
