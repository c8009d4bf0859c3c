"""What may be done, what it leads to, and what it costs: pure functions on `State`."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from hcvrp.env.batch import Batch
from hcvrp.env.state import State
from hcvrp.solution import Objective


def vehicle_mask(batch: Batch, state: State, *, trips: bool = False) -> Tensor:
    """Which vehicles may move, (B, L, M).

    One away from the depot always may, if only home. One at the depot may where some waiting
    customer fits it; the paper lets it stand still instead. So every step serves a customer or
    brings a vehicle home, and n customers take at most 2n steps. In a finished row the vehicle
    that served the last customer is away, so no row is without a choice.

    With `trips` one that is away is the only one: vehicles share no clock, so every solution can
    be built one trip after another.
    """
    waiting = batch.demand[:, None].masked_fill(state.served, math.inf)  # (B, L, N)
    fits = waiting.amin(-1, keepdim=True) <= batch.room[:, None]
    away = state.position != 0
    mask = batch.fitted[:, None] & (fits | away)
    return mask & (away | ~away.any(-1, keepdim=True)) if trips else mask


def node_mask(batch: Batch, state: State, vehicle: Tensor) -> Tensor:
    """Which nodes the chosen `vehicle` (B, L) may visit next, (B, L, N).

    Waiting customers that fit what is left of its load, and the depot unless it stands there and
    some customer fits.
    """
    remaining = state.remaining.gather(-1, vehicle[..., None])  # (B, L, 1)
    mask = ~state.served & (batch.demand[:, None] <= remaining)
    away = state.position.gather(-1, vehicle[..., None]).squeeze(-1) != 0
    mask[..., 0] = away | ~mask.any(-1)
    return mask


def step(batch: Batch, state: State, vehicle: Tensor, node: Tensor) -> State:
    """The state after `vehicle` (B, L) goes to `node` (B, L); finished rows stay as they are.

    Li et al. 2021, eq. 9 to 12: the load falls by the customer's demand and is full again at the
    depot, the time grows by distance over speed, the vehicle stands at the node, the customer is
    served.
    """
    fleet = torch.arange(batch.vehicles, device=node.device)
    moves = (fleet == vehicle[..., None]) & ~state.finished[..., None]  # (B, L, M)
    origin = state.position.gather(-1, vehicle[..., None]).squeeze(-1)
    leg = batch.travel(origin, node)[..., None] / batch.speed[:, None]  # (B, L, M)
    demand = batch.demand.gather(1, node)[..., None]
    node = node[..., None]
    loaded = torch.where(node == 0, batch.room[:, None], state.remaining - demand)
    return State(
        served=state.served.scatter(-1, node, True),
        position=torch.where(moves, node, state.position),
        remaining=torch.where(moves, loaded, state.remaining),
        time=state.time + leg * moves,
        last=vehicle,
    )


def vehicle_times(batch: Batch, state: State) -> Tensor:
    """Time of every vehicle once it has come home, (B, L, M)."""
    home = batch.distance[:, :, 0][:, None].expand(-1, state.position.shape[1], -1)
    return state.time + home.gather(-1, state.position) / batch.speed[:, None]


def cost(times: Tensor, objective: Objective) -> Tensor:
    """Max or Σ over the vehicle times (B, L, M): the negative reward (Li et al. 2021, eq. 1, 8)."""
    return times.amax(-1) if objective is Objective.MIN_MAX else times.sum(-1)
