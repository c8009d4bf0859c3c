"""The kernel for single rollouts against the plain scores: on a GPU, or in Triton's interpreter."""

from __future__ import annotations

import os
from importlib.util import find_spec

import pytest
import torch
from torch import Tensor

from hcvrp import Objective
from hcvrp.env import World, initial, node_mask, rollout, step
from hcvrp.policy import NetworkConfig, build
from hcvrp.policy.network import PaperDecoder

GPU = torch.cuda.is_available()
DEVICE = torch.device("cuda" if GPU else "cpu")

if not GPU:
    os.environ["TRITON_INTERPRET"] = "1"  # read when the kernel is first imported

pytestmark = [
    pytest.mark.skipif(find_spec("triton") is None, reason="Triton is not installed"),
    pytest.mark.filterwarnings("ignore::UserWarning:triton", "ignore::DeprecationWarning:triton"),
]


@pytest.mark.parametrize(("heads", "customers"), [(2, 5), (4, 7), (8, 19)])
@torch.no_grad()
def test_scores_are_those_of_plain_steps(heads: int, customers: int) -> None:
    config = NetworkConfig("paper", vehicles=3, dim=32, heads=heads, layers=1, feed_forward=16)
    network = build(config, seed=4).eval().to(DEVICE)
    batch = World.paper(customers, 3, Objective.MIN_MAX).draw(
        2, torch.Generator(DEVICE).manual_seed(7)
    )
    decoder = network.encode(batch)
    assert isinstance(decoder, PaperDecoder)
    made = rollout(batch, decoder, 3, torch.Generator(DEVICE).manual_seed(8)).actions
    state = initial(batch, 3)
    for number in range(customers):
        vehicle, node = made.vehicle[..., number], made.node[..., number]
        mask = node_mask(batch, state, vehicle)
        position, remaining = (
            t.gather(-1, vehicle[..., None])[..., 0] for t in (state.position, state.remaining)
        )
        plain = plain_scores(decoder, position, remaining, mask)
        got = decoder.scorer.single(position, remaining, mask)
        assert torch.equal(got.isinf(), plain.isinf())
        torch.testing.assert_close(got, plain, atol=1e-4, rtol=1e-4)
        state = step(batch, state, vehicle, node)


def plain_scores(
    decoder: PaperDecoder, position: Tensor, remaining: Tensor, mask: Tensor
) -> Tensor:
    with torch.enable_grad():  # the kernel has none, so it is not taken
        return decoder.scorer.scores(position, remaining, mask).detach()


def test_it_is_for_rollouts_on_a_gpu_alone() -> None:
    network = build(NetworkConfig("paper", vehicles=3), seed=4)
    batch = World.paper(5, 3, Objective.MIN_MAX).draw(1, torch.Generator().manual_seed(1))
    decoder = network.encode(batch)
    assert isinstance(decoder, PaperDecoder)
    with torch.no_grad():
        assert not decoder.scorer.singly(torch.zeros(1, 1, dtype=torch.int64))
