"""Whole rollouts of the `fleet` policy by one kernel on a GPU."""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from hcvrp.env import CHUNK, Actions, Advance, Batch, Decoder, Draw, Outcome, Progress, State
from hcvrp.env.tensors import mapped
from hcvrp.policy.attention import LEAST, TRITON, kernel_errors, power_of_two, precision, tile
from hcvrp.policy.fleet.network import FleetDecoder
from hcvrp.policy.fleet.node_decoder import PAIRS, WAYS

logger = logging.getLogger(__name__)

ROWS = 16
"""Samples of one instance that a program plays: the least that tensor cores multiply."""

BITS = 64
"""Nodes of a block at most: the bits of a machine word."""

WEIGHTS = 2 * ROWS
"""Weights of pairs with padding: wider than high, so that warps share the columns of products."""

FEW_VEHICLES, MOST_VEHICLES = 8, 16
"""Up to the first all fleets share one kernel; above the second, registers would not do."""


def fastest(steps: Advance, device: torch.device) -> Advance:
    """`steps` with whole rollouts at once where the device and Triton allow it."""
    if device.type != "cuda":
        return steps
    return FusedAdvance(steps) if installed() else steps


def installed() -> bool:
    """Whether Triton is; if not, a line in the log says so."""
    if not TRITON:
        logger.info("Triton is not installed: going on without its kernels")
        return False
    return True


class FusedAdvance:
    """`steps` that know a shorter way: all of a rollout at once (`env.rollout.AtOnce`).

    Where the kernel fails this one does not try it again: `steps` go on, and one line in the log
    says so.
    """

    def __init__(self, steps: Advance) -> None:
        self.steps = steps
        self._failed = False

    def __call__(
        self, batch: Batch, decoder: Decoder, state: State, memory: Tensor, noise: Tensor | None
    ) -> Progress:
        """CHUNK steps on."""
        return self.steps(batch, decoder, state, memory, noise)

    def at_once(self, batch: Batch, decoder: Decoder, samples: int, draw: Draw) -> Outcome | None:
        """The rollout, or None where it has to be made step by step."""
        if self._failed or not isinstance(decoder, FleetDecoder) or not suits(batch, decoder):
            return None
        try:
            return fused_rollout(batch, decoder, samples, draw)
        except kernel_errors() as error:
            logger.warning("the rollout kernel failed, going on step by step: %s", error)
            self._failed = True
            return None


def suits(batch: Batch, decoder: FleetDecoder) -> bool:
    """Whether the kernel is made for these: trip by trip, widths that are powers of two."""
    _, heads, _, width = decoder.nodes.key.shape
    return (
        decoder.trips
        and batch.distance.dtype == torch.float32
        and batch.vehicles <= MOST_VEHICLES
        and width >= LEAST
        and power_of_two(width) == width
        and power_of_two(heads) == heads
    )


def fused_rollout(
    batch: Batch,
    decoder: FleetDecoder,
    samples: int = 1,
    draw: Draw = Draw(),  # noqa: B008
) -> Outcome:
    """`env.rollout` by the kernel; the same generator draws other samples, from the same policy."""
    from hcvrp.policy.fleet.rollout_kernel import fleet_rollout

    device, most = batch.points.device, 2 * (batch.nodes - 1)
    seed = torch.zeros(1, dtype=torch.int64, device=device)
    sampled = 0
    if draw.generator is not None:
        seed.random_(generator=draw.generator)
        sampled = batch.size if draw.greedy_from is None else draw.greedy_from
    vehicle, node = torch.zeros(
        2, batch.size, samples, most, dtype=torch.int32, device=device
    ).unbind()
    times = torch.empty(batch.size, samples, batch.vehicles, device=device)
    taken = torch.empty(batch.size, samples, dtype=torch.int32, device=device)
    fleet_rollout[(batch.size, -(-samples // ROWS))](
        vehicle,
        node,
        times,
        taken,
        **vars(tables(batch, decoder)),
        **_numbers(batch, decoder),
        seed=seed,
        sampled=sampled,
        temperature=draw.temperature,
        samples=samples,
        most_steps=most,
    )
    steps = draw.steps
    if steps is None:
        steps = -(-int(taken.max()) // CHUNK) * CHUNK
    else:
        times = times.masked_fill((taken > steps)[..., None], torch.nan)
    return Outcome(Actions(vehicle[..., :steps].long(), node[..., :steps].long()), times)


@dataclass(frozen=True)
class Tables:
    """What the kernel reads: all that can be multiplied out before the first step.

    Trip by trip every vehicle but one is at the depot with a full load, and its time once home
    enters the outlook three times, so most of what `outlook` tells is a constant or a sum.
    """

    waiting: Tensor  # (B, words) int64, the customers' bits
    customers: Tensor  # (B,) int32, how many there are
    demand: Tensor  # (B, N)
    distance: Tensor  # (B, N, N)
    room: Tensor  # (B, M), −1 for padding
    capacity: Tensor  # (B, M)
    speed: Tensor  # (B, M)
    strength: Tensor  # (B, M)
    unit: Tensor  # (B,), of time
    shares: Tensor  # (B, N, 3), what serving a node takes from demand, work and customers left
    whole: Tensor  # (B, 3), their sums
    mean_demand: Tensor  # (B,)
    place: Tensor  # (B, N, dim)
    vehicle_part: Tensor  # (B, M, dim)
    dynamic: Tensor  # (7, dim): three shares left, latest, level, own time, load
    out: Tensor  # (dim, dim)
    out_bias: Tensor  # (dim,)
    weigh: Tensor  # (dim, pairs)
    weigh_bias: Tensor  # (pairs,)
    key: Tensor  # (B, heads, N, dim_k)
    value: Tensor  # (B, heads, N, dim_k)
    compare: Tensor  # (B, N, dim)
    ways: Tensor  # (B, N, 2N)
    fixed: Tensor  # (B, pairs, N)
    fleet_query: Tensor  # (B, dim)
    fleet_context: Tensor  # (5, dim)
    fleet_key: Tensor  # (B, heads, N, dim_k)
    fleet_value: Tensor  # (B, heads, N, dim_k)
    fleet_part: Tensor  # (B, M, hidden), of each vehicle at the depot with a full load
    fleet_dynamic: Tensor  # (3, hidden): level, latest, own time
    fleet_glimpse: Tensor  # (dim, hidden)
    fleet_own: Tensor  # (hidden, hidden)
    fleet_others: Tensor  # (hidden, hidden)
    fleet_bias: Tensor  # (hidden,)
    fleet_score: Tensor  # (hidden,)
    fleet_share: Tensor  # (B, M)


def tables(batch: Batch, decoder: FleetDecoder) -> Tables:
    """From the batch and what the network made of it."""
    made = Tables(
        **_world(batch, decoder), **_node_tables(batch, decoder), **_fleet_tables(batch, decoder)
    )
    return mapped(made, Tensor.contiguous)


def _world(batch: Batch, decoder: FleetDecoder) -> dict[str, Tensor]:
    """The rules, and the units of what the network sees."""
    customer = batch.real.clone()
    customer[:, 0] = False
    block, words = _block(batch), _words(batch)
    bits = functional.pad(customer, (0, block * words - batch.nodes)).view(-1, words, block)
    places = torch.arange(block, device=bits.device)
    look = decoder.lookout
    return {
        "waiting": (bits.long() << places).sum(-1),
        "customers": customer.sum(-1, dtype=torch.int32),
        "demand": batch.demand,
        "distance": batch.distance,
        "room": batch.room.masked_fill(~batch.fitted, -1),
        "capacity": batch.capacity,
        "speed": batch.speed,
        "strength": look.strength[:, 0],
        "unit": look.time[:, 0, 0],
        "shares": look.shares,
        "whole": look.shares.sum(1),
        "mean_demand": decoder.nodes.demand[:, 0],
    }


def _node_tables(batch: Batch, decoder: FleetDecoder) -> dict[str, Tensor]:
    """W x for x = (shares left, latest, level, t, level − t, latest − t, load, away)."""
    nodes = decoder.nodes
    dim = nodes.place.shape[-1]
    *shares, latest, level, time, slack, ahead, load, away = nodes.dynamic.float().unbind()
    dynamic = [*shares, latest + ahead, level + slack, time - slack - ahead, load]
    elsewhere = torch.arange(batch.nodes, device=away.device) > 0
    more = WEIGHTS - PAIRS
    return {
        "place": nodes.place.float() + elsewhere[:, None] * away,
        "vehicle_part": nodes.vehicle.float(),
        "dynamic": torch.stack(dynamic),
        "out": nodes.out[:, :dim],
        "out_bias": nodes.bias[:dim].float(),
        "weigh": functional.pad(nodes.out[:, dim:], (0, more)),
        "weigh_bias": functional.pad(nodes.bias[dim:].float(), (0, more)),
        "key": nodes.key,
        "value": nodes.value,
        "compare": nodes.compare,
        "ways": nodes.ways,
        "fixed": functional.pad(nodes.fixed, (0, 0, WAYS, WEIGHTS - PAIRS)),
    }


def _fleet_tables(batch: Batch, decoder: FleetDecoder) -> dict[str, Tensor]:
    """W x_v for x_v = (t, level − t, latest − t, load, away): here all are home with full loads."""
    fleet = decoder.fleet
    time, slack, ahead, load, _ = fleet.dynamic.float().unbind()
    full = (batch.room / batch.capacity).float()[..., None]
    own, others = fleet.mix.chunk(2)
    missing = _hidden(decoder) - fleet.out.shape[0]
    wide, square = (0, missing), (0, missing, 0, missing)
    return {
        "fleet_query": fleet.query[:, 0].float(),
        "fleet_context": fleet.context.float(),
        "fleet_key": fleet.key,
        "fleet_value": fleet.value,
        "fleet_part": functional.pad(fleet.vehicle[:, 0].float() + full * load, wide),
        "fleet_dynamic": functional.pad(torch.stack([slack, ahead, time - slack - ahead]), wide),
        "fleet_glimpse": functional.pad(fleet.glimpse, wide),
        "fleet_own": functional.pad(own, square),
        "fleet_others": functional.pad(others, square),
        "fleet_bias": functional.pad(fleet.mix_bias.float(), wide),
        "fleet_score": functional.pad(fleet.out[:, 0].float(), wide),
        "fleet_share": fleet.share[:, 0, :, 0].float(),
    }


def _numbers(batch: Batch, decoder: FleetDecoder) -> dict[str, Any]:
    """Sizes, and how the kernel is to be compiled for them."""
    key = decoder.nodes.key  # (B, heads, N, dim_k)
    heads, width = key.shape[1], key.shape[3]
    return {
        "nodes": batch.nodes,
        "vehicles": batch.vehicles,
        "scale": 1 / math.sqrt(width),
        "clip": decoder.nodes.clip,
        "rows": ROWS,
        "words": _words(batch),
        "block": _block(batch),
        "fleet": max(FEW_VEHICLES, power_of_two(batch.vehicles)),
        "dim": heads * width,
        "heads": heads,
        "hidden": _hidden(decoder),
        "pairs": WEIGHTS,
        "precision": precision(key.dtype),
        "num_warps": 8,
        "num_stages": 1,
        "maxnreg": 128,  # so that two programs share a multiprocessor
    }


def _hidden(decoder: FleetDecoder) -> int:
    return tile(decoder.fleet.out.shape[0])


def _block(batch: Batch) -> int:
    return min(BITS, tile(batch.nodes))


def _words(batch: Batch) -> int:
    return power_of_two(-(-batch.nodes // _block(batch)))
