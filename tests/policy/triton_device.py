"""Where kernels are tried: on a GPU, or in Triton's interpreter where there is none."""

from __future__ import annotations

import os
from importlib.util import find_spec

import pytest
import torch

GPU = torch.cuda.is_available()
DEVICE = torch.device("cuda" if GPU else "cpu")

if not GPU:
    os.environ["TRITON_INTERPRET"] = "1"  # read when a kernel is first imported

needs_triton = pytest.mark.skipif(find_spec("triton") is None, reason="Triton is not installed")
without_its_warnings = pytest.mark.filterwarnings(
    "ignore::UserWarning:triton", "ignore::DeprecationWarning:triton"
)
