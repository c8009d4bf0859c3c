"""Rollouts: one policy's choices, step after step, in chunks of a fixed number of steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias, runtime_checkable

import torch
from torch import Tensor

from hcvrp.env.batch import Batch
from hcvrp.env.replay import Actions
from hcvrp.env.state import State, initial
from hcvrp.env.tensors import joined, mapped
from hcvrp.env.transition import node_mask, step, vehicle_mask, vehicle_times

CHUNK = 8
"""Steps between two looks at whether all rows are finished."""


class Decoder(Protocol):
    """A policy that has looked at a batch: a frozen record of tensors that scores actions.

    `memory` is whatever it carries from step to step, (B, L, …). Scores are −∞ where masked.
    """

    @property
    def trips(self) -> bool:
        """Whether it builds trip by trip: a vehicle that is out goes on until it is home."""
        ...

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


TakeStep: TypeAlias = Callable[
    [Batch, Decoder, State, Tensor, Tensor | None], tuple[State, Tensor, Tensor, Tensor]
]


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


@dataclass(frozen=True)
class Draw:
    """How rollouts choose, and when they end; see `rollout`."""

    generator: torch.Generator | None = None
    greedy_from: int | None = None
    temperature: float = 1.0
    steps: int | None = None


@runtime_checkable
class AtOnce(Protocol):
    """An `Advance` that can make some whole rollouts without going step by step."""

    def at_once(self, batch: Batch, decoder: Decoder, samples: int, draw: Draw) -> Outcome | None:
        """What `rollout` promises, or None where only steps will do."""
        ...


def take_step(
    batch: Batch, decoder: Decoder, state: State, memory: Tensor, noise: Tensor | None
) -> tuple[State, Tensor, Tensor, Tensor]:
    """One step: the next state and memory, the vehicle and the node.

    The action is the best or, with Gumbel `noise` (B, L, M + N), a sampled one.
    """
    mask = vehicle_mask(batch, state, trips=decoder.trips)
    scores = decoder.vehicle_scores(batch, state, memory, mask)
    vehicle = _choose(scores, None if noise is None else noise[..., : batch.vehicles])
    mask = node_mask(batch, state, vehicle)
    scores = decoder.node_scores(batch, state, vehicle, mask)
    node = _choose(scores, None if noise is None else noise[..., batch.vehicles :])
    state = step(batch, state, vehicle, node)
    return state, decoder.remember(memory, vehicle, node), vehicle, node


def advance(
    batch: Batch,
    decoder: Decoder,
    state: State,
    memory: Tensor,
    noise: Tensor | None,
    take_step: TakeStep = take_step,
) -> Progress:
    """CHUNK steps; `take_step` may be a compiled twin of the function of that name."""
    vehicles, nodes = [], []
    for number in range(CHUNK):
        part = None if noise is None else noise[number]
        state, memory, vehicle, node = take_step(batch, decoder, state, memory, part)
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
    temperature: float = 1.0,
    steps: int | None = None,
) -> Outcome:
    """`samples` sampled rollouts per instance, or greedy ones without a generator.

    Samples are drawn from softmax(scores / `temperature`); instances numbered `greedy_from` and
    above are decoded greedily in any case. With a number of `steps`, a multiple of CHUNK, it takes
    so many without looking, as a capture has to; times of rollouts that had not finished are NaN.
    """
    draw = Draw(generator, greedy_from, temperature, steps)
    if isinstance(advance, AtOnce):
        outcome = advance.at_once(batch, decoder, samples, draw)
        if outcome is not None:
            return outcome
    state, memory = initial(batch, samples), decoder.begin(samples)
    customers = batch.nodes - 1
    parts: list[Actions] = []
    most = 2 * customers if steps is None else steps
    for taken in range(CHUNK, most + CHUNK, CHUNK):
        noise = _gumbel(batch, samples, draw)
        progress = advance(batch, decoder, state, memory, noise)
        state, memory = progress.state, progress.memory
        parts.append(progress.actions)
        if steps is None and taken >= customers and bool(state.finished.all()):
            break
    actions = Actions(
        torch.cat([part.vehicle for part in parts], -1),
        torch.cat([part.node for part in parts], -1),
    )
    times = vehicle_times(batch, state)
    if steps is not None:
        times = times.masked_fill(~state.finished[..., None], torch.nan)
    return Outcome(actions, times)


def duel(
    batch: Batch,
    first: Decoder,
    second: Decoder,
    generator: torch.Generator,
    advance: Advance = advance,
    *,
    sample: bool,
    steps: int | None = None,
) -> tuple[Outcome, Outcome]:
    """One rollout by each of two policies: the first samples if asked to, the second is greedy.

    They run side by side as one batch: a step of twice the rows takes far less than twice the
    time, since at these sizes it is spent on starting kernels.
    """
    size = batch.size
    both = rollout(
        joined(batch, batch),
        joined(first, second),
        1,
        generator,
        advance,
        greedy_from=size if sample else 0,
        steps=steps,
    )
    return mapped(both, lambda t: t[:size]), mapped(both, lambda t: t[size:])


def _choose(scores: Tensor, noise: Tensor | None) -> Tensor:
    return (scores if noise is None else scores + noise).argmax(-1)


def _gumbel(batch: Batch, samples: int, draw: Draw) -> Tensor | None:
    """−T log E, E exponential: added to scores, the largest is a sample of softmax(scores/T)."""
    generator = draw.generator
    if generator is None:
        return None
    rows = batch.size if draw.greedy_from is None else draw.greedy_from
    noise = torch.zeros(
        CHUNK, batch.size, samples, batch.vehicles + batch.nodes, device=generator.device
    )
    drawn = torch.empty(CHUNK, rows, *noise.shape[2:], device=generator.device)
    drawn.exponential_(generator=generator).clamp_(min=torch.finfo(noise.dtype).tiny)
    noise[:, :rows] = drawn.log_().mul_(-draw.temperature)
    return noise
