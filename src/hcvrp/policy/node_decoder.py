"""The node-selection decoder: where the chosen vehicle goes next."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from hcvrp.policy.attention import attend, split


@dataclass(frozen=True)
class NodeScorer:
    """All that the node decoder knows of a batch before the first step."""

    query: Tensor  # (B, N, dim), the query of a vehicle at each node, without its load
    load: Tensor  # (B, 1, dim), what one unit of remaining capacity adds to the query
    key: Tensor  # (B, heads, N, dim_k)
    value: Tensor  # (B, heads, N, dim_k)
    compare: Tensor  # (B, N, dim), what the glimpse is compared with
    clip: float

    def scores(self, position: Tensor, remaining: Tensor, mask: Tensor) -> Tensor:
        """Compatibility of each node, (B, L, N), −∞ where masked (Li et al. 2021, eq. 28 to 31).

        Args:
            position: (B, L), where the vehicle stands.
            remaining: (B, L), its remaining capacity.
            mask: (B, L, N), True where it may go.
        """
        query = rows(self.query, position) + remaining[..., None].to(self.load) * self.load
        query = split(query.to(self.key.dtype), self.key.shape[1])
        glimpse = attend(query, self.key, self.value, mask[:, None])  # eq. 29
        compatibility = (glimpse @ self.compare.transpose(1, 2)).to(self.query.dtype)
        return (self.clip * torch.tanh(compatibility)).masked_fill(~mask, -math.inf)  # eq. 30


class NodeDecoder(nn.Module):
    """Context, glimpse and compatibility (Li et al. 2021, eq. 28 to 31).

    The context [ĥ, h̃, o] enters linearly, so the query of a vehicle that stands at node j with
    nothing left is computed once per batch for every j. Likewise, with Z the joined heads of the
    glimpse,

        u = (Z W^O W^Q_comp) · (h W^K_comp) = Z · (h W^K_comp (W^O W^Q_comp)ᵀ),

    so the three matrices become one and no step multiplies by them. Compatibilities are divided
    by √dim, as the authors' code does; the text says √dim_k.
    """

    def __init__(self, dim: int, heads: int, clip: float) -> None:
        super().__init__()
        self.heads = heads
        self.clip = clip
        self.context = nn.Linear(2 * dim + 1, dim, bias=False)  # W^Q_c
        self.key = nn.Linear(dim, dim, bias=False)
        self.value = nn.Linear(dim, dim, bias=False)
        self.join = nn.Linear(dim, dim, bias=False)  # W^O
        self.compare_query = nn.Linear(dim, dim, bias=False)
        self.compare_key = nn.Linear(dim, dim, bias=False)

    def forward(self, nodes: Tensor, graph: Tensor) -> NodeScorer:
        """What can be known from node embeddings (B, N, dim) and their mean (B, dim)."""
        dim = nodes.shape[-1]
        graph_part, last_part, load = torch.split(self.context.weight, [dim, dim, 1], 1)
        with torch.autocast(nodes.device.type, enabled=False):
            glimpse_to_query = self.compare_query.weight @ self.join.weight
            compare = glimpse_to_query.T @ self.compare_key.weight / math.sqrt(dim)
        weight = torch.cat([last_part, self.key.weight, self.value.weight, compare])
        last, key, value, compare = functional.linear(nodes, weight).chunk(4, -1)
        query = last + functional.linear(graph, graph_part)[:, None]
        return NodeScorer(
            query=query.to(load.dtype),
            load=load[:, 0].expand(nodes.shape[0], 1, -1),
            key=split(key, self.heads).contiguous(),
            value=split(value, self.heads).contiguous(),
            compare=compare.contiguous(),
            clip=self.clip,
        )


def rows(table: Tensor, index: Tensor) -> Tensor:
    """table[b, index[b, l]] as (B, L, dim), for table (B, N, dim) and index (B, L)."""
    if torch.is_grad_enabled() and table.requires_grad:
        return _Rows.apply(table, index)  # type: ignore[no-any-return, no-untyped-call]
    return table.gather(1, index[..., None].expand(-1, -1, table.shape[-1]))


class _Rows(torch.autograd.Function):
    """The same; its gradient is a product with one-hot rows.

    The usual one adds rows one by one to the table: thousands to each entry, which takes several
    times as long on a GPU and in bfloat16 forgets what is small.
    """

    @staticmethod
    def forward(ctx: Any, table: Tensor, index: Tensor) -> Tensor:
        ctx.save_for_backward(index)
        ctx.size = table.shape[1]
        return table.gather(1, index[..., None].expand(-1, -1, table.shape[-1]))

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        (index,) = ctx.saved_tensors
        entries = torch.arange(ctx.size, device=index.device)
        chosen = (index[:, None] == entries[:, None]).to(gradient.dtype)  # (B, N, L)
        return chosen @ gradient, None
