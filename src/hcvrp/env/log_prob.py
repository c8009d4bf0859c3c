"""The log-probability of recorded rollouts, all steps in one pass that carries gradients."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeAlias

import torch
from torch import Tensor

from hcvrp.env.batch import Batch
from hcvrp.env.graph import SHAPES, capturing
from hcvrp.env.replay import Actions, Replay, replay
from hcvrp.env.rollout import Decoder
from hcvrp.env.tensors import mapped
from hcvrp.env.transition import node_mask, vehicle_mask

logger = logging.getLogger(__name__)

ROUNDED = 64
"""Sizes that depend on data are rounded up to multiples of this, so that memory is reused."""

AllSteps: TypeAlias = Callable[[Batch, Decoder, Actions], tuple[Tensor, Replay, Tensor]]


def score_steps(batch: Batch, decoder: Decoder, actions: Actions) -> tuple[Tensor, Replay, Tensor]:
    """What is scored at every step, (B, S); the states; and who might have moved, (B, S·T, M).

    That is the nodes and, unless the decoder builds trip by trip, the vehicles.
    """
    past, flat = replay(batch, actions), actions.flat()
    state = past.state
    mask = node_mask(batch, state, flat.vehicle)
    nodes = _chosen(decoder.node_scores(batch, state, flat.vehicle, mask), flat.node)
    score = _over_steps(nodes, past.active)
    mask = vehicle_mask(batch, state, trips=decoder.trips)
    if not decoder.trips:
        scores = decoder.vehicle_scores(batch, state, decoder.recall(actions), mask)
        score = score + _over_steps(_chosen(scores, flat.vehicle), past.active)
    return score, past, mask


def log_prob(
    batch: Batch,
    decoder: Decoder,
    actions: Actions,
    scored: AllSteps = score_steps,
    departures: int | None = None,
) -> Tensor:
    """Log π of each recorded rollout, (B, S): Li et al. 2021, eq. 14, all steps in one pass.

    Each step's distribution depends on the state and the memory alone, and both are known from
    the actions, so the steps are scored side by side as if they were samples. Steps after the
    last customer do not count. `scored` may be a compiled twin of `score_steps`. Trip by trip,
    `departures` says for how many of an instance there is room, and where it has more all its
    scores are NaN, without gradients; otherwise the host looks.
    """
    score, past, mask = scored(batch, decoder, actions)
    if not decoder.trips:
        return score
    free = _free(past, mask)
    most = _room_for(free) if departures is None else departures
    score = score + _departures(batch, decoder, actions, past, mask, free, most)
    return score.masked_fill(free.sum(1, keepdim=True) > most, torch.nan)


def count_departures(batch: Batch, decoder: Decoder, actions: Actions) -> int:
    """The `departures` that `log_prob` needs for these rollouts."""
    past = replay(batch, actions)
    return _room_for(_free(past, vehicle_mask(batch, past.state, trips=decoder.trips)))


def _room_for(free: Tensor) -> int:
    """The most steps of an instance at which more than one vehicle might have moved, rounded."""
    return (int(free.sum(1).amax()) // ROUNDED + 1) * ROUNDED


def steps_scored(device: torch.device, *, compiled: bool) -> AllSteps:
    """`score_steps`, on a CUDA device with its kernels fused if asked for."""
    return FusedSteps() if compiled and device.type == "cuda" else score_steps


class FusedSteps:
    """`score_steps` compiled, once per shape but for any number of steps; plain if that fails."""

    def __init__(self) -> None:
        torch._dynamo.config.recompile_limit = SHAPES
        self._scored: AllSteps = torch.compile(score_steps, dynamic=False, fullgraph=True)

    def __call__(
        self, batch: Batch, decoder: Decoder, actions: Actions
    ) -> tuple[Tensor, Replay, Tensor]:
        """What `score_steps` gives."""
        for tensor in (actions.vehicle, actions.node):
            torch._dynamo.maybe_mark_dynamic(tensor, 2)
        try:
            return self._scored(batch, decoder, actions)
        except RuntimeError as error:
            if self._scored is score_steps or capturing():
                raise
            logger.warning("the gradient pass was not compiled: %s", str(error).partition("\n")[0])
            self._scored = score_steps
            return self(batch, decoder, actions)


def _free(past: Replay, mask: Tensor) -> Tensor:
    """At which steps more than one vehicle might have moved, (B, S·T)."""
    return (mask.sum(-1) > 1) & past.active.flatten(1)


def _departures(
    batch: Batch,
    decoder: Decoder,
    actions: Actions,
    past: Replay,
    mask: Tensor,
    free: Tensor,
    most: int,
) -> Tensor:
    """Log π of the vehicles, (B, S), from those steps alone: they are few."""
    index = free.byte().argsort(1, descending=True)[:, :most]  # (B, K)
    scores = decoder.vehicle_scores(
        batch,
        mapped(past.state, lambda t: _take(t, index)),
        _take(decoder.recall(actions), index),
        _take(mask, index),
    )
    vehicle = _take(actions.vehicle.flatten(1), index)
    steps = _chosen(scores, vehicle).masked_fill(~_take(free, index), 0)
    total = steps.new_zeros(past.active.shape[:2])
    return total.scatter_add(1, index // past.active.shape[2], steps)


def _over_steps(log_prob: Tensor, active: Tensor) -> Tensor:
    """The sum (B, S) over those steps (B, S·T) that still counted."""
    return log_prob.view_as(active).masked_fill(~active, 0).sum(-1)


def _take(tensor: Tensor, index: Tensor) -> Tensor:
    """tensor[b, index[b, k]] for a tensor (B, L, …)."""
    more = tensor.shape[2:]
    return tensor.gather(
        1, index.view(*index.shape, *(1 for _ in more)).expand(*index.shape, *more)
    )


def _chosen(scores: Tensor, action: Tensor) -> Tensor:
    return scores.log_softmax(-1).gather(-1, action[..., None]).squeeze(-1)
