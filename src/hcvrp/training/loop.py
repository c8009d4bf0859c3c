"""The training run: epochs of updates, the baseline's challenges, checkpoints, the log."""

from __future__ import annotations

import math
import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import torch

from hcvrp.errors import InputError
from hcvrp.training import checkpoint, distributed
from hcvrp.training.checkpoint import Position
from hcvrp.training.config import Config
from hcvrp.training.log import Display, Lines, Log, Row
from hcvrp.training.reinforce import Learner, Update

LOG_EVERY = 20
"""Steps between two lines of the log."""


@dataclass(frozen=True)
class Limits:
    """When this call ends: at the config's last epoch, or earlier by any of these."""

    epochs: int | None = None
    minutes: float | None = None
    cancel: threading.Event = field(default_factory=threading.Event)


def train(
    config: Config,
    out: Path,
    device: torch.device,
    limits: Limits = Limits(),  # noqa: B008
    *,
    resume: bool = False,
    show: Display | None = None,
) -> Learner:
    """Trains by Algorithm 1 of Li et al. 2021 until a limit is met; the checkpoint is in `out`.

    With `resume` it goes on from the checkpoint there, if there is one.
    """
    if checkpoint.exists(out) and not resume:
        raise InputError(f"{out} already holds a checkpoint: resume it, or choose another folder")
    learner = Learner(config, device)
    position = checkpoint.restore(out, learner) if checkpoint.exists(out) else Position()
    run = _Run(learner, position, out, limits, show or Lines())
    run.go()
    return learner


class _Run:
    """One call of `train`: counters and the clock."""

    def __init__(
        self, learner: Learner, position: Position, out: Path, limits: Limits, show: Display
    ) -> None:
        self.learner = learner
        self.training = learner.config.training
        self.step = position.step
        self.before = position.seconds
        self.out = out
        self.limits = limits
        self.show = show
        self.first = position.step
        epochs = min(self.training.epochs, limits.epochs or self.training.epochs)
        self.last = epochs * self.training.steps
        self.start = time.monotonic()
        self.recent: list[Update] = []
        self.recent_since = self.start

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self.start

    def go(self) -> None:
        """Updates until a limit is met, then a last checkpoint."""
        with ExitStack() as stack:
            stack.callback(self.show.close)
            self.log = stack.enter_context(Log(self.out, self.step)) if self._leads() else None
            while self.step < self.last and not self._stop():
                epoch = self.step // self.training.steps
                self.recent.append(self.learner.train_step(epoch, self.step))
                self.step += 1
                if self.step % self.training.steps == 0:
                    validation, replaced = self.learner.validate(epoch)
                    self._report(epoch, validation, replaced)
                    self._save()
                elif self.step % LOG_EVERY == 0:
                    self._report(epoch)
            if self.step % self.training.steps and self.step > self.first:
                self._save()

    def _stop(self) -> bool:
        minutes = self.limits.minutes
        late = minutes is not None and self.elapsed >= 60 * minutes
        return distributed.agree(late or self.limits.cancel.is_set(), self.learner.device)

    def _save(self) -> None:
        if self._leads():
            position = Position(self.step, self.before + self.elapsed)
            checkpoint.save(self.out, self.learner, position)

    def _report(
        self, epoch: int, validation: float | None = None, replaced: bool | None = None
    ) -> None:
        seen = torch.stack(
            [torch.stack([u.cost, u.baseline, u.gradient_norm]) for u in self.recent]
        )
        cost, baseline, norm = distributed.mean(seen.mean(0)).tolist()
        if not math.isfinite(cost + norm):
            raise InputError(
                f"training diverged at step {self.step}: cost {cost}, gradient norm {norm};"
                f" lower learning_rate {self.training.learning_rate}"
            )
        now = time.monotonic()
        row = Row(
            step=self.step,
            epoch=epoch,
            instances=self.step * self.training.batch,
            seconds=self.before + self.elapsed,
            cost=cost,
            baseline=baseline,
            gradient_norm=norm,
            learning_rate=self.learner.learning_rate(epoch),
            instances_per_second=len(self.recent) * self.training.batch / (now - self.recent_since),
            validation=validation,
            baseline_replaced=replaced,
        )
        self.recent, self.recent_since = [], now
        if self.log is not None:
            self.log.write(row)
            self.show.show(row, *self._progress())

    def _progress(self) -> tuple[float, float]:
        """The share of this call that is done, and the seconds it has left."""
        share = self.step / self.last
        rate = (self.step - self.first) / max(self.elapsed, 1e-9)
        left = (self.last - self.step) / rate
        if self.limits.minutes is not None:
            budget = 60 * self.limits.minutes
            share = max(share, min(1.0, self.elapsed / budget))
            left = min(left, max(0.0, budget - self.elapsed))
        return share, left

    def _leads(self) -> bool:
        return distributed.rank() == 0
