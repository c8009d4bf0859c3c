"""The training run: epochs of updates, validations, checkpoints, the log."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import torch

from hcvrp.errors import InputError
from hcvrp.training import checkpoint, distributed
from hcvrp.training.checkpoint import Position
from hcvrp.training.learner import BaseLearner, Update, Verdict
from hcvrp.training.log import Display, Lines, Log, Row, refuse_logs
from hcvrp.training.runs import AnyConfig, make_learner
from hcvrp.wording import plural

logger = logging.getLogger(__name__)

LOG_EVERY = 20
"""Steps between two lines of the log."""


@dataclass(frozen=True)
class Limits:
    """When this call ends: at the end of the config's run, or earlier by any of these."""

    epochs: int | None = None
    minutes: float | None = None
    cancel: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        if self.epochs is not None and self.epochs < 0:
            raise InputError(f"epochs must be at least 0, not {self.epochs}")
        if self.minutes is not None and not 0 <= self.minutes < math.inf:
            raise InputError(f"minutes must be a number of at least 0, not {self.minutes}")


def train(
    config: AnyConfig,
    out: Path,
    device: torch.device,
    limits: Limits = Limits(),  # noqa: B008
    *,
    resume: bool = False,
    start: str | Path | None = None,
    show: Display | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> BaseLearner:
    """Trains until a limit is met; the checkpoint is in `out`.

    With `resume` it goes on from the checkpoint there, if there is one; otherwise it begins from
    the weights in `start`, if given. Where it begins unasked, and how it ended, is given to `tell`.
    """
    found = checkpoint.exists(out)
    if found and not resume:
        raise InputError(f"{out} already holds a checkpoint: resume it, or choose another folder")
    if not resume:
        refuse_logs(out)
    elif not found:
        tell(f"there is no checkpoint in {out}: training begins anew")
    learner = make_learner(config, device, None if found else start)
    position = checkpoint.restore(out, learner) if found else Position()
    run = _Run(learner, position, out, limits, show or Lines())
    run.go()
    tell(run.ending())
    return learner


class _Run:
    """One call of `train`: counters and the clock."""

    def __init__(
        self, learner: BaseLearner, position: Position, out: Path, limits: Limits, show: Display
    ) -> None:
        self.learner = learner
        self.training = learner.config.training
        self.step = position.step
        self.before = position.seconds
        self.instances = position.instances
        self.out = out
        self.limits = limits
        self.show = show
        self.first = position.step
        self.start = time.monotonic()
        self.first_done = self.done = self._done()
        self.recent: list[Update] = []
        self.recent_since = self.start

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self.start

    def _done(self) -> float:
        """Asked by all processes together: one clock counts."""
        return self.learner.done(self.step, self.before + self.elapsed)

    @property
    def position(self) -> Position:
        return Position(self.step, self.before + self.elapsed, self.instances)

    def go(self) -> None:
        """Updates until a limit is met, then a last checkpoint."""
        with ExitStack() as stack:
            stack.callback(self.show.close)
            stack.callback(self.learner.close)
            self.log = stack.enter_context(Log(self.out, self.step)) if self._leads() else None
            while self.done < 1 and not self._stop():
                epoch = self.step // self.training.steps
                self.recent.append(self.learner.train_step(epoch, self.step, self.done))
                self.step += 1
                self.done = self._done()
                self.instances += self.recent[-1].instances
                if self.step % self.training.steps == 0:
                    self._close_epoch(epoch)
                elif self.step % LOG_EVERY == 0:
                    self._report(epoch)
            if self.step % self.training.steps and self.step > self.first:
                self._save()  # first: if the rest of the steps diverged, to report it is an error
                if self.recent:
                    self._report(self.step // self.training.steps)

    def ending(self) -> str:
        """How far the run is, and what to do next."""
        if self.step == 0:
            return f"no step is made, and nothing is saved in {self.out}"
        steps = plural(self.step, "step")
        if self.done >= 1:
            return f"{steps}, saved in {self.out}; the run of the config is complete"
        return f"{steps}, saved in {self.out}; --resume goes on"

    def _stop(self) -> bool:
        minutes = self.limits.minutes
        late = minutes is not None and self.elapsed >= 60 * minutes
        epochs = self.limits.epochs
        far = epochs is not None and self.step >= epochs * self.training.steps
        return distributed.agree(late or far or self.limits.cancel.is_set(), self.learner.device)

    def _close_epoch(self, epoch: int) -> None:
        verdict = self.learner.validate(epoch)
        self._report(epoch, verdict)
        if verdict.better and verdict.costs and self._leads():
            checkpoint.save_best(self.out, self.learner, self.position)
        self._save()  # last: it records the best score

    def _save(self) -> None:
        if self._leads():
            checkpoint.save(self.out, self.learner, self.position)

    def _report(self, epoch: int, verdict: Verdict | None = None) -> None:
        cost, baseline, norm, _ = self._figures()
        now = time.monotonic()
        row = Row(
            step=self.step,
            epoch=epoch,
            instances=self.instances,
            seconds=self.before + self.elapsed,
            cost=cost,
            baseline=baseline,
            gradient_norm=norm,
            learning_rate=self.recent[-1].learning_rate,
            instances_per_second=sum(u.instances for u in self.recent) / (now - self.recent_since),
            validation=None if verdict is None else verdict.score,
            baseline_replaced=None if verdict is None else verdict.better,
        )
        self.recent, self.recent_since = [], now
        if self.log is not None:
            self.log.write(row, {} if verdict is None else verdict.costs)
            self.show.show(row, *self._progress())

    def _figures(self) -> list[float]:
        """The means of the updates since the last report; half of them may fail before it ends."""
        seen = torch.stack([torch.stack(update.figures) for update in self.recent])
        sound = seen.isfinite().all(-1, keepdim=True)
        share = float(distributed.mean(sound.float().mean()))
        if share < 0.5:
            raise InputError(
                f"training diverged at step {self.step}: {1 - share:.0%} of the last"
                f" {len(seen)} costs or gradients are not finite;"
                f" lower learning_rate {self.training.learning_rate}"
            )
        if share < 1:
            logger.warning("step %d: %.0f%% of gradients not finite", self.step, 100 * (1 - share))
        means: list[float] = (distributed.mean(seen.where(sound, 0).mean(0)) / share).tolist()
        return means

    def _progress(self) -> tuple[float, float]:
        """The share of this call that is done, and the seconds it has left."""
        rate = (self.done - self.first_done) / max(self.elapsed, 1e-9)
        share, left = self.done, (1 - self.done) / max(rate, 1e-9)
        if self.limits.minutes is not None:
            budget = 60 * self.limits.minutes
            share = max(share, min(1.0, self.elapsed / budget))
            left = min(left, max(0.0, budget - self.elapsed))
        if self.limits.epochs is not None:
            made = self.step - self.first
            due = self.limits.epochs * self.training.steps - self.first
            share = max(share, min(1.0, made / due))
            left = min(left, max(0, due - made) * self.elapsed / made)
        return share, left

    def _leads(self) -> bool:
        return distributed.rank() == 0
