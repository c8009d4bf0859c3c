"""Steps by kernels against plain ones: on a GPU, or in Triton's interpreter."""

from __future__ import annotations

import pytest
import torch
from triton_device import DEVICE, needs_triton, without_its_warnings

from hcvrp import Objective, generate
from hcvrp.env import Batch, World, collate, initial
from hcvrp.env.rollout import take_step
from hcvrp.env.tensors import joined, tensors
from hcvrp.instance import Vehicle
from hcvrp.policy import NetworkConfig, build
from hcvrp.policy.config import Kind
from hcvrp.policy.network import AttentionDecoder, PaperDecoder
from hcvrp.policy.step import kernel_step, quick_step, suits

pytestmark = [needs_triton, without_its_warnings]


def network(kind: Kind, vehicles: int, heads: int = 4, seed: int = 4) -> torch.nn.Module:
    config = NetworkConfig(kind, vehicles, dim=32, heads=heads, layers=1, feed_forward=32)
    return build(config, seed).eval().requires_grad_(False).to(DEVICE)


def compared(batch: Batch, decoder: PaperDecoder | AttentionDecoder, samples: int) -> None:
    """Both ways from each of a rollout's states, with the same noise."""
    state, memory = initial(batch, samples), decoder.begin(samples)
    generator = torch.Generator().manual_seed(3)
    for number in range(2 * batch.nodes):
        noise = None
        if number % 3:
            shape = (batch.size, samples, batch.vehicles + batch.nodes)
            noise = -torch.empty(shape).exponential_(generator=generator).log().to(DEVICE)
        found = kernel_step(batch, decoder, state, memory, noise)
        state, memory, vehicle, node = take_step(batch, decoder, state, memory, noise)
        assert torch.equal(found[2], vehicle)
        assert torch.equal(found[3], node)
        for one, other in zip(tensors(found[0]), tensors(state), strict=True):
            torch.testing.assert_close(one, other)
        torch.testing.assert_close(found[1], memory)
        if state.finished.all():
            return
    pytest.fail("the rollout did not end")


@pytest.mark.parametrize(("kind", "heads"), [("paper", 4), ("paper", 2), ("am", 8)])
@pytest.mark.parametrize(("customers", "vehicles", "samples"), [(5, 3, 1), (19, 2, 3)])
@torch.no_grad()
def test_steps_are_plain_ones(
    kind: Kind, heads: int, customers: int, vehicles: int, samples: int
) -> None:
    world = World.paper(customers, vehicles, Objective.MIN_MAX)
    batch = world.draw(2, torch.Generator(DEVICE).manual_seed(7))
    compared(batch, network(kind, vehicles, heads).encode(batch), samples)


@torch.no_grad()
def test_two_networks_side_by_side() -> None:
    world = World.paper(6, 3, Objective.MIN_SUM)
    batch = world.draw(3, torch.Generator(DEVICE).manual_seed(9))
    one, other = (network("paper", 3, seed=seed).encode(batch) for seed in (1, 2))
    compared(joined(batch, batch), joined(one, other), 1)


@pytest.mark.parametrize("kind", ["paper", "am"])
@torch.no_grad()
def test_padding_loads_in_double_precision_and_a_customer_that_fills_a_vehicle(kind: Kind) -> None:
    fleet = [Vehicle(20.0, 1.0), Vehicle(35.0, 0.5), Vehicle(9.0, 1.0)]
    instances = [
        generate(9, fleet=fleet, seed=1),
        generate(3, fleet=fleet, seed=2),
        generate(1, fleet=fleet[:1] if kind == "am" else fleet, seed=3),
    ]
    batch = collate(instances, device=DEVICE)
    batch.demand[1, 1] = 35.0
    compared(batch, network(kind, 3).encode(batch), 2)


@torch.no_grad()
def test_what_the_kernels_are_not_made_for_is_done_plainly() -> None:
    batch = World.paper(5, 3, Objective.MIN_MAX).draw(1, torch.Generator().manual_seed(1))
    decoder = build(NetworkConfig("paper", 3, dim=48, heads=3)).eval().encode(batch)
    assert isinstance(decoder, PaperDecoder)
    state, memory = initial(batch, 9), decoder.begin(9)
    assert not suits(batch, decoder, state)
    assert not suits(batch, decoder, initial(batch, 1))
    _, _, vehicle, node = quick_step(batch, decoder, state, memory, None)
    assert torch.equal(vehicle, take_step(batch, decoder, state, memory, None)[2])
    assert torch.equal(node, take_step(batch, decoder, state, memory, None)[3])
