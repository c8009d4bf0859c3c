"""The `fleet` network: features, encoder and the two decoders put together."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from hcvrp.env import Actions, Batch, Decoder, State
from hcvrp.policy.base import Network
from hcvrp.policy.config import NetworkConfig
from hcvrp.policy.fleet.encoder import Encoder
from hcvrp.policy.fleet.features import customer_features, depot_features, vehicle_features
from hcvrp.policy.fleet.node_decoder import NodeDecoder, NodeScorer
from hcvrp.policy.fleet.outlook import Lookout, lookout, outlook
from hcvrp.policy.fleet.scales import scales
from hcvrp.policy.fleet.vehicle_decoder import VehicleDecoder, VehicleScorer
from hcvrp.solution import Objective


@dataclass(frozen=True)
class FleetDecoder:
    """Chooses a vehicle, with `trips` only while all are home, and its next node."""

    fleet: VehicleScorer
    nodes: NodeScorer
    lookout: Lookout
    trips: bool

    def begin(self, samples: int) -> Tensor:
        """Nothing to remember: the state says it all."""
        place = self.nodes.place
        return place.new_empty(place.shape[0], samples, 0)

    def vehicle_scores(self, batch: Batch, state: State, memory: Tensor, mask: Tensor) -> Tensor:  # noqa: ARG002
        """Scores of the vehicles."""
        waiting = ~state.served
        waiting[..., 0] = True  # so that a finished row, too, has something to look at
        return self.fleet.scores(outlook(batch, state, self.lookout), waiting, mask)

    def node_scores(self, batch: Batch, state: State, vehicle: Tensor, mask: Tensor) -> Tensor:
        """Scores of the nodes for the chosen vehicle."""
        return self.nodes.scores(state, outlook(batch, state, self.lookout), vehicle, mask)

    def remember(self, memory: Tensor, vehicle: Tensor, node: Tensor) -> Tensor:  # noqa: ARG002
        """Nothing to remember."""
        return memory

    def recall(self, actions: Actions) -> Tensor:
        """Nothing to remember."""
        return self.begin(actions.node[0].numel())


class FleetNetwork(Network):
    """Any number of vehicles and customers, any units, both objectives (docs/methods/fleet.md)."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__(config)
        self.encoder = Encoder(config)
        self.vehicle_decoder = VehicleDecoder(config)
        self.node_decoder = NodeDecoder(config)

    def encode(
        self, batch: Batch, objective: Objective = Objective.MIN_MAX, *, mixed: bool = False
    ) -> Decoder:
        """Embeds the batch; with `mixed`, large products on a CUDA device are in bfloat16."""
        units = scales(batch)
        goal = list(Objective).index(objective)
        with torch.autocast("cuda", torch.bfloat16, enabled=mixed and batch.points.is_cuda):
            embedded = self.encoder(
                depot_features(batch, units),
                customer_features(batch, units),
                vehicle_features(batch, units),
                torch.full((), goal, device=batch.points.device),
                torch.cat([batch.real, batch.fitted], 1) if batch.padded else None,
            )
            nodes, vehicles = embedded.split([batch.nodes, batch.vehicles], 1)
            return FleetDecoder(
                fleet=self.vehicle_decoder(batch, nodes, vehicles),
                nodes=self.node_decoder(batch, units, nodes, vehicles),
                lookout=lookout(batch, units),
                trips=self.config.trips,
            )
