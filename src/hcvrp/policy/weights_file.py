"""Weights files: what is in them, read with NumPy alone.

A file is in the safetensors format: eight bytes with the length of a JSON header, the header with
type, shape and place of every tensor and the metadata, then the numbers. No pickle.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hcvrp.errors import InputError
from hcvrp.policy.config import NetworkConfig
from hcvrp.solution import Objective

FORMAT = "hcvrp-policy-1"
BOTH = "both"
SHIPPED = Path(__file__).parent.parent / "weights"
"""The folder of the trained policies that come with the package."""

Arrays: TypeAlias = dict[str, NDArray[Any]]

_KINDS = {
    "BOOL": np.bool_,
    "U8": np.uint8,
    "I32": np.int32,
    "I64": np.int64,
    "F32": np.float32,
    "F64": np.float64,
}


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


def describe(path: Path) -> Description:
    """What the file is for, without its tensors."""
    return description(_header(path).metadata, path)


def description(metadata: dict[str, str], path: Path) -> Description:
    """What the metadata of a weights file say."""
    if metadata.get("format") != FORMAT:
        raise InputError(
            f"{path} is no hcvrp policy: its format is {metadata.get('format')!r}, not {FORMAT!r}"
        )
    try:
        network = NetworkConfig(**json.loads(metadata["network"]))
        told = metadata["objective"]
        objective = None if told == BOTH else Objective(told)
        return Description(network, objective, int(metadata["customers"]))
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path} has metadata that cannot be read: {error}") from None


def misfit(path: Path, network: NetworkConfig) -> InputError:
    """The tensors are not those of the network that the metadata describe."""
    return InputError(
        f"{path} does not fit its own description: its tensors are not those of a"
        f" {network.kind} network with dim {network.dim}"
    )


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


def read_arrays(path: Path) -> tuple[Arrays, dict[str, str]]:
    """Tensors and metadata of a safetensors file, or an InputError in one sentence."""
    header = _header(path)
    body = np.fromfile(path, np.uint8, offset=header.size)
    try:
        arrays = {name: _array(entry, body) for name, entry in header.entries.items()}
    except (KeyError, TypeError, ValueError, OverflowError):
        raise _damaged(path) from None
    return arrays, header.metadata


@dataclass(frozen=True)
class _Header:
    """What stands before the numbers."""

    size: int
    entries: dict[str, Any]
    metadata: dict[str, str]


def _header(path: Path) -> _Header:
    try:
        with path.open("rb") as file:
            size = 8 + int.from_bytes(file.read(8), "little")
            whole = path.stat().st_size
            text = file.read(size - 8) if 8 < size <= whole else b""
    except OSError:
        raise InputError(f"cannot read weights {path}: no such file") from None
    try:
        entries = json.loads(text)
        header = _Header(size, entries, dict(entries.pop("__metadata__", {})))
        end = size + max((entry["data_offsets"][1] for entry in entries.values()), default=0)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        raise _damaged(path) from None
    if end != whole:
        raise _damaged(path)
    return header


def _array(entry: dict[str, Any], body: NDArray[np.uint8]) -> NDArray[Any]:
    kind = np.dtype(_KINDS[entry["dtype"]])
    (first, last), shape = entry["data_offsets"], tuple(entry["shape"])
    if not 0 <= first <= last or min(shape, default=0) < 0:
        raise ValueError("a tensor lies outside the file")
    if last - first != kind.itemsize * math.prod(shape):
        raise ValueError("a tensor has another size than its shape")
    return body[first:last].copy().view(kind).reshape(shape)


def _damaged(path: Path) -> InputError:
    return InputError(f"{path} is damaged, or no safetensors file")
