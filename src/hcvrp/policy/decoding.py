"""Decoding: the best of many rollouts of each instance, within bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import reduce

import torch
from torch import Tensor
from torch.nn import functional

from hcvrp.env import Actions, Advance, Batch, Outcome, advance, cost, rollout
from hcvrp.env.tensors import mapped
from hcvrp.policy.network import Network
from hcvrp.policy.settings import Decoding
from hcvrp.solution import Objective


@dataclass(frozen=True)
class Best:
    """The cheapest rollout of each instance."""

    cost: Tensor  # (B,)
    actions: Actions  # (B, 1, T)
    rollouts: int  # of each instance, of which it is the cheapest


def decode(
    network: Network,
    batch: Batch,
    objective: Objective,
    decoding: Decoding,
    *,
    seed: int = 0,
    advance: Advance = advance,
    mixed: bool = False,
    cancelled: Callable[[], bool] = lambda: False,
) -> Best:
    """The cheapest rollout of each instance; the same seed and `rows` give the same one.

    Once `cancelled` it has those of the first instances, a piece of the batch at least.
    """
    parts: list[Best] = []
    for number, piece in enumerate(_pieces(batch, decoding)):
        if parts and cancelled():
            break
        found = attempts(
            network, piece, objective, decoding, seed=seed + number, advance=advance, mixed=mixed
        )
        parts.append(reduce(_better, found))
    steps = max(part.actions.node.shape[2] for part in parts)
    padded = [_padded(part.actions, steps) for part in parts]
    return Best(
        torch.cat([part.cost for part in parts]),
        Actions(torch.cat([a.vehicle for a in padded]), torch.cat([a.node for a in padded])),
        parts[0].rollouts,
    )


@torch.no_grad()
def attempts(
    network: Network,
    batch: Batch,
    objective: Objective,
    decoding: Decoding,
    *,
    seed: int = 0,
    advance: Advance = advance,
    mixed: bool = False,
) -> Iterator[Best]:
    """The cheapest of each group of rollouts, group after group, for a caller with a clock."""
    device = batch.points.device
    generator = torch.Generator(device).manual_seed(seed) if decoding.samples else None
    most = max(1, decoding.limit(device.type) // batch.size)
    heat = decoding.heat(network.config.kind, batch.nodes - 1)
    for view in range(decoding.views):
        seen = symmetric(batch, view)
        decoder = network.encode(seen, objective, mixed=mixed)
        for start in range(0, decoding.rollouts, most):
            samples = min(most, decoding.rollouts - start)
            outcome = rollout(seen, decoder, samples, generator, advance, temperature=heat)
            yield _cheapest(outcome, objective)


def symmetric(batch: Batch, view: int) -> Batch:
    """The batch under one of the eight symmetries of the unit square; distances stay."""
    x, y = batch.points.unbind(-1)
    if view & 1:
        x = 1 - x
    if view & 2:
        y = 1 - y
    points = torch.stack([y, x] if view & 4 else [x, y], -1)
    return replace(batch, points=points)


def _cheapest(outcome: Outcome, objective: Objective) -> Best:
    costs, sample = cost(outcome.times, objective).min(1)
    pick = sample[:, None, None].expand(-1, 1, outcome.actions.node.shape[2])
    best = mapped(outcome.actions, lambda t: t.gather(1, pick))
    return Best(costs, best, outcome.times.shape[1])


def _better(old: Best, new: Best) -> Best:
    steps = max(old.actions.node.shape[2], new.actions.node.shape[2])
    a, b = _padded(old.actions, steps), _padded(new.actions, steps)
    wins = new.cost < old.cost
    pick = wins[:, None, None]
    return Best(
        torch.where(wins, new.cost, old.cost),
        Actions(torch.where(pick, b.vehicle, a.vehicle), torch.where(pick, b.node, a.node)),
        old.rollouts + new.rollouts,
    )


def _padded(actions: Actions, steps: int) -> Actions:
    """With idle steps at the end."""
    return mapped(actions, lambda t: functional.pad(t, (0, steps - t.shape[2])))


def _pieces(batch: Batch, decoding: Decoding) -> Iterator[Batch]:
    """Pieces of nearly equal size, so that few shapes occur."""
    most = max(1, decoding.limit(batch.points.device.type) // decoding.rollouts)
    count = -(-batch.size // most)
    size = -(-batch.size // count)
    for start in range(0, batch.size, size):
        yield batch.rows(start, start + size)
