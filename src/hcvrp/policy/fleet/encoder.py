"""The encoder: customers, depot and vehicles look at each other as tokens of one sequence."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn import functional

from hcvrp.policy.attention import self_attend
from hcvrp.policy.config import NetworkConfig
from hcvrp.policy.fleet.features import CUSTOMER, DEPOT, VEHICLE


class Encoder(nn.Module):
    """Linear embeddings by kind plus one of the objective, then pre-norm attention layers.

    There is no position: permuted customers or vehicles give permuted embeddings.
    """

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        self.depot = nn.Linear(DEPOT, config.dim)
        self.customer = nn.Linear(CUSTOMER, config.dim)
        self.vehicle = nn.Linear(VEHICLE, config.dim)
        self.objective = nn.Embedding(2, config.dim)
        self.layers = nn.ModuleList(
            Layer(config.dim, config.heads, config.feed_forward) for _ in range(config.layers)
        )
        self.norm = nn.RMSNorm(config.dim)

    def forward(
        self,
        depot: Tensor,
        customers: Tensor,
        vehicles: Tensor,
        objective: Tensor,
        mask: Tensor | None,
    ) -> Tensor:
        """Embeddings (B, N + M, dim): the nodes, then the vehicles.

        Args:
            depot: (B, DEPOT).
            customers: (B, N, CUSTOMER), of which the first, the depot's, is not looked at.
            vehicles: (B, M, VEHICLE).
            objective: its number, a scalar.
            mask: (B, N + M) True for what is no padding, None where nothing is.
        """
        with torch.autocast(depot.device.type, enabled=False):  # features in full precision
            h = torch.cat(
                [
                    self.depot(depot)[:, None],
                    self.customer(customers[:, 1:]),
                    self.vehicle(vehicles),
                ],
                1,
            )
            h = h + self.objective(objective)
        for layer in self.layers:
            h = layer(h, mask)
        return self.norm(h)  # type: ignore[no-any-return]


class Layer(nn.Module):
    """h + MHA(norm h), then h + FF(norm h), RMS norms (Zhang & Sennrich 2019; Xiong et al. 2020).

    Normalising before each part leaves the sum itself untouched, so gradients reach the first
    layer undiminished and no batch statistics tie the instances together.
    """

    def __init__(self, dim: int, heads: int, feed_forward: int) -> None:
        super().__init__()
        self.heads = heads
        self.before_attention = nn.RMSNorm(dim)
        self.project = nn.Linear(dim, 3 * dim, bias=False)
        self.join = nn.Linear(dim, dim, bias=False)
        self.before_feed_forward = nn.RMSNorm(dim)
        self.widen = nn.Linear(dim, feed_forward)
        self.narrow = nn.Linear(feed_forward, dim)

    def forward(self, h: Tensor, mask: Tensor | None) -> Tensor:
        """The next embeddings."""
        projected = self.project(self.before_attention(h))
        h = h + self.join(self_attend(projected, self.heads, mask))
        widened = functional.silu(self.widen(self.before_feed_forward(h)))
        return h + self.narrow(widened)  # type: ignore[no-any-return]


def deepened(weights: Mapping[str, Tensor], fresh: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Weights of a network for one that has the same layers and then more, which are `fresh`.

    What the further layers add to their input is nothing at first, so the deeper network starts
    with the scores of the other (Chen, Goodfellow & Shlens 2016).
    """
    silent = ("join.weight", "narrow.weight", "narrow.bias")
    return {
        name: weights[name] if name in weights else tensor * (not name.endswith(silent))
        for name, tensor in fresh.items()
    }
