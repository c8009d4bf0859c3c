"""The networks: `encode` looks at a batch once and gives the record that scores every step."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from hcvrp.env import Actions, Batch, Decoder, State
from hcvrp.policy.base import Network, detached
from hcvrp.policy.config import Kind, NetworkConfig
from hcvrp.policy.encoder import Encoder
from hcvrp.policy.fleet import FleetNetwork
from hcvrp.policy.node_decoder import NodeDecoder, NodeScorer, rows
from hcvrp.policy.vehicle_decoder import VehicleDecoder, VehicleScorer
from hcvrp.solution import Objective

__all__ = [
    "AttentionDecoder",
    "AttentionModel",
    "Network",
    "PaperDecoder",
    "PaperNetwork",
    "build",
    "detached",
]


@dataclass(frozen=True)
class AttentionDecoder:
    """Chooses nodes; vehicles move by turns, those that cannot are skipped."""

    trips: ClassVar[bool] = False
    scorer: NodeScorer
    largest: Tensor  # (B, 1), what remaining capacities are divided by

    def begin(self, samples: int) -> Tensor:
        """Nothing to remember."""
        query = self.scorer.query
        return query.new_empty(query.shape[0], samples, 0)

    def vehicle_scores(self, batch: Batch, state: State, memory: Tensor, mask: Tensor) -> Tensor:  # noqa: ARG002
        """0 for the next vehicle in turn that may move, −∞ for all others."""
        fleet = torch.arange(batch.vehicles, device=mask.device)
        wait = (fleet - state.last[..., None] - 1) % batch.vehicles
        wait = wait.masked_fill(~mask, batch.vehicles)
        turn = wait == wait.amin(-1, keepdim=True)
        return self.scorer.query.new_zeros(turn.shape).masked_fill(~turn, -math.inf)

    def node_scores(self, batch: Batch, state: State, vehicle: Tensor, mask: Tensor) -> Tensor:  # noqa: ARG002
        """Compatibilities for the vehicle whose turn it is."""
        position, remaining = _of(state, vehicle)
        return self.scorer.scores(position, remaining / self.largest, mask)

    def remember(self, memory: Tensor, vehicle: Tensor, node: Tensor) -> Tensor:  # noqa: ARG002
        """Nothing to remember."""
        return memory

    def recall(self, actions: Actions) -> Tensor:
        """Nothing to remember."""
        return self.begin(actions.node[0].numel())


@dataclass(frozen=True)
class PaperDecoder:
    """Chooses a vehicle from times, places and max-pooled routes, then its next node."""

    trips: ClassVar[bool] = False
    nodes: Tensor  # (B, N, dim), h_N
    scorer: NodeScorer
    fleet: VehicleScorer

    def begin(self, samples: int) -> Tensor:
        """Each vehicle's route so far, max-pooled, (B, S, M, dim): the depot alone."""
        return self.nodes[:, None, :1].expand(-1, samples, self.fleet.vehicles, -1).contiguous()

    def vehicle_scores(self, batch: Batch, state: State, memory: Tensor, mask: Tensor) -> Tensor:
        """H_t; before the first step the pooled routes are zeros, as in the authors' code."""
        places = rows(batch.points, state.position.flatten(1)).view(*state.position.shape, 2)
        features = torch.cat([places, state.time[..., None]], -1).flatten(2)  # eq. 20
        begun = (state.last >= 0)[..., None, None]
        pooled = memory.masked_fill(~begun, 0.0).flatten(2)  # eq. 24
        return self.fleet.scores(features, pooled, mask)

    def node_scores(self, batch: Batch, state: State, vehicle: Tensor, mask: Tensor) -> Tensor:  # noqa: ARG002
        """Compatibilities for the chosen vehicle; its remaining capacity enters as it is."""
        position, remaining = _of(state, vehicle)
        return self.scorer.scores(position, remaining, mask)

    def remember(self, memory: Tensor, vehicle: Tensor, node: Tensor) -> Tensor:
        """The routes with `node` added to that of `vehicle` (eq. 22, 23)."""
        fleet = torch.arange(memory.shape[2], device=vehicle.device)
        moves = (fleet == vehicle[..., None])[..., None]  # (B, L, M, 1)
        visited = rows(self.nodes, node)[:, :, None]
        return torch.where(moves, torch.maximum(memory, visited), memory)

    def recall(self, actions: Actions) -> Tensor:
        """The same by a running maximum over the steps, (B, S·T, M, dim)."""
        samples, steps = actions.node.shape[1:]
        vehicles, dim = self.fleet.vehicles, self.nodes.shape[-1]
        fleet = torch.arange(vehicles, device=actions.node.device)
        moves = (fleet == actions.vehicle[..., :-1, None])[..., None]  # (B, S, T − 1, M, 1)
        visited = rows(self.nodes, actions.node[..., :-1].flatten(1))
        visited = visited.view(-1, samples, steps - 1, 1, dim)
        added = visited.masked_fill(~moves, -math.inf)
        start = self.nodes[:, None, None, :1].expand(-1, samples, -1, vehicles, -1)
        return torch.cat([start, added], 2).cummax(2).values.flatten(1, 2)


class NodeNetwork(Network):
    """The encoder and the node decoder that `paper` and `am` share."""

    @abstractmethod
    def features(self, batch: Batch) -> Tensor:
        """What the encoder sees of each node, (B, N, features)."""

    @abstractmethod
    def decoder(self, batch: Batch, nodes: Tensor, scorer: NodeScorer) -> Decoder:
        """The record that scores every step."""

    def encode(
        self,
        batch: Batch,
        objective: Objective = Objective.MIN_MAX,  # noqa: ARG002
        *,
        mixed: bool = False,
    ) -> Decoder:
        """Embeds the batch; with `mixed`, large products on a CUDA device are in bfloat16."""
        with torch.autocast("cuda", torch.bfloat16, enabled=mixed and batch.points.is_cuda):
            mask = batch.real if batch.padded else None
            nodes = self.encoder(self.features(batch), mask)
            scorer = self.node_decoder(nodes, _mean(nodes, mask))
        return self.decoder(batch, nodes.to(batch.points.dtype), scorer)

    def _build(self, features: int) -> None:
        c = self.config
        self.encoder = Encoder(features, c.dim, c.heads, c.layers, c.feed_forward)
        self.node_decoder = NodeDecoder(c.dim, c.heads, c.clip)


class PaperNetwork(NodeNetwork):
    """Li et al. 2021: two decoders, node features (x, y, d/Q¹ … d/Qᵐ), one fleet size."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__(config)
        self._build(2 + config.vehicles)
        self.vehicle_decoder = VehicleDecoder(config.vehicles, config.dim, config.feed_forward)

    def features(self, batch: Batch) -> Tensor:
        """(x, y, d/Q¹ … d/Qᵐ)."""
        shares = (batch.demand[..., None] / batch.capacity[:, None]).to(batch.points.dtype)
        return torch.cat([batch.points, shares], -1)

    def decoder(self, batch: Batch, nodes: Tensor, scorer: NodeScorer) -> Decoder:  # noqa: ARG002
        """With the vehicle decoder's maps multiplied out."""
        return PaperDecoder(nodes, scorer, self.vehicle_decoder(scorer.key.dtype))


class AttentionModel(NodeNetwork):
    """Kool et al. 2019 with vehicles by turns, the paper's learned baseline; any fleet.

    Demands and remaining capacities are divided by the largest capacity, the one number of the
    fleet that plays the part of Kool's single vehicle.
    """

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__(config)
        self._build(3)

    def features(self, batch: Batch) -> Tensor:
        """(x, y, d/Q_max)."""
        shares = (batch.demand / _largest(batch)).to(batch.points.dtype)
        return torch.cat([batch.points, shares[..., None]], -1)

    def decoder(self, batch: Batch, nodes: Tensor, scorer: NodeScorer) -> Decoder:  # noqa: ARG002
        """Node selection alone."""
        return AttentionDecoder(scorer, _largest(batch))


def build(config: NetworkConfig, seed: int = 0) -> Network:
    """A network with fresh weights, drawn by `seed`."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return _KINDS[config.kind](config)


_KINDS: dict[Kind, type[Network]] = {
    "paper": PaperNetwork,
    "am": AttentionModel,
    "fleet": FleetNetwork,
}


def _largest(batch: Batch) -> Tensor:
    return batch.capacity.masked_fill(~batch.fitted, 0).amax(-1, keepdim=True)


def _mean(nodes: Tensor, mask: Tensor | None) -> Tensor:
    """The graph embedding: the mean over real nodes, the depot included."""
    if mask is None:
        return nodes.mean(1)
    weight = mask[..., None].to(nodes.dtype)
    return (nodes * weight).sum(1) / weight.sum(1)


def _of(state: State, vehicle: Tensor) -> tuple[Tensor, Tensor]:
    """Position and remaining capacity of the chosen vehicle, (B, L) each."""
    index = vehicle[..., None]
    return (
        state.position.gather(-1, index).squeeze(-1),
        state.remaining.gather(-1, index).squeeze(-1),
    )
