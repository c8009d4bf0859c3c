"""Short sequences: the kernels against plain attention, on a GPU or in Triton's interpreter."""

from __future__ import annotations

import os
from importlib.util import find_spec

import pytest
import torch

from hcvrp.policy.attention import ShortAttention, self_attend

GPU = torch.cuda.is_available()
DEVICE = torch.device("cuda" if GPU else "cpu")

if not GPU:
    os.environ["TRITON_INTERPRET"] = "1"  # read when the kernel is first imported

pytestmark = [
    pytest.mark.skipif(find_spec("triton") is None, reason="Triton is not installed"),
    pytest.mark.filterwarnings("ignore::UserWarning:triton", "ignore::DeprecationWarning:triton"),
]


@pytest.mark.parametrize(("heads", "nodes", "padding"), [(2, 5, 0), (1, 16, 0), (4, 19, 7)])
def test_values_and_gradients_are_those_of_plain_attention(
    heads: int, nodes: int, padding: int
) -> None:
    torch.manual_seed(1)
    packed = torch.randn(3, nodes, 3 * heads * 16, device=DEVICE)
    mask = None
    if padding:
        mask = torch.arange(nodes, device=DEVICE).expand(3, -1) < nodes - padding
        mask = mask | (torch.arange(3, device=DEVICE)[:, None] == 1)  # one without any
    weight = torch.randn(3, nodes, heads * 16, device=DEVICE)
    plain, fast = packed.clone().requires_grad_(), packed.clone().requires_grad_()
    expected = self_attend(plain, heads, mask)
    found = ShortAttention.apply(fast, heads, mask)
    tolerance = 2e-3 if GPU else 1e-5  # products of float32 are TF32 there
    torch.testing.assert_close(found, expected, rtol=tolerance, atol=tolerance)
    (expected * weight).sum().backward()
    (found * weight).sum().backward()
    torch.testing.assert_close(fast.grad, plain.grad, rtol=tolerance, atol=10 * tolerance)
