"""The vehicle-selection decoder: who moves next."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional


@dataclass(frozen=True)
class VehicleScorer:
    """The vehicle decoder with its linear maps multiplied out: two hidden layers, one sum."""

    vehicle_weight: Tensor  # (hidden, 3M)
    vehicle_bias: Tensor  # (hidden,)
    route_weight: Tensor  # (hidden, M · dim)
    route_bias: Tensor  # (hidden,)
    vehicle_out: Tensor  # (M, hidden)
    route_out: Tensor  # (M, hidden)
    bias: Tensor  # (M,)

    def scores(self, features: Tensor, pooled: Tensor, mask: Tensor) -> Tensor:
        """H_t, (B, L, M), −∞ where masked (Li et al. 2021, eq. 20 to 27).

        Args:
            features: (B, L, 3M), C^V: x, y and accumulated time of each vehicle. Kept in full
                precision: a bfloat16 could not tell two vehicles of nearly equal times apart.
            pooled: (B, L, M · dim), Ĉ^R: the max-pooled route of each vehicle.
            mask: (B, L, M), True where the vehicle may move.
        """
        linear, relu = functional.linear, functional.relu
        vehicle = relu(linear(features, self.vehicle_weight, self.vehicle_bias))
        route = relu(linear(pooled.to(self.route_weight.dtype), self.route_weight, self.route_bias))
        scores = linear(vehicle, self.vehicle_out, self.bias)
        scores = scores + linear(route, self.route_out)
        return scores.masked_fill(~mask, -math.inf)


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
        """The multiplied-out maps; the large one in the given precision."""
        vehicle_join, route_join = self.join.weight.chunk(2, dim=1)
        vehicle_weight, vehicle_bias = _after(self.vehicle_widen, self.vehicle)
        route_weight, route_bias = _after(self.route_widen, self.route)
        return VehicleScorer(
            vehicle_weight=vehicle_weight,
            vehicle_bias=vehicle_bias,
            route_weight=route_weight.to(compute),
            route_bias=route_bias.to(compute),
            vehicle_out=vehicle_join @ self.vehicle_narrow.weight,
            route_out=(route_join @ self.route_narrow.weight).to(compute),
            bias=self.join.bias
            + vehicle_join @ self.vehicle_narrow.bias
            + route_join @ self.route_narrow.bias,
        )


def _after(outer: nn.Linear, inner: nn.Linear) -> tuple[Tensor, Tensor]:
    """Weight and bias of outer(inner(x))."""
    return outer.weight @ inner.weight, outer.weight @ inner.bias + outer.bias
