"""Who makes the next move: scores over the vehicles of any fleet."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn
from torch.nn import functional

from hcvrp.env import Batch
from hcvrp.policy.attention import attend, below_best, split
from hcvrp.policy.config import NetworkConfig
from hcvrp.policy.fleet.outlook import CONTEXT, VEHICLE, Outlook

CLIP = 6.0
"""No vehicle is ever more than e⁶ times as likely as another.

Unbounded, the choice becomes certain within minutes, for ever one vehicle where times are added,
and what has no probability left has no gradient either.
"""


@dataclass(frozen=True)
class VehicleScorer:
    """All that the vehicle decoder knows of a batch before the first step."""

    query: Tensor  # (B, 1, dim)
    context: Tensor  # (CONTEXT, dim)
    key: Tensor  # (B, heads, N, dim_k)
    value: Tensor  # (B, heads, N, dim_k)
    vehicle: Tensor  # (B, 1, M, hidden)
    dynamic: Tensor  # (VEHICLE, hidden)
    glimpse: Tensor  # (dim, hidden)
    mix: Tensor  # (2 · hidden, hidden)
    mix_bias: Tensor  # (hidden,)
    out: Tensor  # (hidden, 1)
    share: Tensor  # (B, 1, M, 1), 1/m for vehicles, 0 for padding

    def scores(self, outlook: Outlook, waiting: Tensor, mask: Tensor) -> Tensor:
        """(B, L, M), −∞ where masked.

        Args:
            outlook: the states.
            waiting: (B, L, N), True for customers not served and for the depot.
            mask: (B, L, M), True where the vehicle may move.
        """
        kind = self.key.dtype
        query = split(self.query + outlook.context.to(kind) @ self.context, self.key.shape[1])
        seen = attend(query, self.key, self.value, waiting[:, None]) @ self.glimpse
        hidden = outlook.vehicles.to(kind) @ self.dynamic  # (B, L, M, hidden)
        hidden = functional.silu(hidden + self.vehicle + seen[:, :, None])
        own, others = self.mix.chunk(2)
        fleet = (hidden * self.share).sum(2) @ others + self.mix_bias  # (B, L, hidden)
        score = functional.silu(hidden @ own + fleet[:, :, None]) @ self.out
        return below_best(score.squeeze(-1).to(outlook.context.dtype), mask, CLIP)


class VehicleDecoder(nn.Module):
    """A glimpse of who still waits, then every vehicle by itself and against the fleet.

        z   = attention of the state's context to the waiting customers
        a_v = silu(W₁ h_v + W₂ x_v + W₃ z)          x_v: time, slack, load … of vehicle v
        u_v = w · silu(W₄ a_v + W₅ mean_v' a_v' + b),   score_v = C tanh((u_v − max u) / C)

    The mean over the fleet (Zaheer et al. 2017) takes any number of vehicles in any order. The
    hidden layers have half the width: they are the only tensors with an axis for vehicles.
    """

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        dim, hidden = config.dim, config.dim // 2
        self.heads = config.heads
        self.query = nn.Linear(dim, dim)
        self.context = nn.Linear(CONTEXT, dim, bias=False)
        self.key_value = nn.Linear(dim, 2 * dim, bias=False)
        self.vehicle = nn.Linear(dim, hidden)
        self.dynamic = nn.Linear(VEHICLE, hidden, bias=False)
        self.glimpse = nn.Linear(dim, hidden, bias=False)
        self.mix = nn.Linear(2 * hidden, hidden)
        self.out = nn.Linear(hidden, 1, bias=False)

    def forward(self, batch: Batch, nodes: Tensor, vehicles: Tensor) -> VehicleScorer:
        """From the embeddings of nodes (B, N, dim) and vehicles (B, M, dim)."""
        key, value = (split(x, self.heads) for x in self.key_value(nodes).chunk(2, -1))
        kind = key.dtype
        fitted = batch.fitted.to(kind)
        return VehicleScorer(
            query=self.query(nodes[:, :1]),
            context=self.context.weight.T.to(kind),
            key=key.contiguous(),
            value=value.contiguous(),
            vehicle=self.vehicle(vehicles)[:, None],
            dynamic=self.dynamic.weight.T.to(kind),
            glimpse=self.glimpse.weight.T.to(kind),
            mix=self.mix.weight.T.to(kind),
            mix_bias=self.mix.bias.to(kind),
            out=self.out.weight.T.to(kind),
            share=(fitted / fitted.sum(-1, keepdim=True)).to(kind)[:, None, :, None],
        )
