"""The captured encoder: the same record, the same gradients."""

from __future__ import annotations

import pytest
import torch

from hcvrp.env import Batch, MixedWorld
from hcvrp.env.tensors import mapped, tensors
from hcvrp.policy.config import NetworkConfig
from hcvrp.policy.network import build
from hcvrp.solution import Objective
from hcvrp.training.graphed import GraphedEncode, graphed_encode

gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")


def drawn(device: str, seed: int) -> Batch:
    world = MixedWorld(9, (1, 2, 3), Objective.MIN_SUM)
    return world.draw(5, torch.Generator(device).manual_seed(seed))


def test_on_a_processor_it_is_the_encoder_itself() -> None:
    network = build(NetworkConfig(kind="fleet", layers=1))
    batch = drawn("cpu", 1)
    encode = graphed_encode(network, torch.device("cpu"), mixed=False)
    expected = network.encode(batch, Objective.MIN_SUM)
    found = encode(batch, Objective.MIN_SUM)
    for one, other in zip(tensors(found), tensors(expected), strict=True):
        assert torch.equal(one, other)


@gpu
def test_captured_it_gives_the_same_record_and_gradients() -> None:
    network = build(NetworkConfig(kind="fleet", layers=2)).cuda()
    encode = GraphedEncode(network, mixed=False)
    for seed in (1, 2, 3):
        batch = drawn("cuda", seed)
        for objective in Objective:
            gradients = []
            for record in (network.encode(batch, objective), encode(batch, objective)):
                network.zero_grad()
                learned = [t for t in tensors(record) if t.requires_grad]
                sum((t * t).sum() for t in learned).backward()
                gradients.append([p.grad.clone() for p in network.parameters()])
            plain = mapped(network.encode(batch, objective), torch.Tensor.detach)
            record = encode(batch, objective)
            for found, wanted in zip(tensors(record), tensors(plain), strict=True):
                torch.testing.assert_close(found.detach(), wanted, rtol=1e-5, atol=1e-5)
            for found, wanted in zip(gradients[1], gradients[0], strict=True):
                torch.testing.assert_close(found, wanted, rtol=1e-3, atol=1e-3)
