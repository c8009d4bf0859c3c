"""What the training loop knows of whoever learns: updates, validation, state to keep."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from hcvrp.policy.network import Network, build
from hcvrp.training import distributed
from hcvrp.training.captured import CapturedUpdates, Figures, Learn, Record


@dataclass(frozen=True)
class Update:
    """One update: what it saw, and how."""

    figures: Figures
    learning_rate: float
    instances: int


class Verdict(NamedTuple):
    """A validation: its score, whether it is the best so far, and costs by set."""

    score: float
    better: bool
    costs: dict[str, float]


class BaseLearner(ABC):
    """A network and its optimiser.

    All randomness of a step comes from (seed, step, process), so a resumed run needs no
    generator's state to go on as if it had never stopped.
    """

    companion: ClassVar[str]
    """The name of the file with what `state` gives."""

    def __init__(self, config: Any, device: torch.device) -> None:
        self.config = config
        self.device = device
        self.mixed = device.type == "cuda"
        alone = self.mixed and distributed.processes() == 1
        self.captured = CapturedUpdates(device) if alone else None
        self.generator = torch.Generator(device)
        self.network = build(config.policy, config.training.seed).to(device)
        rate = config.training.learning_rate
        # A capture reads the rate anew.
        self.optimizer = self.make_optimizer(torch.tensor(rate, device=device) if alone else rate)

    def make_optimizer(self, rate: float | Tensor) -> torch.optim.Optimizer:
        """Adam; a rate on the device is one that a capture reads."""
        made = torch.optim.Adam(
            self.network.parameters(),
            lr=rate,
            fused=self.mixed,
            capturable=isinstance(rate, Tensor),
        )
        # Its first steps are not captured, and it need not warn of that.
        made._warned_capturable_if_run_uncaptured = True
        return made

    @property
    @abstractmethod
    def exported(self) -> Network:
        """The network to evaluate and to ship."""

    @abstractmethod
    def train_step(self, epoch: int, step: int, done: float) -> Update:
        """Draws the batch of that step and learns from it; `done` is the share of the run."""

    @abstractmethod
    def validate(self, epoch: int) -> Verdict:
        """Judges the network after `epoch` on instances it never learns from."""

    @abstractmethod
    def done(self, step: int, seconds: float) -> float:
        """The share of the whole run that is behind, from 0 to 1."""

    @abstractmethod
    def state(self) -> dict[str, Tensor]:
        """What a checkpoint keeps besides the exported network and the optimiser."""

    @abstractmethod
    def load(self, exported: Mapping[str, Tensor], state: Mapping[str, Tensor]) -> None:
        """Takes over both from a checkpoint."""

    @abstractmethod
    def start(self, weights: Mapping[str, Tensor]) -> None:
        """Begins from these weights instead of random ones."""

    def set_rate(self, rate: float) -> None:
        """The learning rate of the next steps."""
        for group in self.optimizer.param_groups:
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(rate)
            else:
                group["lr"] = rate

    def update(self, kind: Hashable, batch: Record, seed: int, learn: Learn[Record]) -> Figures:
        """What `learn` makes of the batch, captured where that is possible.

        Updates of one `kind` and shape do the same; None stands for those not to be captured.
        `seed` decides a captured one's samples.
        """
        if self.captured is None or kind is None:
            return learn(batch, self.generator, None)[0]
        return self.captured(kind, batch, seed, learn)

    def close(self) -> None:  # noqa: B027
        """Ends what it has started besides, at the end of a run."""

    def descend(self, loss: Tensor, share: float = 1.0) -> Tensor:
        """One step down the gradient of `loss`, averaged over processes; its norm.

        It is clipped to a norm of `share` times the config's. One that is not finite counts as
        zero, and momentum alone moves: a single bad batch must not end hours of training.
        """
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        distributed.average_gradients(self.network)
        clip = share * self.config.training.clip
        norm = nn.utils.clip_grad_norm_(self.network.parameters(), clip)
        lost = ~norm.isfinite()
        for parameter in self.network.parameters():
            if parameter.grad is not None:
                parameter.grad.masked_fill_(lost, 0)
        self.optimizer.step()
        return norm

    def seed(self, *path: int) -> None:
        """Sets the generator by the run's seed, `path` and the process."""
        self.generator.manual_seed(self.number(*path))

    def number(self, *path: int) -> int:
        """A seed from the run's seed, `path` and the process."""
        entropy = (self.config.training.seed, *path, distributed.rank())
        state = np.random.SeedSequence(entropy).generate_state(1, np.uint64)
        return int(state[0]) >> 1


def frozen(network: Network) -> Network:
    """A copy for evaluation, without gradients."""
    return copy.deepcopy(network).eval().requires_grad_(False)
