"""Where to compute."""

from __future__ import annotations

import torch

from hcvrp.errors import InputError


def find_device(name: str = "auto") -> torch.device:
    """The device of that name; "auto" is a CUDA device where there is one, else the CPU."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
    except RuntimeError:
        device = None
    if device is None or device.type not in ("cpu", "cuda"):
        raise InputError(f"device must be auto, cpu or cuda, not {name!r}")
    if device.type == "cuda":
        if not torch.cuda.is_available():
            raise InputError(f"device {name!r} is not there: torch sees no CUDA device")
        if device.index is not None:
            if device.index >= (count := torch.cuda.device_count()):
                raise InputError(f"device {name!r} is not there: torch sees {count} in all")
            torch.cuda.set_device(device)  # where kernels start, and what captures record
        # cuDNN's attention builds a plan per shape, slowly and outside any captured graph.
        torch.backends.cuda.enable_cudnn_sdp(False)
    return device
