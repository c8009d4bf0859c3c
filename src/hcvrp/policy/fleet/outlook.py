"""What a step's state means for the plan: what is left, and who is ahead or behind."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from hcvrp.env import Batch, State, vehicle_times
from hcvrp.policy.fleet.scales import Scales

CONTEXT, VEHICLE = 5, 5
"""How many numbers describe a state as a whole, and each vehicle in it."""


@dataclass(frozen=True)
class Lookout:
    """What it takes to see states in the instance's own units."""

    time: Tensor  # (B, 1, 1), the unit of time
    shares: Tensor  # (B, N, 3), of demand, of work and of the number of customers
    strength: Tensor  # (B, 1, M), shares of the fleet's throughput Q_v s_v
    capacity: Tensor  # (B, 1, M)


@dataclass(frozen=True)
class Outlook:
    """L states of each of B instances, without units."""

    context: Tensor  # (B, L, CONTEXT)
    vehicles: Tensor  # (B, L, M, VEHICLE)


def lookout(batch: Batch, units: Scales) -> Lookout:
    """Computed once per batch."""
    kind = batch.points.dtype
    customer = units.customer.to(kind)
    demand = batch.demand.to(kind) / (units.mean_demand * units.count)
    shares = torch.stack([demand, units.work, customer / units.count], -1)
    throughput = batch.capacity.to(kind) * batch.speed * batch.fitted
    return Lookout(
        time=units.time[..., None],
        shares=shares,
        strength=(throughput / throughput.sum(-1, keepdim=True))[:, None],
        capacity=batch.capacity[:, None],
    )


def outlook(batch: Batch, state: State, lookout: Lookout) -> Outlook:
    """Time t_v of each vehicle once home, and what is left to do.

    If the work left were shared so that all end together, they would end at about

        level = Σ_v strength_v t_v + work left,

    so level − t_v is what vehicle v should still do; max t − t_v is what it can do for nothing
    where only the longest time counts.
    """
    left = (~state.served).to(lookout.shares.dtype) @ lookout.shares  # (B, L, 3)
    time = vehicle_times(batch, state) / lookout.time  # (B, L, M)
    level = (time * lookout.strength).sum(-1, keepdim=True) + left[..., 1:2]
    latest = time.amax(-1, keepdim=True)
    load = (state.remaining / lookout.capacity).to(time.dtype)
    away = (state.position != 0).to(time.dtype)
    return Outlook(
        context=torch.cat([left, latest, level], -1),
        vehicles=torch.stack([time, level - time, latest - time, load, away], -1),
    )
