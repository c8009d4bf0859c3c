"""Rollouts: one policy's choices, step after step, in chunks of a fixed number of steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from hcvrp.env.batch import Batch
from hcvrp.env.replay import Actions, replay
from hcvrp.env.state import State, initial
from hcvrp.env.tensors import joined, mapped
from hcvrp.env.transition import node_mask, step, vehicle_mask, vehicle_times

CHUNK = 8
"""Steps between two looks at whether all rows are finished."""


class Decoder(Protocol):
    """A policy that has looked at a batch: a frozen record of tensors that scores actions.

    `memory` is whatever it carries from step to step, (B, L, …). Scores are −∞ where masked.
    """

    def begin(self, samples: int) -> Tensor:
        """The memory before the first step."""
        ...

    def vehicle_scores(self, batch: Batch, state: State, memory: Tensor, mask: Tensor) -> Tensor:
        """Log-probabilities of the vehicles up to a constant, (B, L, M)."""
        ...

    def node_scores(self, batch: Batch, state: State, vehicle: Tensor, mask: Tensor) -> Tensor:
        """Log-probabilities of the nodes for the chosen vehicle up to a constant, (B, L, N)."""
        ...

    def remember(self, memory: Tensor, vehicle: Tensor, node: Tensor) -> Tensor:
        """The memory after a step."""
        ...

    def recall(self, actions: Actions) -> Tensor:
        """The memories before each step of recorded actions, (B, S·T, …)."""
        ...


@dataclass(frozen=True)
class Progress:
    """Where a rollout stands, and what its last chunk did."""

    state: State
    memory: Tensor  # (B, L, …)
    actions: Actions  # (B, L, CHUNK)


class Advance(Protocol):
    """Something that takes CHUNK steps: `advance`, or a captured graph of it."""

    def __call__(
        self, batch: Batch, decoder: Decoder, state: State, memory: Tensor, noise: Tensor | None
    ) -> Progress:
        """CHUNK steps on; `noise` (CHUNK, B, L, M + N) is Gumbel noise, None means greedy."""
        ...


@dataclass(frozen=True)
class Outcome:
    """Finished rollouts: what was done and each vehicle's time, home again."""

    actions: Actions  # (B, S, T)
    times: Tensor  # (B, S, M)


def advance(
    batch: Batch, decoder: Decoder, state: State, memory: Tensor, noise: Tensor | None
) -> Progress:
    """CHUNK steps, each the best action or, by the Gumbel-max trick, a sampled one."""
    vehicles, nodes = [], []
    for number in range(CHUNK):
        mask = vehicle_mask(batch, state)
        scores = decoder.vehicle_scores(batch, state, memory, mask)
        vehicle = _choose(scores, None if noise is None else noise[number, ..., : batch.vehicles])
        mask = node_mask(batch, state, vehicle)
        scores = decoder.node_scores(batch, state, vehicle, mask)
        node = _choose(scores, None if noise is None else noise[number, ..., batch.vehicles :])
        state = step(batch, state, vehicle, node)
        memory = decoder.remember(memory, vehicle, node)
        vehicles.append(vehicle)
        nodes.append(node)
    return Progress(state, memory, Actions(torch.stack(vehicles, -1), torch.stack(nodes, -1)))


@torch.no_grad()
def rollout(
    batch: Batch,
    decoder: Decoder,
    samples: int = 1,
    generator: torch.Generator | None = None,
    advance: Advance = advance,
    *,
    greedy_from: int | None = None,
) -> Outcome:
    """`samples` sampled rollouts per instance, or greedy ones without a generator.

    Instances numbered `greedy_from` and above are decoded greedily in any case.
    """
    state, memory = initial(batch, samples), decoder.begin(samples)
    customers = batch.nodes - 1
    parts: list[Actions] = []
    for taken in range(CHUNK, 2 * customers + CHUNK, CHUNK):
        noise = None if generator is None else _gumbel(batch, samples, generator, greedy_from)
        progress = advance(batch, decoder, state, memory, noise)
        state, memory = progress.state, progress.memory
        parts.append(progress.actions)
        if taken >= customers and bool(state.finished.all()):
            break
    actions = Actions(
        torch.cat([part.vehicle for part in parts], -1),
        torch.cat([part.node for part in parts], -1),
    )
    return Outcome(actions, vehicle_times(batch, state))


def duel(
    batch: Batch,
    sampled: Decoder,
    greedy: Decoder,
    generator: torch.Generator,
    advance: Advance = advance,
) -> tuple[Outcome, Outcome]:
    """A sampled rollout of one policy and a greedy one of another for each instance.

    They run side by side as one batch: a step of twice the rows takes far less than twice the
    time, since at these sizes it is spent on starting kernels.
    """
    both = rollout(
        joined(batch, batch),
        joined(sampled, greedy),
        1,
        generator,
        advance,
        greedy_from=batch.size,
    )
    first = mapped(both, lambda t: t[: batch.size])
    return first, mapped(both, lambda t: t[batch.size :])


def log_prob(batch: Batch, decoder: Decoder, actions: Actions) -> Tensor:
    """Log π of each recorded rollout, (B, S): Li et al. 2021, eq. 14, all steps in one pass.

    Each step's distribution depends on the state and the memory alone, and both are known from
    the actions, so the steps are scored side by side as if they were samples. Steps after the
    last customer do not count.
    """
    past = replay(batch, actions)
    memory, flat = decoder.recall(actions), actions.flat()
    mask = vehicle_mask(batch, past.state)
    vehicle = decoder.vehicle_scores(batch, past.state, memory, mask)
    mask = node_mask(batch, past.state, flat.vehicle)
    node = decoder.node_scores(batch, past.state, flat.vehicle, mask)
    steps = _chosen(vehicle, flat.vehicle) + _chosen(node, flat.node)
    return steps.view_as(past.active).masked_fill(~past.active, 0).sum(-1)


def _choose(scores: Tensor, noise: Tensor | None) -> Tensor:
    return (scores if noise is None else scores + noise).argmax(-1)


def _chosen(scores: Tensor, action: Tensor) -> Tensor:
    return scores.log_softmax(-1).gather(-1, action[..., None]).squeeze(-1)


def _gumbel(
    batch: Batch, samples: int, generator: torch.Generator, greedy_from: int | None
) -> Tensor:
    """−log E with E exponential: added to scores, the largest is a sample of their softmax."""
    rows = batch.size if greedy_from is None else greedy_from
    noise = torch.zeros(
        CHUNK, batch.size, samples, batch.vehicles + batch.nodes, device=generator.device
    )
    drawn = torch.empty(CHUNK, rows, *noise.shape[2:], device=generator.device)
    drawn.exponential_(generator=generator).clamp_(min=torch.finfo(noise.dtype).tiny)
    noise[:, :rows] = drawn.log_().neg_()
    return noise
