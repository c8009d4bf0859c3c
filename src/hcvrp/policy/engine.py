"""What runs a network: the compiled core where it can, torch for all others and for GPUs."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol, TypeVar

from hcvrp.instance import Instance
from hcvrp.policy.extra import require_torch
from hcvrp.policy.native import NativeFleet, suits
from hcvrp.policy.settings import Decoding
from hcvrp.policy.weights_file import describe
from hcvrp.solution import Objective, Solution
from hcvrp.task import Result, Stop, Task

T = TypeVar("T")


class Engine(Protocol):
    """A network with something to run it."""

    def answer(self, task: Task, decoding: Decoding) -> Result:
        """The best rollout, or a given initial solution if that is better."""
        ...

    def answer_many(
        self,
        instances: Sequence[Instance],
        objective: Objective,
        decoding: Decoding,
        *,
        seed: int,
        threads: int | None,
        stop: Stop | None,
    ) -> list[Solution]:
        """The best rollout of each instance; once it is cancelled those of the first."""
        ...


def find_engine(path: Path, device: str, *, many: bool = False) -> Engine:
    """The engine for a weights file and a device: auto, cpu, cuda or cuda:0.

    On a CPU the core is faster than torch, for one instance and for many (docs/methods/fleet.md).
    "auto" gives many instances to a GPU where there is one; a single instance would be answered
    before the GPU is awake.
    """
    gpu = on_gpu(device) if many or device != "auto" else False
    if suits(describe(path).network) and not gpu:
        return native_fleet(path)
    require_torch()
    from hcvrp.policy.torch_engine import TorchEngine

    return _loaded(TorchEngine.load, path).on(device)


def native_fleet(path: Path) -> NativeFleet:
    """The network of a weights file in the core, read once."""
    return _loaded(NativeFleet.load, path)


def on_gpu(device: str) -> bool:
    """Whether that device is a GPU; "auto" is one where torch sees one.

    Torch takes seconds to import, so it is asked only where there is a driver.
    """
    if device != "auto":
        return device != "cpu"
    if not (find_spec("torch") and find_spec("safetensors") and _has_driver()):
        return False
    import torch

    return torch.cuda.is_available()


@lru_cache
def _has_driver() -> bool:
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return True


_loading = threading.Lock()


def _loaded(load: Callable[[Path], T], path: Path) -> T:
    """`load(path)`, once for as long as the file stays the same."""
    with _loading:
        engine: T = _load_once(load, path, path.stat().st_mtime_ns)
        return engine


@lru_cache(maxsize=8)
def _load_once(load: Callable[[Path], Any], path: Path, _: int) -> Any:
    return load(path)
