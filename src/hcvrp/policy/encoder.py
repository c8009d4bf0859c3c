"""The encoder: node features to node embeddings by self-attention."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from hcvrp.policy.attention import self_attend
from hcvrp.policy.norm import BatchNorm


class Encoder(nn.Module):
    """h⁰ from the features, then `layers` attention layers (Li et al. 2021, eq. 15 to 19).

    The depot has a linear embedding of its own, of (x, y) alone.
    """

    def __init__(self, features: int, dim: int, heads: int, layers: int, feed_forward: int) -> None:
        super().__init__()
        self.depot = nn.Linear(2, dim)
        self.customer = nn.Linear(features, dim)
        self.layers = nn.ModuleList(Layer(dim, heads, feed_forward) for _ in range(layers))

    def forward(self, features: Tensor, mask: Tensor | None) -> Tensor:
        """Embeddings (B, N, dim) of node features (B, N, features), whose first two are x and y.

        Args:
            features: the depot's beyond x and y are not looked at.
            mask: (B, N) True for real nodes, None where nothing is padding.
        """
        with torch.autocast(features.device.type, enabled=False):  # coordinates in full precision
            h = self.customer(features)
            h[:, 0] = self.depot(features[:, 0, :2])
        for layer in self.layers:
            h = layer(h, mask)
        return h  # type: ignore[no-any-return]


class Layer(nn.Module):
    """r = BN(h + MHA(h)), then BN(r + FF(r)) (Li et al. 2021, eq. 18, 19)."""

    def __init__(self, dim: int, heads: int, feed_forward: int) -> None:
        super().__init__()
        self.heads = heads
        self.project = nn.Linear(dim, 3 * dim, bias=False)  # W^Q, W^K, W^V
        self.join = nn.Linear(dim, dim, bias=False)  # W^O
        self.widen = nn.Linear(dim, feed_forward)
        self.narrow = nn.Linear(feed_forward, dim)
        self.after_attention = BatchNorm(dim)
        self.after_feed_forward = BatchNorm(dim)

    def forward(self, h: Tensor, mask: Tensor | None) -> Tensor:
        """The next embeddings, (B, N, dim)."""
        mixed = self_attend(self.project(h), self.heads, mask)  # eq. 15, 16
        r = self.after_attention(h + self.join(mixed))  # eq. 17, 18
        return self.after_feed_forward(  # type: ignore[no-any-return]
            r + self.narrow(functional.relu(self.widen(r)))
        )
