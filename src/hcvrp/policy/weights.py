"""Weights as safetensors files with the network's config in the metadata; no pickle."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from hcvrp.errors import InputError
from hcvrp.policy.config import NetworkConfig
from hcvrp.policy.network import Network, build
from hcvrp.solution import Objective

FORMAT = "hcvrp-policy-1"
_BOTH = "both"
SHIPPED = Path(__file__).parent.parent / "weights"
"""The folder of the trained policies that come with the package."""


@dataclass(frozen=True)
class Description:
    """What a weights file is for: the network, and what it was trained on."""

    network: NetworkConfig
    objective: Objective | None
    """None: both."""
    customers: int

    @property
    def objectives(self) -> tuple[Objective, ...]:
        """Those it is for."""
        return tuple(Objective) if self.objective is None else (self.objective,)


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
        "objective": _BOTH if objective is None else str(objective),
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
    description = _description(metadata, path)
    network = build(description.network)
    try:
        network.load_state_dict(tensors)
    except RuntimeError:
        raise InputError(
            f"{path} does not fit its own description: its tensors are not those of a"
            f" {description.network.kind} network with dim {description.network.dim}"
        ) from None
    return Weights(path, description, network.eval().requires_grad_(False))


def describe(path: Path) -> Description:
    """What the file is for, without loading its tensors."""
    with _opened(path) as file:
        return _description(file.metadata(), path)


def shipped() -> dict[str, Path]:
    """The policies that come with the package, by name."""
    return {path.stem: path for path in sorted(SHIPPED.glob("*.safetensors"))}


def locate(name: str | Path) -> Path:
    """The file of a shipped policy by name, or the path itself."""
    known = shipped()
    if str(name) in known:
        return known[str(name)]
    path = Path(name)
    if not path.is_file():
        listed = ", ".join(known) or "none"
        raise InputError(f"no policy {str(name)!r}: neither a file nor shipped (shipped: {listed})")
    return path


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
    with _opened(path) as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        return tensors, dict(file.metadata() or {})


def _opened(path: Path) -> Any:
    try:
        return safe_open(path, "pt")
    except OSError:
        raise InputError(f"cannot read weights {path}: no such file") from None
    except SafetensorError:
        raise InputError(f"{path} is damaged, or no safetensors file") from None


def _description(metadata: dict[str, str] | None, path: Path) -> Description:
    found = metadata or {}
    if found.get("format") != FORMAT:
        raise InputError(
            f"{path} is no hcvrp policy: its format is {found.get('format')!r}, not {FORMAT!r}"
        )
    try:
        network = NetworkConfig(**json.loads(found["network"]))
        told = found["objective"]
        objective = None if told == _BOTH else Objective(told)
        return Description(network, objective, int(found["customers"]))
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path} has metadata that cannot be read: {error}") from None
