"""One update of Algorithm 1: sample, compare with the baseline, follow the gradient."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from hcvrp.env import Batch, cost, log_prob
from hcvrp.env.graph import best_advance
from hcvrp.policy.network import build, detached
from hcvrp.training import distributed
from hcvrp.training.baseline import GreedyBaseline
from hcvrp.training.config import Config


@dataclass(frozen=True)
class Update:
    """What one update saw, as tensors that stay on the device until somebody looks."""

    cost: Tensor
    baseline: Tensor
    gradient_norm: Tensor


class Learner:
    """The network, its baseline and its optimiser.

    All randomness of a step comes from (seed, step, process), so a resumed run needs no
    generator's state to go on as if it had never stopped.
    """

    def __init__(self, config: Config, device: torch.device) -> None:
        self.config = config
        self.device = device
        self.mixed = device.type == "cuda"
        self.generator = torch.Generator(device)
        self.network = build(config.policy, config.training.seed).to(device)
        self.optimizer = torch.optim.Adam(
            self.network.parameters(),
            lr=config.training.learning_rate,
            fused=device.type == "cuda",
        )
        self.world = config.problem.world
        self.batch = distributed.share(config.training.batch, "training batch")
        self.advance = best_advance(device, compiled=True)
        self.baseline = GreedyBaseline(
            self.network,
            config.training,
            config.problem.objective,
            self.advance,
            mixed=self.mixed,
        )

    def learning_rate(self, epoch: int) -> float:
        """The initial rate times decay^epoch."""
        return self.config.training.learning_rate * self.config.training.decay**epoch

    def train_step(self, epoch: int, step: int) -> Update:
        """Draws the batch of that step and learns from it."""
        self._seed(step, 0)
        return self.learn(self.world.draw(self.batch, self.generator), epoch)

    def validate(self, epoch: int) -> tuple[float, bool]:
        """Challenges the baseline after `epoch` on fresh instances: greedy cost, replaced?"""
        self._seed(epoch, 1)
        rounds = math.ceil(self.config.training.validation / self.config.training.batch)
        fresh = (self.world.draw(self.batch, self.generator) for _ in range(rounds))
        return self.baseline.challenge(self.network, fresh, self.generator)

    def learn(self, batch: Batch, epoch: int) -> Update:
        """Samples, asks the baseline, updates (Algorithm 1, lines 5 to 13).

        The batch is encoded once: the rollout reads the same embeddings, and so the same batch
        statistics, that the gradient flows through.
        """
        self.network.train()
        decoder = self.network.encode(batch, mixed=self.mixed)
        outcome, baseline = self.baseline.play(batch, detached(decoder), self.generator, epoch)
        costs = cost(outcome.times, self.config.problem.objective)  # (B, 1)
        score = log_prob(batch, decoder, outcome.actions)
        norm = self.update(((costs - baseline) * score).mean(), epoch)
        return Update(costs.mean(), baseline.mean(), norm)

    def update(self, loss: Tensor, epoch: int) -> Tensor:
        """One Adam step down the gradient of `loss`, averaged over processes; its norm.

        With loss = mean((cost − baseline) log π) that is the gradient of Algorithm 1, line 12.
        """
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        distributed.average_gradients(self.network)
        norm = nn.utils.clip_grad_norm_(self.network.parameters(), self.config.training.clip)
        for group in self.optimizer.param_groups:
            group["lr"] = self.learning_rate(epoch)
        self.optimizer.step()
        return norm

    def _seed(self, *path: int) -> None:
        entropy = (self.config.training.seed, *path, distributed.rank())
        state = np.random.SeedSequence(entropy).generate_state(1, np.uint64)
        self.generator.manual_seed(int(state[0]) >> 1)
