"""Solutions as a policy would build them: its own order of trips, given where they go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from hcvrp.env.batch import Batch
from hcvrp.env.replay import Actions
from hcvrp.env.rollout import Decoder
from hcvrp.env.state import State
from hcvrp.solution import Solution


@dataclass(frozen=True)
class Trips:
    """A solution of each instance: who serves a customer, and who is served before and after."""

    owner: Tensor  # (B, N) int64, the vehicle; −1 for the depot and padding
    beside: Tensor  # (B, N, 2) int64, neighbours on the trip, 0 for the depot


def trips(batch: Batch, plans: Sequence[Solution]) -> Trips:
    """The plans as tensors on the batch's device."""
    owner = np.full((batch.size, batch.nodes), -1)
    beside = np.zeros((batch.size, batch.nodes, 2), dtype=np.int64)
    for row, plan in enumerate(plans):
        for vehicle, route in enumerate(plan.routes):
            for trip in route:
                owner[row, trip] = vehicle
                beside[row, trip] = np.stack([[0, *trip[:-1]], [*trip[1:], 0]], -1)
    device = batch.points.device
    return Trips(torch.from_numpy(owner).to(device), torch.from_numpy(beside).to(device))


@dataclass(frozen=True)
class Following:
    """A decoder whose choices are cut down to those that lead to given solutions.

    A solution says nothing of the order of its trips, nor, distances being symmetric, of the
    direction of each. Which order comes out is up to the policy: a vehicle may leave while it has
    trips to make, for either end of one of them, and then goes on along it.
    """

    decoder: Decoder
    plan: Trips

    @property
    def trips(self) -> bool:
        """As the policy: with moves of many vehicles by turns, trips are begun side by side."""
        return self.decoder.trips

    def begin(self, samples: int) -> Tensor:
        """The policy's memory."""
        return self.decoder.begin(samples)

    def vehicle_scores(self, batch: Batch, state: State, memory: Tensor, mask: Tensor) -> Tensor:
        """Scores of vehicles that are out or have trips to make."""
        fleet = torch.arange(batch.vehicles, device=mask.device)
        mine = self.plan.owner[:, None, :, None] == fleet  # (B, 1, N, M)
        busy = (mine & ~state.served[..., None]).any(2) | (state.position != 0)
        return self.decoder.vehicle_scores(batch, state, memory, mask & busy)

    def node_scores(self, batch: Batch, state: State, vehicle: Tensor, mask: Tensor) -> Tensor:
        """Scores of the ends of its trips at the depot, else of where the trip goes on."""
        waiting = ~state.served
        position = state.position.gather(-1, vehicle[..., None])  # (B, L, 1)
        beside = self.plan.beside
        ends = (beside == 0).any(-1)[:, None] & (self.plan.owner[:, None] == vehicle[..., None])
        along = beside.gather(1, position.expand(-1, -1, 2))  # (B, L, 2)
        nodes = torch.arange(batch.nodes, device=mask.device)
        onward = (along[..., None] == nodes).any(2)  # (B, L, N)
        chosen = torch.where(position == 0, ends, onward) & waiting
        chosen[..., 0] = ~chosen.any(-1)
        return self.decoder.node_scores(batch, state, vehicle, mask & chosen)

    def remember(self, memory: Tensor, vehicle: Tensor, node: Tensor) -> Tensor:
        """The policy's memory."""
        return self.decoder.remember(memory, vehicle, node)

    def recall(self, actions: Actions) -> Tensor:
        """The policy's memories."""
        return self.decoder.recall(actions)
