"""Where the chosen vehicle goes next."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from hcvrp.env import Batch, State
from hcvrp.policy.attention import attend, below_best, split
from hcvrp.policy.config import NetworkConfig
from hcvrp.policy.fleet.outlook import CONTEXT, VEHICLE, Outlook
from hcvrp.policy.fleet.scales import Scales
from hcvrp.policy.node_decoder import rows

WAYS, FIXED = 2, 6
PAIRS = WAYS + FIXED
"""Numbers of a vehicle and a candidate that enter the score directly."""

RANGE = 20.0
"""The lowest score below the best: at 10 one step in a hundred goes anywhere when 160 wait."""

LEAST_LOAD = 1e-3
"""Of the mean demand: what a full vehicle is taken to have left."""


@dataclass(frozen=True)
class NodeScorer:
    """All that the node decoder knows of a batch before the first step."""

    place: Tensor  # (B, N, dim), what standing at a node adds to the query
    vehicle: Tensor  # (B, M, dim), what being a vehicle adds to it
    dynamic: Tensor  # (CONTEXT + VEHICLE, dim)
    out: Tensor  # (dim, dim + PAIRS)
    bias: Tensor  # (dim + PAIRS,)
    key: Tensor  # (B, heads, N, dim_k)
    value: Tensor  # (B, heads, N, dim_k)
    compare: Tensor  # (B, N, dim), what query and glimpse are compared with
    ways: Tensor  # (B, N, 2N), from each node to all: by length, and the logarithm by gap
    fixed: Tensor  # (B, FIXED, N), what else counts of a candidate
    demand: Tensor  # (B, 1), the mean
    clip: float

    def scores(self, state: State, outlook: Outlook, vehicle: Tensor, mask: Tensor) -> Tensor:
        """(B, L, N), −∞ where masked.

        Args:
            state: for the place and the load of the vehicle.
            outlook: the same states without units.
            vehicle: (B, L), which one moves.
            mask: (B, L, N), True where it may go.
        """
        kind, dim = self.key.dtype, self.place.shape[-1]
        position = state.position.gather(-1, vehicle[..., None]).squeeze(-1)
        own = outlook.vehicles.gather(
            2, vehicle[..., None, None].expand(-1, -1, 1, VEHICLE)
        ).squeeze(2)
        seen = torch.cat([outlook.context, own], -1).to(kind) @ self.dynamic
        base = rows(self.place, position) + rows(self.vehicle, vehicle) + seen
        more, weight = torch.split(functional.silu(base) @ self.out + self.bias, [dim, PAIRS], -1)
        query = base + more
        glimpse = attend(split(query, self.key.shape[1]), self.key, self.value, mask[:, None])
        compatibility = (glimpse + query) @ self.compare.transpose(1, 2)
        wide = outlook.context.dtype
        pairs = self._pairs(state, position, vehicle, weight.to(wide))
        return below_best(self.clip * compatibility.to(wide) + pairs, mask, RANGE)

    def _pairs(self, state: State, position: Tensor, vehicle: Tensor, weight: Tensor) -> Tensor:
        """Σ weight · pair feature, (B, L, N): the state decides what each is worth."""
        near, far, fill, others = torch.split(weight, [1, 1, 1, FIXED - 1], -1)
        ways, logs = rows(self.ways, position).chunk(WAYS, -1)
        left = state.remaining.gather(-1, vehicle[..., None]) / self.demand[..., None]
        fill = fill / left.clamp(min=LEAST_LOAD).to(fill)
        return far * ways + near * logs + torch.cat([fill, others], -1) @ self.fixed


class NodeDecoder(nn.Module):
    """A query from place, vehicle and state; glimpse; compatibility; and what distances say.

        b = W₁ h_place + W₂ h_vehicle + W₃ x,   q = b + W₄ silu(b),   w = W₅ silu(b)
        x_j = C (glimpse(q) + q) · W₆ h_j / √dim + p_j,   u_j = R tanh((x_j − max x) / R)
        p_j = w₁ log(1 + dist_pj / gap) + w₂ dist_pj / length + w₃ d_j / load left
              + w₄ d_j / mean d + w₅ dist_j0 / length + w₆ log(1 + dist_j0 / gap)
              + w₇ n work_j + w₈ g_j / gap

    with x the state in the instance's units. All is clipped below the best: unbounded distance
    terms would make the choice certain, and end the exploration, long before it is good. The
    detour by way of j is a sum of these terms and one that is the same for all j, so it needs no
    term of its own. The glimpse is that of Kool et al. 2019.
    """

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        dim = config.dim
        self.heads, self.clip = config.heads, config.clip
        self.place = nn.Linear(dim, dim)
        self.vehicle = nn.Linear(dim, dim, bias=False)
        self.dynamic = nn.Linear(CONTEXT + VEHICLE, dim, bias=False)
        self.out = nn.Linear(dim, dim + PAIRS)
        self.keys = nn.Linear(dim, 3 * dim, bias=False)  # keys, values and W₆
        self._start_open()

    @torch.no_grad()
    def _start_open(self) -> None:
        """At first the nearer of two customers is the likelier, and nothing else counts much.

        With the usual random weights the query's own part of the compatibility would saturate
        the clipping before anything is learned.
        """
        dim = self.keys.in_features
        self.keys.weight[2 * dim :] *= 0.1
        self.out.weight[dim:] = 0
        self.out.bias[dim:] = -2 * torch.eye(PAIRS)[0]

    def forward(self, batch: Batch, units: Scales, nodes: Tensor, vehicles: Tensor) -> NodeScorer:
        """From the embeddings of nodes (B, N, dim) and vehicles (B, M, dim)."""
        key, value, compare = self.keys(nodes).chunk(3, -1)
        kind, wide = key.dtype, batch.points.dtype
        ways = batch.distance / units.length[..., None]
        logs = torch.log1p(batch.distance / units.gap[..., None])
        demand = batch.demand.to(wide) / units.mean_demand
        fixed = [
            demand,  # by the load left
            demand,
            batch.distance[:, :, 0] / units.length,
            torch.log1p(batch.distance[:, :, 0] / units.gap),
            units.work * units.count,
            units.gaps / units.gap,
        ]
        return NodeScorer(
            place=self.place(nodes),
            vehicle=self.vehicle(vehicles),
            dynamic=self.dynamic.weight.T.to(kind),
            out=self.out.weight.T.to(kind),
            bias=self.out.bias.to(kind),
            key=split(key, self.heads).contiguous(),
            value=split(value, self.heads).contiguous(),
            compare=(compare / math.sqrt(nodes.shape[-1])).contiguous(),
            ways=torch.cat([ways, logs], -1).to(kind),
            fixed=torch.stack(fixed, 1),
            demand=units.mean_demand,
            clip=self.clip,
        )
