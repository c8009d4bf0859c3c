"""One update of Algorithm 1: sample, compare with the baseline, follow the gradient."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import ClassVar

import torch
from torch import Tensor

from hcvrp.env import Batch, cost, log_prob
from hcvrp.env.graph import best_advance
from hcvrp.env.log_prob import steps_scored
from hcvrp.policy.network import Network, detached
from hcvrp.policy.step import quick_step
from hcvrp.training import distributed
from hcvrp.training.baseline import GreedyBaseline
from hcvrp.training.captured import Figures, Sizes
from hcvrp.training.config import Config
from hcvrp.training.learner import BaseLearner, Update, Verdict


class Learner(BaseLearner):
    """The network, its greedy baseline and its optimiser (Li et al. 2021, Algorithm 1)."""

    companion: ClassVar[str] = "baseline"
    config: Config

    def __init__(self, config: Config, device: torch.device) -> None:
        super().__init__(config, device)
        self.world = config.problem.world
        self.batch = distributed.share(config.training.batch, "training batch")
        self.advance = best_advance(device, quick_step)
        self.all_steps = steps_scored(device, compiled=True)
        self.baseline = GreedyBaseline(
            self.network,
            config.training,
            config.problem.objective,
            self.advance,
            mixed=self.mixed,
        )

    @property
    def exported(self) -> Network:
        """The network itself."""
        return self.network

    def learning_rate(self, epoch: int) -> float:
        """The initial rate times decay^epoch."""
        return self.config.training.learning_rate * self.config.training.decay**epoch

    def done(self, step: int, seconds: float) -> float:  # noqa: ARG002
        """By steps."""
        return step / (self.config.training.epochs * self.config.training.steps)

    def train_step(self, epoch: int, step: int, done: float = 0.0) -> Update:  # noqa: ARG002
        """Draws the batch of that step and learns from it."""
        self.seed(step, 0)
        batch = self.world.draw(self.batch, self.generator)
        rate = self.learning_rate(epoch)
        self.set_rate(rate)
        kind = "greedy baseline" if epoch >= self.config.training.warmup else None
        learn = partial(self.learn, epoch=epoch)
        figures = self.update(kind, batch, self.number(step, 2), learn)
        return Update(figures, rate, self.config.training.batch)

    def validate(self, epoch: int) -> Verdict:
        """Challenges the baseline after `epoch` on fresh instances: greedy cost, replaced?"""
        self.seed(epoch, 1)
        rounds = math.ceil(self.config.training.validation / self.config.training.batch)
        fresh = (self.world.draw(self.batch, self.generator) for _ in range(rounds))
        score, better = self.baseline.challenge(self.network, fresh, self.generator)
        return Verdict(score, better, {})

    def learn(
        self,
        batch: Batch,
        generator: torch.Generator,
        sizes: Sizes | None = None,
        *,
        epoch: int,
    ) -> tuple[Figures, Sizes]:
        """Samples, asks the baseline, updates (Algorithm 1, lines 5 to 13).

        The batch is encoded once: the rollout reads the same embeddings, and so the same batch
        statistics, that the gradient flows through. With loss = mean((cost − baseline) log π) it
        is the gradient of line 12.
        """
        self.network.train()
        objective, steps = self.config.problem.objective, None if sizes is None else sizes.steps
        decoder = self.network.encode(batch, objective, mixed=self.mixed)
        outcome, baseline = self.baseline.play(batch, detached(decoder), generator, epoch, steps)
        costs = cost(outcome.times, objective)  # (B, 1)
        advantage = costs - baseline
        lost = advantage.isnan().float().mean()
        if sizes is not None:
            advantage = advantage.nan_to_num()  # of rollouts that did not finish
        score = log_prob(batch, decoder, outcome.actions, self.all_steps)
        norm = self.descend((advantage * score).mean())
        figures = Figures(costs.nanmean(), baseline.nanmean(), norm, lost)
        return figures, Sizes(outcome.actions.node.shape[2])

    def state(self) -> dict[str, Tensor]:
        """The baseline: its network and the moving average."""
        return {**self.baseline.network.state_dict(), "average": self.baseline.average}

    def load(self, exported: Mapping[str, Tensor], state: Mapping[str, Tensor]) -> None:
        """Network and baseline from a checkpoint."""
        self.network.load_state_dict(dict(exported))
        kept = dict(state)
        self.baseline.average = kept.pop("average").to(self.device)
        self.baseline.network.load_state_dict(kept)

    def start(self, weights: Mapping[str, Tensor]) -> None:
        """Network and baseline begin from these weights."""
        self.network.load_state_dict(dict(weights))
        self.baseline.become(self.network)
