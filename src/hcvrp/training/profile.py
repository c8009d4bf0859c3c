"""`python -m hcvrp.training.profile`: how long each part of an update takes."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import torch
import typer

from hcvrp.env import cost, log_prob
from hcvrp.errors import InputError
from hcvrp.policy.device import find_device
from hcvrp.policy.network import detached
from hcvrp.training.config import Config
from hcvrp.training.reinforce import Learner


def profile(config: Config, device: torch.device, steps: int) -> dict[str, float]:
    """Mean milliseconds of each part of an update and of the whole, after a warm-up."""
    learner = Learner(config, device)
    seconds: dict[str, float] = {}
    warm = max(2, steps // 5)
    for number in range(-warm, steps):
        timed = _Timer(device, seconds if number >= 0 else {})
        parts(learner, number + warm, timed)
    after = config.training.warmup
    for number in range(-warm, steps):
        timed = _Timer(device, seconds if number >= 0 else {})
        timed("whole", partial(learner.train_step, after, number + warm))
    return {name: 1000 * total / steps for name, total in seconds.items()}


def parts(learner: Learner, step: int, timed: Callable[[str, Callable[[], Any]], Any]) -> None:
    """The parts of `Learner.learn`, one after another, without the optimiser's step."""
    training, objective = learner.config.training, learner.config.problem.objective
    learner.network.train()
    learner.generator.manual_seed(step)
    batch = timed("draw", lambda: learner.world.draw(training.batch, learner.generator))
    decoder = timed("encode", lambda: learner.network.encode(batch, mixed=learner.mixed))
    outcome, baseline = timed(
        "rollouts",
        lambda: learner.baseline.play(batch, detached(decoder), learner.generator, training.warmup),
    )
    advantage = cost(outcome.times, objective) - baseline
    score = timed("log_prob", lambda: log_prob(batch, decoder, outcome.actions))
    timed("backward", lambda: (advantage * score).mean().backward())
    learner.optimizer.zero_grad()


class _Timer:
    def __init__(self, device: torch.device, seconds: dict[str, float]) -> None:
        self.device = device
        self.seconds = seconds

    def __call__(self, name: str, work: Callable[[], Any]) -> Any:
        self._wait()
        start = time.perf_counter()
        result = work()
        self._wait()
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start
        return result

    def _wait(self) -> None:
        if self.device.type == "cuda":
            torch.cuda.synchronize()


def main(
    config: Annotated[Path, typer.Option(help="TOML file: what to train and how.")],
    steps: Annotated[int, typer.Option(help="Updates to time.")] = 50,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda or cuda:0.")] = "auto",
) -> None:
    """Prints milliseconds per part of an update, and instances per second."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        setting = Config.read(config)
        result = profile(setting, find_device(device), steps)
    except InputError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(2) from None
    for name, milliseconds in result.items():
        typer.echo(f"{name:10s} {milliseconds:9.2f} ms")
    rate = setting.training.batch / result["whole"] * 1000
    typer.echo(f"{rate:,.0f} instances/s at batch {setting.training.batch}")


if __name__ == "__main__":
    typer.run(main)
