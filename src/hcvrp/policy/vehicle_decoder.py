"""The vehicle-selection decoder: who moves next."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional


@dataclass(frozen=True)
class VehicleScorer:
    """The vehicle decoder with its linear maps multiplied out: two hidden layers, one sum.

    The first axis holds G networks, each for an equal share of the batch; one, as a rule.
    """

    vehicle_weight: Tensor  # (G, 3M, hidden)
    vehicle_bias: Tensor  # (G, 1, hidden)
    route_weight: Tensor  # (G, M · dim, hidden)
    route_bias: Tensor  # (G, 1, hidden)
    vehicle_out: Tensor  # (G, hidden, M)
    route_out: Tensor  # (G, hidden, M)
    bias: Tensor  # (G, 1, M)

    @property
    def vehicles(self) -> int:
        """The fleet size, M."""
        return self.bias.shape[-1]

    def scores(self, features: Tensor, pooled: Tensor, mask: Tensor) -> Tensor:
        """H_t, (B, L, M), −∞ where masked (Li et al. 2021, eq. 20 to 27).

        Args:
            features: (B, L, 3M), C^V: x, y and accumulated time of each vehicle. Kept in full
                precision: a bfloat16 could not tell two vehicles of nearly equal times apart.
            pooled: (B, L, M · dim), Ĉ^R: the max-pooled route of each vehicle.
            mask: (B, L, M), True where the vehicle may move.
        """
        networks = len(self.bias)
        features = features.reshape(networks, -1, features.shape[-1])
        pooled = pooled.to(self.route_weight.dtype).reshape(networks, -1, pooled.shape[-1])
        vehicle = functional.relu(torch.baddbmm(self.vehicle_bias, features, self.vehicle_weight))
        route = functional.relu(torch.baddbmm(self.route_bias, pooled, self.route_weight))
        scores = torch.baddbmm(self.bias, vehicle, self.vehicle_out) + route @ self.route_out
        return scores.view_as(mask).masked_fill(~mask, -math.inf)


class VehicleDecoder(nn.Module):
    """Vehicle and route feature embeddings, joined (Li et al. 2021, eq. 20 to 27).

        H^V = FF(W₁ C^V + b₁),  H^R = FF(W₂ Ĉ^R + b₂),  H = W₃ [H^V, H^R] + b₃

    FF has one hidden ReLU layer, so the maps before and after it are linear and are multiplied
    out once per batch.
    """

    def __init__(self, vehicles: int, dim: int, feed_forward: int) -> None:
        super().__init__()
        self.vehicle = nn.Linear(3 * vehicles, dim)  # W₁, b₁
        self.vehicle_widen = nn.Linear(dim, feed_forward)
        self.vehicle_narrow = nn.Linear(feed_forward, dim)
        self.route = nn.Linear(vehicles * dim, dim)  # W₂, b₂
        self.route_widen = nn.Linear(dim, feed_forward)
        self.route_narrow = nn.Linear(feed_forward, dim)
        self.join = nn.Linear(2 * dim, vehicles)  # W₃, b₃

    def forward(self, compute: torch.dtype) -> VehicleScorer:
        """The multiplied-out maps; those of the routes in the given precision."""
        vehicle_join, route_join = self.join.weight.chunk(2, dim=1)
        vehicle_weight, vehicle_bias = _after(self.vehicle_widen, self.vehicle)
        route_weight, route_bias = _after(self.route_widen, self.route)
        vehicle_out, route_out = (
            vehicle_join @ self.vehicle_narrow.weight,
            route_join @ self.route_narrow.weight,
        )
        bias = (
            self.join.bias
            + vehicle_join @ self.vehicle_narrow.bias
            + route_join @ self.route_narrow.bias
        )
        return VehicleScorer(
            vehicle_weight=vehicle_weight.T[None],
            vehicle_bias=vehicle_bias[None, None],
            route_weight=route_weight.T[None].to(compute),
            route_bias=route_bias[None, None].to(compute),
            vehicle_out=vehicle_out.T[None],
            route_out=route_out.T[None].to(compute),
            bias=bias[None, None],
        )


def _after(outer: nn.Linear, inner: nn.Linear) -> tuple[Tensor, Tensor]:
    """Weight and bias of outer(inner(x))."""
    return outer.weight @ inner.weight, outer.weight @ inner.bias + outer.bias
