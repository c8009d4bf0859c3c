"""The rollout kernel against plain steps: on a GPU, or in Triton's interpreter where there is none.

The interpreter takes a third of a second per step, hence the tiny instances.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from triton_device import DEVICE, GPU, needs_triton, without_its_warnings

from hcvrp import Instance, Objective, Vehicle, generate
from hcvrp.env import (
    Actions,
    Batch,
    Draw,
    MixedWorld,
    Outcome,
    advance,
    collate,
    cost,
    initial,
    log_prob,
    rollout,
    solutions,
    vehicle_times,
)
from hcvrp.env.rollout import take_step
from hcvrp.env.tensors import mapped
from hcvrp.policy import NetworkConfig, build
from hcvrp.policy.fleet import FleetDecoder, FleetNetwork, fused
from hcvrp.policy.fleet.fused import FusedAdvance, fastest, fused_rollout, suits

SMALL = NetworkConfig("fleet", dim=32, heads=2, layers=1, feed_forward=24)
BOTH = tuple(Objective)

pytestmark = without_its_warnings


def network(config: NetworkConfig = SMALL) -> FleetNetwork:
    made = build(config, seed=5).eval().requires_grad_(False)
    assert isinstance(made, FleetNetwork)
    for parameter in made.parameters():
        parameter.mul_(2)  # livelier than the initial weights, so that choices differ
    return made.to(DEVICE)


def decoded(batch: Batch, objective: Objective = BOTH[0]) -> FleetDecoder:
    net = network()
    net.vehicle_decoder.out.weight.mul_(20)  # so that some vehicles reach the bound
    decoder = net.encode(batch, objective)
    assert isinstance(decoder, FleetDecoder)
    return decoder


def roads(customers: int, seed: int) -> Instance:
    """Asymmetric distances, loads that are no whole numbers, one fast and one slow vehicle."""
    rng = np.random.default_rng(seed)
    matrix = rng.uniform(1, 9, size=(customers + 1, customers + 1))
    np.fill_diagonal(matrix, 0)
    demands = rng.uniform(0.1, 1.0, customers)
    return Instance(demands, [Vehicle(1.7, 0.5), Vehicle(1.1, 1.3)], distances=matrix)


def assert_same(got: Outcome, expected: Outcome, batch: Batch) -> None:
    """The same routes and times; what follows the last customer means nothing."""
    for sample in range(got.times.shape[1]):
        mine, plain = (
            solutions(batch, mapped(o.actions, lambda t, s=sample: t[:, s : s + 1]))
            for o in (got, expected)
        )
        assert mine == plain
    torch.testing.assert_close(got.times, expected.times)


def gumbel(batch: Batch, samples: int, step: int, seed: int) -> torch.Tensor:
    """The kernel's noise of a step, (B, S, M + N), by counters alone (`_gumbel`)."""
    width = batch.vehicles + batch.nodes
    row = np.arange(batch.size * samples, dtype=np.uint64)[:, None]
    low = np.arange(step * width, (step + 1) * width, dtype=np.uint64)[None]
    signed = philox(low, row, seed).view(np.int32)
    uniform = np.where(signed < 0, -signed - 1, signed).astype(np.float32)
    uniform *= np.float32(4.6566127342e-10)
    noise = -np.log(-np.log(np.maximum(uniform, np.float32(1e-10))))
    return torch.from_numpy(noise).view(batch.size, samples, width).to(DEVICE)


def philox(low: NDArray[np.uint64], high: NDArray[np.uint64], seed: int) -> NDArray[np.uint32]:
    """The first word of Philox4x32-10 (Salmon et al. 2011) for counters (low, high, 0, 0)."""
    mask, first, second = np.uint64(0xFFFFFFFF), np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
    half = np.uint64(32)
    c0, c1 = np.broadcast_arrays(low, high)
    c2 = c3 = np.zeros_like(c0)
    k0, k1 = seed & 0xFFFFFFFF, seed >> 32
    for _ in range(10):
        upper, lower = second * c2, first * c0
        c0, c1, c2, c3 = (
            (upper >> half) ^ c1 ^ np.uint64(k0),
            upper & mask,
            (lower >> half) ^ c3 ^ np.uint64(k1),
            lower & mask,
        )
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return c0.astype(np.uint32)


def drawn_seed(seed: int) -> int:
    """What `fused_rollout` draws from a generator with this seed."""
    drawn = torch.zeros(1, dtype=torch.int64, device=DEVICE)
    return int(drawn.random_(generator=torch.Generator(DEVICE).manual_seed(seed)))


def stepwise(
    batch: Batch,
    decoder: FleetDecoder,
    samples: int,
    seed: int,
    greedy_from: int | None = None,
    temperature: float = 1.0,
) -> Outcome:
    """A rollout by plain steps with the kernel's noise."""
    greedy = slice(batch.size if greedy_from is None else greedy_from, None)
    state, memory = initial(batch, samples), decoder.begin(samples)
    taken = []
    for number in range(2 * (batch.nodes - 1)):
        noise = temperature * gumbel(batch, samples, number, seed)
        noise[greedy] = 0
        state, memory, *action = take_step(batch, decoder, state, memory, noise)
        taken.append(torch.stack(action))
    vehicle, node = torch.stack(taken, -1)
    return Outcome(Actions(vehicle, node), vehicle_times(batch, state))


def test_philox_by_the_published_value() -> None:
    """The known answer of the reference implementation for a counter and a key of zeros."""
    zero = np.zeros(1, np.uint64)
    assert philox(zero, zero, 0)[0] == 0x6627E8D5


@needs_triton
@pytest.mark.parametrize("objective", BOTH)
def test_greedy_routes_are_those_of_plain_steps(objective: Objective) -> None:
    batch = collate([roads(5, 1), generate(6, 3, seed=2)], device=DEVICE)
    decoder = decoded(batch, objective)
    got = fused_rollout(batch, decoder)
    assert_same(got, rollout(batch, decoder), batch)


@needs_triton
def test_with_the_same_noise_samples_are_those_of_plain_steps() -> None:
    """Eighteen samples: more than one program plays. Without bounds some would go elsewhere."""
    instances = [generate(4, 3, seed=3), roads(3, 4)]
    batch = collate(instances, device=DEVICE)
    decoder = decoded(batch)
    got = fused_rollout(batch, decoder, 18, Draw(torch.Generator(DEVICE).manual_seed(28)))
    assert_same(got, stepwise(batch, decoder, 18, drawn_seed(28)), batch)
    for sample in range(18):
        actions = mapped(got.actions, lambda t, s=sample: t[:, s : s + 1])
        for answer, instance in zip(solutions(batch, actions), instances, strict=True):
            assert answer.violations(instance) == []


@needs_triton
def test_many_blocks_of_nodes_and_padding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fused, "BITS", 16)
    sizes = ((17, 5), (17, 2), (2, 1))  # two words; the first is sampled, the others are greedy
    batch = collate([generate(*size, seed=6) for size in sizes], device=DEVICE)
    decoder = decoded(batch)
    got = fused_rollout(batch, decoder, 16, Draw(torch.Generator(DEVICE).manual_seed(28), 1, 2.0))
    assert_same(got, stepwise(batch, decoder, 16, drawn_seed(28), 1, 2.0), batch)


@needs_triton
def test_some_instances_can_be_greedy() -> None:
    batch = collate([generate(4, 2, seed=1)] * 2, device=DEVICE)
    decoder = decoded(batch)
    greedy = fused_rollout(batch, decoder, 3).times[1]
    mixed = fused_rollout(batch, decoder, 3, Draw(torch.Generator(DEVICE).manual_seed(2), 1)).times
    assert torch.equal(mixed[1], greedy)
    assert not torch.equal(mixed[0], greedy)


@needs_triton
def test_samples_are_as_likely_as_those_of_plain_steps() -> None:
    """Mean log-probability and cost, four standard errors apart at most."""
    customers, size, samples = (40, 64, 64) if GPU else (3, 2, 32)
    world = MixedWorld(customers, (1, 3, 8) if GPU else (2, 3), Objective.MIN_MAX)
    batch = world.draw(size, torch.Generator(DEVICE).manual_seed(1))
    net = network(NetworkConfig("fleet", layers=6) if GPU else SMALL)
    decoder = net.encode(batch, mixed=GPU)
    assert isinstance(decoder, FleetDecoder)
    generator = torch.Generator(DEVICE).manual_seed(4)
    outcomes = (
        fused_rollout(batch, decoder, samples, Draw(generator)),
        rollout(batch, decoder, samples, generator),
    )
    one, other = (
        torch.stack([log_prob(batch, decoder, o.actions), cost(o.times, BOTH[0])]).double()
        for o in outcomes
    )  # (2, B, S) each
    assert one.isfinite().all()
    error = math.sqrt(2 / samples) * other.std(-1)
    apart = ((one.mean(-1) - other.mean(-1)) / error.clamp(min=1e-6)).mean(-1)
    assert (apart.abs() < 4 / math.sqrt(size)).all(), apart


@needs_triton
def test_a_failing_kernel_is_logged_once_and_changes_no_answer(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> Outcome:
        raise RuntimeError("no such luck")

    monkeypatch.setattr(fused, "fused_rollout", fail)
    batch = collate([generate(6, 3, seed=1)])
    decoder = network().cpu().encode(batch)
    made = FusedAdvance(advance)
    for _ in range(2):
        torch.testing.assert_close(
            rollout(batch, decoder, advance=made).times, rollout(batch, decoder).times
        )
    assert [record.message for record in caplog.records] == [
        "the rollout kernel failed, going on step by step: no such luck"
    ]


def test_what_the_kernel_is_not_made_for_goes_step_by_step() -> None:
    batch = collate([generate(6, 3, seed=1)])
    decoder = build(SMALL).eval().requires_grad_(False).encode(batch)
    assert isinstance(decoder, FleetDecoder)
    assert suits(batch, decoder)
    assert not suits(batch, replace(decoder, trips=False))
    assert not suits(collate([generate(6, 20, seed=1)]), decoder)
    narrow = build(replace(SMALL, heads=4)).eval().encode(batch)
    assert isinstance(narrow, FleetDecoder)
    assert not suits(batch, narrow)
    paper = build(replace(SMALL, kind="paper")).eval().requires_grad_(False).encode(batch)
    assert FusedAdvance(advance).at_once(batch, paper, 1, Draw()) is None


def test_on_a_cpu_nothing_is_fused() -> None:
    cpu = torch.device("cpu")
    assert fastest(advance, cpu) is advance
