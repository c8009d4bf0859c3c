"""`python -m hcvrp.training.profile`: how long each part of an update takes."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import torch
import typer

from hcvrp.env import cost, log_prob, rollout
from hcvrp.errors import InputError
from hcvrp.policy.device import find_device
from hcvrp.policy.fleet.fused import FusedAdvance
from hcvrp.policy.network import detached
from hcvrp.solution import Objective
from hcvrp.training.advantage import advantages
from hcvrp.training.captured import REHEARSALS
from hcvrp.training.config import check_least
from hcvrp.training.fleet_config import Shape
from hcvrp.training.learner import BaseLearner
from hcvrp.training.reinforce import Learner
from hcvrp.training.runs import AnyConfig, make_learner, read_config
from hcvrp.training.sampling import Lesson, SampleLearner

Timed = Callable[[str, Callable[[], Any]], Any]
Work = Callable[[int, Timed], Any]


def profile(config: AnyConfig, device: torch.device, steps: int) -> Iterator[str]:
    """Lines: mean milliseconds of each part of an update and of the whole, and the rate.

    A `fleet` run is timed shape by shape, on CUDA without and with its fused kernels.
    """
    learner = make_learner(config, device)
    if isinstance(learner, Learner):
        yield from _profile_paper(learner, steps)
    elif isinstance(learner, SampleLearner):
        for shape in dict.fromkeys(s for p in learner.config.phases for s in p.shapes):
            for one in _both(learner):
                yield from _profile_shape(one, shape, steps)


def _both(learner: SampleLearner) -> Iterator[SampleLearner]:
    """One that does without the fused kernels, for comparison, and the learner itself."""
    config = learner.config
    if config.training.fused and learner.device.type == "cuda":
        plain = replace(config, training=replace(config.training, fused=False))
        yield SampleLearner(plain, learner.device)
    yield learner


def _profile_paper(learner: Learner, steps: int) -> Iterator[str]:
    training = learner.config.training
    whole = partial(learner.train_step, training.warmup)
    found = _measure(learner, partial(_paper_parts, learner), whole, steps)
    yield from _lines(found, f"instances/s at batch {training.batch}", training.batch)


def _profile_shape(learner: SampleLearner, shape: Shape, steps: int) -> Iterator[str]:
    training = learner.config.training
    lesson = Lesson(shape, Objective.MIN_MAX, tuple(range(training.views)), 0.0)
    parts = partial(_sample_parts, learner, lesson)
    found = _measure(learner, parts, partial(learner.teach, lesson, rate=0.0), steps)
    kernels = ", fused" if isinstance(learner.advance, FusedAdvance) else ""
    yield f"{shape.customers} customers, up to {max(shape.vehicles)} vehicles{kernels}"
    what = f"rollouts/s at batch {shape.batch} × {training.samples}"
    yield from _lines(found, what, shape.batch * training.samples)


def _measure(
    learner: BaseLearner, parts: Work, whole: Callable[[int], Any], steps: int
) -> dict[str, float]:
    """Mean milliseconds by part, after a warm-up."""
    seconds: dict[str, float] = {}
    warm = max(REHEARSALS + 2, steps // 5)
    for work in (parts, lambda number, timed: timed("whole", partial(whole, number))):
        for number in range(-warm, steps):
            work(number + warm, _Timer(learner.device, seconds if number >= 0 else {}))
    return {name: 1000 * total / steps for name, total in seconds.items()}


def _paper_parts(learner: Learner, step: int, timed: Timed) -> None:
    """The parts of `Learner.learn`, one after another, without the optimiser's step.

    Rollouts go by captured chunks here, the others kernel by kernel; the whole is captured.
    """
    training, objective = learner.config.training, learner.config.problem.objective
    learner.network.train()
    learner.generator.manual_seed(step)
    batch = timed("draw", lambda: learner.world.draw(training.batch, learner.generator))
    encode = partial(learner.network.encode, batch, objective, mixed=learner.mixed)
    decoder = timed("encode", encode)
    outcome, baseline = timed(
        "rollouts",
        lambda: learner.baseline.play(batch, detached(decoder), learner.generator, training.warmup),
    )
    advantage = cost(outcome.times, objective) - baseline
    score = timed("log_prob", lambda: log_prob(batch, decoder, outcome.actions, learner.all_steps))
    timed("backward", lambda: (advantage * score).mean().backward())
    learner.optimizer.zero_grad()


def _sample_parts(learner: SampleLearner, lesson: Lesson, step: int, timed: Timed) -> None:
    """The parts of `SampleLearner.learn`, likewise."""
    training = learner.config.training
    samples = training.samples // training.views
    learner.network.train()
    learner.generator.manual_seed(step)
    batch = timed("draw", lambda: learner.draw(lesson))
    encode = partial(learner.network.encode, batch, lesson.objective, mixed=learner.mixed)
    decoder = timed("encode", encode)
    outcome = timed(
        "rollouts",
        lambda: rollout(batch, detached(decoder), samples, learner.generator, learner.advance),
    )
    costs = cost(outcome.times, lesson.objective)
    advantage = advantages(costs.view(training.views, -1, samples)).flatten(0, 1)
    score = timed("log_prob", lambda: log_prob(batch, decoder, outcome.actions, learner.all_steps))
    timed("backward", lambda: (advantage * score).mean().backward())
    learner.optimizer.zero_grad()


def _lines(milliseconds: dict[str, float], what: str, rollouts: int) -> Iterator[str]:
    for name, value in milliseconds.items():
        yield f"{name:10s} {value:9.2f} ms"
    yield f"{rollouts / milliseconds['whole'] * 1000:,.0f} {what}"


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
    """Prints milliseconds per part of an update, and instances or rollouts per second."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        check_least(1, steps, "--steps")
        for line in profile(read_config(config), find_device(device), steps):
            typer.echo(line)
    except InputError as error:
        typer.echo(f"hcvrp: {error}", err=True)
        raise typer.Exit(2) from None


if __name__ == "__main__":
    typer.run(main)
