"""The baseline of Algorithm 1: a moving average at first, then a frozen policy's greedy cost."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

from hcvrp.env import Advance, Batch, Decoder, Outcome, cost, duel
from hcvrp.policy.network import Network
from hcvrp.solution import Objective
from hcvrp.training import distributed
from hcvrp.training.config import TrainingConfig
from hcvrp.training.learner import frozen
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
        device = next(network.parameters()).device
        self.network = frozen(network)
        self.config = config
        self.objective = objective
        self.advance = advance
        self.mixed = mixed
        self.average = torch.full((), torch.nan, device=device)

    def play(
        self,
        batch: Batch,
        decoder: Decoder,
        generator: torch.Generator,
        epoch: int,
        steps: int | None = None,
    ) -> tuple[Outcome, Tensor]:
        """A sampled rollout by `decoder` of each instance, and the baseline's costs (B, 1).

        `steps` as in `env.rollout`.
        """
        theirs = self._encode(batch)
        sampled, greedy = duel(
            batch, decoder, theirs, generator, self.advance, sample=True, steps=steps
        )
        if epoch >= self.config.warmup:
            return sampled, cost(greedy.times, self.objective)
        average = self.moving_average(cost(sampled.times, self.objective).mean())
        return sampled, average.expand(batch.size, 1)

    def moving_average(self, now: Tensor) -> Tensor:
        """The average once this batch's mean cost has joined it."""
        now = distributed.mean(now)
        past = torch.where(self.average.isnan(), now, self.average)
        self.average = torch.lerp(now, past, self.config.momentum)
        return self.average

    def challenge(
        self, network: Network, batches: Iterable[Batch], generator: torch.Generator
    ) -> tuple[float, bool]:
        """The greedy cost of `network` on fresh instances, and whether it took the baseline over.

        It does when it is cheaper by a one-sided paired t-test (Algorithm 1, line 15). Batches of
        the training's size keep to the one shape that is captured.
        """
        challenger = frozen(network)
        costs = []
        for batch in batches:
            with torch.no_grad():
                mine = challenger.encode(batch, self.objective, mixed=self.mixed)
            theirs = self._encode(batch)
            outcomes = duel(batch, mine, theirs, generator, self.advance, sample=False)
            costs.append(torch.cat([cost(o.times, self.objective) for o in outcomes], 1))
        new, old = distributed.gather(torch.cat(costs)).double().cpu().numpy().T
        better = paired_p_value(new - old) < self.config.significance
        if better:
            self.become(challenger)
        return float(new.mean()), better

    def become(self, network: Network) -> None:
        """Takes over the weights; in place, since updates may be captured with them."""
        self.network.load_state_dict(network.state_dict())

    @torch.no_grad()
    def _encode(self, batch: Batch) -> Decoder:
        return self.network.encode(batch, self.objective, mixed=self.mixed)
