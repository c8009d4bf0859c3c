"""Weights files and networks: writing one, and building the other from it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from safetensors.torch import save
from torch import Tensor

from hcvrp.policy.network import Network, build
from hcvrp.policy.weights_file import BOTH, FORMAT, Description, description, misfit, read_arrays
from hcvrp.solution import Objective


@dataclass(frozen=True)
class Weights:
    """A loaded weights file."""

    path: Path
    description: Description
    network: Network


def write_weights(
    path: Path, network: Network, objective: Objective | None, customers: int, **more: str
) -> None:
    """Writes the network's weights; `more` joins the metadata."""
    metadata = {
        "format": FORMAT,
        "network": json.dumps(asdict(network.config), sort_keys=True),
        "objective": BOTH if objective is None else str(objective),
        "customers": str(customers),
        **more,
    }
    write_tensors(path, network.state_dict(), metadata)


def read_weights(path: Path) -> Weights:
    """The network in `path`, ready for evaluation on the CPU.

    Raises:
        InputError: for a missing, damaged or foreign file, in one sentence.
    """
    tensors, metadata = read_tensors(path)
    told = description(metadata, path)
    network = build(told.network)
    try:
        network.load_state_dict(tensors)
    except RuntimeError:
        raise misfit(path, told.network) from None
    return Weights(path, told, network.eval().requires_grad_(False))


def write_tensors(path: Path, tensors: Mapping[str, Tensor], metadata: dict[str, str]) -> None:
    """Writes a safetensors file whole or not at all."""
    data = save({name: t.detach().cpu().contiguous() for name, t in tensors.items()}, metadata)
    partial = path.with_name(path.name + ".partial")
    with partial.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)


def read_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Tensors and metadata of a safetensors file, or an InputError in one sentence."""
    arrays, metadata = read_arrays(path)
    return {name: torch.from_numpy(array) for name, array in arrays.items()}, metadata
