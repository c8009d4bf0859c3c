"""The parallel pass equals the step-by-step one, in value and in gradient."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from hcvrp.env import (
    Actions,
    Batch,
    Decoder,
    World,
    initial,
    log_prob,
    node_mask,
    replay,
    rollout,
    step,
    vehicle_mask,
)
from hcvrp.env.log_prob import score_steps
from hcvrp.env.tensors import mapped, tensors
from hcvrp.policy.config import NetworkConfig
from hcvrp.policy.network import Network, build, detached
from hcvrp.policy.node_decoder import rows

FLEETS = [
    pytest.param((30.0,), (1.0,), id="one"),
    pytest.param((20.0, 25.0, 30.0), (1 / 4, 1 / 5, 1 / 6), id="three"),
    pytest.param((9.0, 3.0, 5.0, 12.0, 9.0), (1.0, 0.5, 2.0, 1.0, 0.3), id="five, some too small"),
]
KINDS = ("paper", "am", "fleet", "fleet move by move")


def double_batch(capacities: tuple[float, ...], speeds: tuple[float, ...], n: int = 6) -> Batch:
    world = World(n, capacities, speeds)
    batch = world.draw(4, torch.Generator().manual_seed(3))
    return mapped(batch, lambda t: t.double() if t.is_floating_point() else t)


def small(kind: str, vehicles: int) -> Network:
    name, _, how = kind.partition(" ")
    config = NetworkConfig(
        name,  # type: ignore[arg-type]
        vehicles,
        dim=16,
        heads=4,
        layers=2,
        feed_forward=24,
        trips=not how,
    )
    network = build(config, seed=5).double()
    with torch.no_grad():  # livelier than the initial weights, so that distributions differ
        for parameter in network.parameters():
            parameter.mul_(2)
    return network


def stepwise(batch: Batch, decoder: Decoder, actions: Actions) -> tuple[Tensor, list[object]]:
    """log π by the definition, one step after another, and the states on the way."""
    samples, steps = actions.node.shape[1:]
    state, memory = initial(batch, samples), decoder.begin(samples)
    total = torch.zeros(batch.size, samples, dtype=torch.float64)
    seen: list[object] = []
    for t in range(steps):
        seen.append((state, memory))
        vehicle, node = actions.vehicle[..., t], actions.node[..., t]
        mask = vehicle_mask(batch, state, trips=decoder.trips)
        scores = decoder.vehicle_scores(batch, state, memory, mask)
        term = scores.log_softmax(-1).gather(-1, vehicle[..., None]).squeeze(-1)
        mask = node_mask(batch, state, vehicle)
        scores = decoder.node_scores(batch, state, vehicle, mask)
        term = term + scores.log_softmax(-1).gather(-1, node[..., None]).squeeze(-1)
        total = total + torch.where(state.finished, 0, term)
        state = step(batch, state, vehicle, node)
        memory = decoder.remember(memory, vehicle, node)
    assert bool(state.finished.all())
    return total, seen


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("capacities", "speeds"), FLEETS)
def test_value_and_gradient_equal_the_stepwise_ones(
    kind: str, capacities: tuple[float, ...], speeds: tuple[float, ...]
) -> None:
    batch, network = double_batch(capacities, speeds), small(kind, len(capacities))
    with torch.no_grad():
        sampled = rollout(batch, network.encode(batch), 3, torch.Generator().manual_seed(8))
    weights = torch.randn(4, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(1))

    gradients, values = [], []
    for compute in (
        lambda d: stepwise(batch, d, sampled.actions)[0],
        lambda d: log_prob(batch, d, sampled.actions),
    ):
        network.zero_grad()
        value = compute(network.encode(batch))
        (value * weights).sum().backward()
        values.append(value.detach())
        gradients.append({name: p.grad for name, p in network.named_parameters()})

    torch.testing.assert_close(values[1], values[0], rtol=1e-10, atol=1e-10)
    assert values[0].std() > 0.1
    for name, expected in gradients[0].items():
        if expected is None:
            assert gradients[1][name] is None, name
            continue
        torch.testing.assert_close(gradients[1][name], expected, rtol=1e-8, atol=1e-9, msg=name)


@pytest.mark.parametrize(("capacities", "speeds"), FLEETS)
def test_replayed_states_equal_the_stepwise_ones(
    capacities: tuple[float, ...], speeds: tuple[float, ...]
) -> None:
    batch, network = double_batch(capacities, speeds), small("paper", len(capacities))
    with torch.no_grad():
        decoder = detached(network.encode(batch))
        actions = rollout(batch, decoder, 3, torch.Generator().manual_seed(8)).actions
        _, seen = stepwise(batch, decoder, actions)
        past, memory = replay(batch, actions), decoder.recall(actions)
    steps = actions.node.shape[2]
    for t, (state, remembered) in enumerate(seen):  # type: ignore[misc]
        active = past.active[..., t]
        assert torch.equal(active, ~state.finished)
        rows = (slice(None), slice(t, None, steps))
        for got, expected in zip(tensors(past.state), tensors(state), strict=True):
            torch.testing.assert_close(got[rows][active], expected[active])
        torch.testing.assert_close(memory[rows][active], remembered[active])


def test_rows_have_the_gradient_of_a_gather() -> None:
    generator = torch.Generator().manual_seed(3)
    table = torch.randn(2, 5, 4, dtype=torch.float64, generator=generator).requires_grad_()
    index = torch.tensor([[0, 0, 4, 0, 1, 1], [3, 2, 3, 3, 0, 3]])
    weight = torch.randn(2, 6, 4, dtype=torch.float64, generator=generator)
    (found,) = torch.autograd.grad((rows(table, index) * weight).sum(), table)
    taken = table.gather(1, index[..., None].expand(-1, -1, 4))
    (expected,) = torch.autograd.grad((taken * weight).sum(), table)
    torch.testing.assert_close(found, expected, rtol=1e-14, atol=1e-14)
    assert found[0, 2].tolist() == [0, 0, 0, 0]  # a row that nobody took


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # the compiler looks at everything, and warns itself
@pytest.mark.parametrize("kind", KINDS)
def test_the_compiled_twin_scores_the_same(kind: str) -> None:
    """As training compiles it on a GPU: one shape, any number of steps."""
    twin = torch.compile(score_steps, dynamic=False, fullgraph=True)
    batch, network = double_batch((20.0, 25.0, 30.0), (1 / 4, 1 / 5, 1 / 6)), small(kind, 3)
    with torch.no_grad():
        made = rollout(batch, network.encode(batch), 3, torch.Generator().manual_seed(8)).actions
    for more in (0, 8):
        actions = mapped(made, lambda t, more=more: functional.pad(t, (0, more)))
        for tensor in (actions.vehicle, actions.node):
            torch._dynamo.maybe_mark_dynamic(tensor, 2)
        value = log_prob(batch, network.encode(batch), actions, twin)
        expected = log_prob(batch, network.encode(batch), made)
        torch.testing.assert_close(value, expected, rtol=1e-10, atol=1e-10)
        weight = next(network.node_decoder.parameters())
        (found,) = torch.autograd.grad(value.sum(), weight)
        (plain,) = torch.autograd.grad(expected.sum(), weight)
        torch.testing.assert_close(found, plain, rtol=1e-8, atol=1e-9)
