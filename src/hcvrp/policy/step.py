"""Steps of the paper's policies by kernels of their own, where a GPU and Triton are there."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, TypeAlias

import torch
from torch import Tensor

from hcvrp.env import Batch, Decoder, State
from hcvrp.env.rollout import take_step
from hcvrp.policy.attention import LEAST, TRITON, kernel_errors, power_of_two, precision, tile
from hcvrp.policy.network import AttentionDecoder, PaperDecoder
from hcvrp.policy.node_decoder import NodeScorer

Known: TypeAlias = PaperDecoder | AttentionDecoder

FEW_SAMPLES = 8
"""Of an instance; with more of them plain products share its keys and values."""

MOST_NODES, MOST_VEHICLES = 256, 10
"""That fit one tile."""

ROWS = 32
"""Rollouts that share the vehicle decoder's weights."""

TILE = 128
"""Of its hidden layers."""


def quick_step(
    batch: Batch, decoder: Decoder, state: State, memory: Tensor, noise: Tensor | None
) -> tuple[State, Tensor, Tensor, Tensor]:
    """`env.take_step`, by two kernels where they are made for it."""
    if isinstance(decoder, Known) and state.last.is_cuda and suits(batch, decoder, state):
        try:
            return kernel_step(batch, decoder, state, memory, noise)
        except kernel_errors() as error:  # as those who capture steps expect failures
            raise RuntimeError(str(error)) from error
    return take_step(batch, decoder, state, memory, noise)


def suits(batch: Batch, decoder: Known, state: State) -> bool:
    """Whether the kernels are made for these: few samples, widths that are powers of two."""
    _, heads, _, width = decoder.scorer.key.shape
    widths = [heads, width, heads * width]
    if isinstance(decoder, PaperDecoder):
        widths.append(decoder.fleet.route_bias.shape[-1])
    return (
        TRITON
        and state.last.shape[1] <= FEW_SAMPLES
        and batch.nodes <= MOST_NODES
        and batch.vehicles <= MOST_VEHICLES
        and all(power_of_two(w) == w for w in widths)
        and heads <= LEAST <= min(widths[2:])
        and decoder.scorer.query.dtype == torch.float32
    )


def kernel_step(
    batch: Batch, decoder: Known, state: State, memory: Tensor, noise: Tensor | None
) -> tuple[State, Tensor, Tensor, Tensor]:
    """What `env.take_step` gives."""
    sizes = {
        "samples": state.last.shape[1],
        "nodes": batch.nodes,
        "vehicles": batch.vehicles,
        "fleet": tile(batch.vehicles),
        "block": tile(batch.nodes),
    }
    if isinstance(decoder, PaperDecoder):
        vehicle = _vehicle(batch, decoder, state, memory, noise, sizes)
    else:
        vehicle = _turn(batch, state, sizes)
    return _move(batch, decoder, state, memory, noise, vehicle, sizes)


def _vehicle(
    batch: Batch,
    decoder: PaperDecoder,
    state: State,
    memory: Tensor,
    noise: Tensor | None,
    sizes: dict[str, Any],
) -> Tensor:
    from hcvrp.policy.step_kernels import choose_vehicle

    fleet, chosen = decoder.fleet, torch.empty_like(state.last)
    networks, hidden = len(fleet.bias), fleet.route_bias.shape[-1]
    share = chosen.numel() // networks
    choose_vehicle[(-(-share // ROWS), networks)](
        chosen,
        *_contiguous(_bytes(state.served), state.position, state.time, state.last, memory),
        *_contiguous(batch.points, batch.demand, batch.room, _bytes(batch.fitted)),
        *_contiguous(fleet.vehicle_weight, fleet.vehicle_bias, fleet.route_weight),
        *_contiguous(fleet.route_bias, fleet.vehicle_out, fleet.route_out, fleet.bias),
        state.time if noise is None else noise.contiguous(),
        share,
        **sizes,
        dim=memory.shape[-1],
        hidden=hidden,
        tile=min(TILE, hidden),
        rows=ROWS,
        sampled=noise is not None,
        precision=precision(fleet.route_weight.dtype),
        num_warps=8,
    )
    return chosen


def _turn(batch: Batch, state: State, sizes: dict[str, Any]) -> Tensor:
    from hcvrp.policy.step_kernels import choose_turn

    chosen = torch.empty_like(state.last)
    choose_turn[(-(-chosen.numel() // ROWS),)](
        chosen,
        *_contiguous(_bytes(state.served), state.position, state.last),
        *_contiguous(batch.demand, batch.room, _bytes(batch.fitted)),
        chosen.numel(),
        **sizes,
        rows=ROWS,
    )
    return chosen


def _move(
    batch: Batch,
    decoder: Known,
    state: State,
    memory: Tensor,
    noise: Tensor | None,
    vehicle: Tensor,
    sizes: dict[str, Any],
) -> tuple[State, Tensor, Tensor, Tensor]:
    from hcvrp.policy.step_kernels import choose_node

    scorer: NodeScorer = decoder.scorer
    heads, width = scorer.key.shape[1], scorer.key.shape[3]
    node = torch.empty_like(vehicle)
    after = replace(
        state,
        served=torch.empty_like(state.served),
        position=torch.empty_like(state.position),
        remaining=torch.empty_like(state.remaining),
        time=torch.empty_like(state.time),
        last=vehicle,
    )
    routes = embedding = unit = memory  # stands for what the kernel then does not read
    if isinstance(decoder, PaperDecoder):
        routes, embedding = torch.empty_like(memory), decoder.nodes
    else:
        unit = decoder.largest
    choose_node[(vehicle.numel(),)](
        node,
        *(_bytes(after.served), after.position, after.remaining, after.time, routes),
        vehicle,
        *_contiguous(_bytes(state.served), state.position, state.remaining, state.time, memory),
        *_contiguous(batch.demand, batch.distance, batch.room, batch.speed),
        *_contiguous(scorer.query, scorer.load, scorer.key, scorer.value, scorer.compare),
        *_contiguous(embedding, unit),
        state.time if noise is None else noise.contiguous(),
        scale=1 / math.sqrt(width),
        clip=scorer.clip,
        **sizes,
        heads=heads,
        width=width,
        paper=isinstance(decoder, PaperDecoder),
        sampled=noise is not None,
        precision=precision(scorer.key.dtype),
        num_warps=4 if sizes["block"] <= TILE else 8,
    )
    return after, routes, vehicle, node


def _bytes(flags: Tensor) -> Tensor:
    return flags.view(torch.uint8)


def _contiguous(*tables: Tensor) -> tuple[Tensor, ...]:
    return tuple(table.contiguous() for table in tables)
