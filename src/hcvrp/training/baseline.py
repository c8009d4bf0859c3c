"""The baseline of Algorithm 1: a moving average at first, then a frozen policy's greedy cost."""

from __future__ import annotations

import copy

import torch
from torch import Tensor

from hcvrp.env import Advance, Batch, Decoder, Outcome, cost, duel, rollout
from hcvrp.policy.network import Network
from hcvrp.solution import Objective
from hcvrp.training import distributed
from hcvrp.training.config import TrainingConfig
from hcvrp.training.statistics import paired_p_value


class GreedyBaseline:
    """b(s): what the best policy so far costs when it decodes greedily (Kool et al. 2019, §4).

    During the warm-up epochs it is instead the moving average v ← β v + (1 − β) mean(cost).
    """

    def __init__(
        self,
        network: Network,
        config: TrainingConfig,
        objective: Objective,
        advance: Advance,
        *,
        mixed: bool,
    ) -> None:
        self.network = frozen(network)
        self.config = config
        self.objective = objective
        self.advance = advance
        self.mixed = mixed
        self.average = torch.full((), torch.nan, device=next(network.parameters()).device)

    def play(
        self, batch: Batch, decoder: Decoder, generator: torch.Generator, epoch: int
    ) -> tuple[Outcome, Tensor]:
        """A sampled rollout by `decoder` of each instance, and the baseline's costs (B, 1)."""
        if epoch < self.config.warmup:
            sampled = rollout(batch, decoder, 1, generator, self.advance)
            now = cost(sampled.times, self.objective).mean()
            return sampled, self.moving_average(now).expand(batch.size, 1)
        with torch.no_grad():
            rival = self.network.encode(batch, mixed=self.mixed)
        sampled, greedy = duel(batch, decoder, rival, generator, self.advance)
        return sampled, cost(greedy.times, self.objective)

    def moving_average(self, now: Tensor) -> Tensor:
        """The average once this batch's mean cost has joined it."""
        now = distributed.mean(now)
        past = torch.where(self.average.isnan(), now, self.average)
        self.average = torch.lerp(now, past, self.config.momentum)
        return self.average

    def challenge(self, network: Network, batch: Batch) -> tuple[float, bool]:
        """The greedy cost of `network` on fresh instances, and whether it took the baseline over.

        It does when it is cheaper by a one-sided paired t-test (Algorithm 1, line 15).
        """
        candidate = distributed.gather(self.greedy(frozen(network), batch)).double()
        current = distributed.gather(self.greedy(self.network, batch)).double()
        difference = (candidate - current).flatten().cpu().numpy()
        better = paired_p_value(difference) < self.config.significance
        if better:
            self.network = frozen(network)
        return float(candidate.mean()), better

    @torch.no_grad()
    def greedy(self, network: Network, batch: Batch) -> Tensor:
        """Greedy costs (B, 1), in pieces of the training batch's size."""
        size = self.config.batch
        pieces = [batch.rows(k, k + size) for k in range(0, batch.size, size)]
        if len(pieces) == 1:
            pieces = [batch]
        costs = []
        for piece in pieces:
            decoder = network.encode(piece, mixed=self.mixed)
            times = rollout(piece, decoder, advance=self.advance).times
            costs.append(cost(times, self.objective))
        return torch.cat(costs)


def frozen(network: Network) -> Network:
    """A copy for evaluation, without gradients."""
    return copy.deepcopy(network).eval().requires_grad_(False)
