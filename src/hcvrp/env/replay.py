"""The states behind recorded actions, all steps at once and without a loop."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from hcvrp.env.batch import Batch
from hcvrp.env.state import State
from hcvrp.solution import Solution


@dataclass(frozen=True)
class Actions:
    """What was done in T steps of S samples; what follows the last customer means nothing."""

    vehicle: Tensor  # (B, S, T) int64
    node: Tensor  # (B, S, T) int64

    def flat(self) -> Actions:
        """The same with steps and samples in one axis, (B, S·T)."""
        return Actions(self.vehicle.flatten(1), self.node.flatten(1))


@dataclass(frozen=True)
class Replay:
    """The states before each step, one per step: L = S·T; and which steps still counted."""

    state: State
    active: Tensor  # (B, S, T) bool


def replay(batch: Batch, actions: Actions) -> Replay:
    """What `step` would have gone through, by prefix sums and maxima over the steps."""
    vehicle, node = actions.vehicle, actions.node
    step = torch.arange(node.shape[2], device=node.device)
    visit = visits(batch, actions)  # (B, S, N)
    active = step <= visit.amax(-1, keepdim=True)  # (B, S, T)
    fleet = torch.arange(batch.vehicles, device=node.device)
    moves = (fleet == vehicle[..., None]) & active[..., None]  # (B, S, T, M)

    latest = _before((moves * (step[:, None] + 1)).cummax(2).values)
    stops = torch.cat([torch.zeros_like(node[..., :1]), node], 2)  # (B, S, 1 + T)
    position = stops[..., None].expand(-1, -1, -1, batch.vehicles).gather(2, latest)
    origin = position.gather(-1, vehicle[..., None]).squeeze(-1)
    leg = batch.travel(origin.flatten(1), node.flatten(1)).view_as(node)
    demand = batch.demand.gather(1, node.flatten(1)).view_as(node)

    time = (moves * leg[..., None]).cumsum(2) / batch.speed[:, None, None]
    taken = (moves * demand[..., None]).cumsum(2)
    unloaded = (taken * (moves & (node == 0)[..., None])).cummax(2).values
    carried = _before(taken - unloaded)
    state = State(
        served=(visit[:, :, None] < step[:, None]).flatten(1, 2),
        position=position.flatten(1, 2),
        remaining=(batch.room[:, None, None] - carried).flatten(1, 2),
        time=_before(time).flatten(1, 2),
        last=torch.cat([torch.full_like(vehicle[..., :1], -1), vehicle[..., :-1]], 2).flatten(1),
    )
    return Replay(state, active)


def visits(batch: Batch, actions: Actions) -> Tensor:
    """The step at which each node was served, (B, S, N); −1 for the depot and padding."""
    node = actions.node
    never = (batch.real * (node.shape[2] + 1) - 1)[:, None].repeat(1, node.shape[1], 1)
    steps = torch.arange(node.shape[2], device=node.device).expand_as(node)
    visit = never.scatter(-1, node, steps)
    visit[..., 0] = -1
    return visit


def solutions(batch: Batch, actions: Actions) -> list[Solution]:
    """The first sample of each instance as a Solution."""
    lengths = (visits(batch, actions)[:, 0].amax(-1) + 1).tolist()
    fleets = batch.fitted.sum(-1).tolist()
    moves = zip(actions.vehicle[:, 0].tolist(), actions.node[:, 0].tolist(), strict=True)
    return [
        _solution(vehicles[:length], nodes[:length], fleet)
        for (vehicles, nodes), length, fleet in zip(moves, lengths, fleets, strict=True)
    ]


def _solution(vehicles: list[int], nodes: list[int], fleet: int) -> Solution:
    routes: list[list[list[int]]] = [[[]] for _ in range(fleet)]
    for vehicle, node in zip(vehicles, nodes, strict=True):
        if node == 0:
            routes[vehicle].append([])
        else:
            routes[vehicle][-1].append(node)
    return Solution([[trip for trip in trips if trip] for trips in routes])


def _before(inclusive: Tensor) -> Tensor:
    """Prefix values before each step (dim 2) from those after it: zero, then all but the last."""
    return torch.cat([torch.zeros_like(inclusive[:, :, :1]), inclusive[:, :, :-1]], 2)
