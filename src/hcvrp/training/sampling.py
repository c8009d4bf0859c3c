"""The `fleet` policy's updates: many samples of each instance, their mean as the baseline."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from hcvrp.env import Batch, Decoder, Following, Outcome, Trips, cost, log_prob, rollout
from hcvrp.env.graph import lasting_advance
from hcvrp.env.log_prob import ROUNDED, count_departures, steps_scored
from hcvrp.env.mixed_world import MixedWorld
from hcvrp.env.tensors import stacked
from hcvrp.policy.decoding import Best, decode, symmetric
from hcvrp.policy.fleet.encoder import deepened
from hcvrp.policy.fleet.fused import fastest
from hcvrp.policy.fleet.scales import scales
from hcvrp.policy.network import Network, detached
from hcvrp.policy.settings import SYMMETRIES, Decoding
from hcvrp.solution import Objective
from hcvrp.training import distributed
from hcvrp.training.advantage import advantages
from hcvrp.training.captured import Figures, Sizes
from hcvrp.training.fleet_config import FleetConfig, Shape, held_out
from hcvrp.training.imitation import Example, Exercise, Tutor, require_search
from hcvrp.training.learner import BaseLearner, Update, Verdict, frozen
from hcvrp.training.muon import Muon

HELD_OUT = 715_225_739
"""Part of the seeds of validation instances, and of no others."""


@dataclass(frozen=True)
class Lesson:
    """What a step draws before its instances."""

    shape: Shape
    objective: Objective
    views: tuple[int, ...]
    leader: float
    imitation: float = 0.0


class SampleLearner(BaseLearner):
    """The network, the running average of its weights, and its optimiser."""

    companion: ClassVar[str] = "network"
    config: FleetConfig

    def __init__(self, config: FleetConfig, device: torch.device) -> None:
        if any(phase.imitation > 0 for phase in config.phases):
            require_search()
        super().__init__(config, device)
        self.average = frozen(self.network)
        self.tutor = Tutor(config.training.search_iterations)
        self.best = math.inf
        self.advance = lasting_advance(device)
        if config.training.fused:
            self.advance = fastest(self.advance, device)
        self.all_steps = steps_scored(device, compiled=config.training.compiled)

    def make_optimizer(self, rate: float | Tensor) -> torch.optim.Optimizer:
        """The one that the config names."""
        if self.config.training.optimizer == "muon":
            return Muon(self.network.parameters(), rate)
        return super().make_optimizer(rate)

    @property
    def exported(self) -> Network:
        """The averaged weights."""
        return self.average

    def done(self, step: int, seconds: float) -> float:
        """By the updates that the config asks for, or else by the clock."""
        training = self.config.training
        if training.updates:
            return min(1.0, step / training.updates)
        share = seconds / (60 * training.minutes)
        return min(1.0, distributed.told(share, self.device))

    def learning_rate(self, step: int, done: float) -> float:
        """A linear rise by updates, a cosine over the run (Loshchilov & Hutter 2017)."""
        training = self.config.training
        rise = min(1.0, (step + 1) / (training.warmup + 1))
        fall = (1 + math.cos(math.pi * done)) / 2
        return rise * (training.last_rate + (training.learning_rate - training.last_rate) * fall)

    def lesson(self, step: int, done: float) -> Lesson:
        """Shape, objective (by turns) and symmetries of a step, the same in all processes."""
        training, phase = self.config.training, self.config.phase(done)
        rng = np.random.default_rng((training.seed, step))
        views = rng.permutation(SYMMETRIES)[: training.views]
        return Lesson(
            shape=phase.pick(rng.random()),
            objective=list(Objective)[step % 2],
            views=tuple(int(v) for v in views),
            leader=phase.leader,
            imitation=phase.imitation,
        )

    def draw(self, lesson: Lesson) -> Batch:
        """The instances of a step, once for each symmetry, one view after the other."""
        count = distributed.share(lesson.shape.batch, "shape batch")
        batch = self._world(lesson).draw(count, self.generator)
        return stacked([symmetric(batch, view) for view in lesson.views])

    def _world(self, lesson: Lesson) -> MixedWorld:
        shape, clustered = lesson.shape, self.config.training.clustered
        return MixedWorld(shape.customers, shape.vehicles, lesson.objective, clustered)

    def train_step(self, epoch: int, step: int, done: float) -> Update:  # noqa: ARG002
        """Draws the batch of that step and learns from it."""
        lesson = self.lesson(step, done)
        update = self.teach(lesson, step, self.learning_rate(step, done))
        if lesson.imitation > 0 and step % self.config.training.imitate_every == 0:
            self.imitate(lesson, step)
        return update

    def teach(self, lesson: Lesson, step: int, rate: float) -> Update:
        """One update, captured where that is possible."""
        self.seed(step, 0)
        batch = self.draw(lesson)
        self.set_rate(rate)
        kind = (lesson.objective, lesson.leader)
        figures = self.update(kind, batch, self.number(step, 2), partial(self.learn, lesson))
        self._follow(step)
        return Update(figures, rate, lesson.shape.batch)

    def learn(
        self,
        lesson: Lesson,
        batch: Batch,
        generator: torch.Generator,
        sizes: Sizes | None = None,
    ) -> tuple[Figures, Sizes]:
        """Samples, compares the samples with each other, updates."""
        training, objective = self.config.training, lesson.objective
        decoder, outcome = self._play(
            batch, objective, training.samples // training.views, generator, sizes
        )
        costs = cost(outcome.times, objective)
        views = costs.view(training.views, -1, costs.shape[1])
        advantage = advantages(views, lesson.leader).flatten(0, 1)
        departures = None if sizes is None else sizes.departures
        score = log_prob(batch, decoder, outcome.actions, self.all_steps, departures)
        lost = advantage.isnan() | score.isnan()  # too many steps, or departures
        taught = advantage.masked_fill(lost, 0) * score.masked_fill(lost, 0)  # 0 · NaN is NaN
        norm = self.descend(taught.mean())
        relative = relative_cost(batch, costs, objective).nanmean()
        figures = Figures(relative, relative, norm, lost.float().mean())
        return figures, sizes or self._sizes(batch, decoder, outcome)

    def _play(
        self,
        batch: Batch,
        objective: Objective,
        samples: int,
        generator: torch.Generator,
        sizes: Sizes | None,
        plan: Trips | None = None,
    ) -> tuple[Decoder, Outcome]:
        """The batch encoded with gradients, and rollouts without; of given plans if there are."""
        self.network.train()
        decoder = self.network.encode(batch, objective, mixed=self.mixed)
        player: Decoder = detached(decoder)
        if plan is not None:
            player = Following(player, plan)
        steps = None if sizes is None else sizes.steps
        outcome = rollout(batch, player, samples, generator, self.advance, steps=steps)
        return decoder, outcome

    def imitate(self, lesson: Lesson, step: int) -> None:
        """Learns from the examples that are ready, and hands in the next exercise."""
        example = self.tutor.hand_back()
        self.tutor.begin()
        if example is not None:
            self.update("imitation", example, self.number(step, 4), self.copy)
            self._follow(step)
        objective = list(Objective)[step // self.config.training.imitate_every % 2]
        lesson = replace(lesson, objective=objective)
        self.seed(step, 3)
        share = self.config.training.imitated / distributed.processes()
        count = math.ceil(share * lesson.shape.batch)
        batch = symmetric(self._world(lesson).draw(count, self.generator), lesson.views[0])
        seed = self.number(step, 5)
        samples = Decoding(self.config.training.samples, temperature=1.0)
        best = self._decoded(batch, objective, samples, seed)
        self.tutor.hand_in(Exercise(batch, best.actions, objective, lesson.imitation, seed))

    def copy(
        self, example: Example, generator: torch.Generator, sizes: Sizes | None = None
    ) -> tuple[Figures, Sizes]:
        """Makes the examples likelier, built in an order that the policy itself prefers.

        The gradient of −log π is so much steeper than that of `learn` that it is always clipped:
        the norm it is clipped to says how much it counts.
        """
        batch, objective = example.batch, example.objective
        decoder, outcome = self._play(batch, objective, 1, generator, sizes, example.plan)
        costs = cost(outcome.times, objective)
        departures = None if sizes is None else sizes.departures
        score = log_prob(batch, decoder, outcome.actions, departures=departures)
        lost = costs.isnan() | score.isnan()
        norm = self.descend(-score.masked_fill(lost, 0).mean(), example.weight)
        relative = relative_cost(batch, costs, objective).nanmean()
        figures = Figures(relative, relative, norm, lost.float().mean())
        return figures, sizes or self._sizes(batch, decoder, outcome)

    def close(self) -> None:
        """Ends the searches."""
        self.tutor.close()

    @torch.no_grad()
    def _sizes(self, batch: Batch, decoder: Decoder, outcome: Outcome) -> Sizes:
        """What these rollouts took, with some room for departures."""
        departures = 0
        if self.captured is not None and self.captured.rehearsing and decoder.trips:
            departures = count_departures(batch, decoder, outcome.actions) + ROUNDED
        return Sizes(outcome.actions.node.shape[2], departures)

    @torch.no_grad()
    def validate(self, epoch: int) -> Verdict:  # noqa: ARG002
        """Greedy costs of the averaged weights by set, and their mean in units of time scales.

        Examples under way are let go: a checkpoint does not keep them.
        """
        self.tutor.let_go()
        costs, scores = {}, []
        for name in self.config.training.sets:
            for objective in Objective:
                batch = self._held_out(name, objective)
                found = self._decoded(batch, objective, Decoding()).cost[:, None]
                costs[f"{name} {objective}"] = float(found.mean())
                scores.append(float(relative_cost(batch, found, objective).mean()))
        if (gain := self.tutor.gain()) is not None:
            costs["gain of the search"] = gain
        score = sum(scores) / len(scores)
        better = score < self.best
        self.best = min(score, self.best)
        return Verdict(score, better, costs)

    def state(self) -> dict[str, Tensor]:
        """The network as it learns, and the best score."""
        return {**self.network.state_dict(), "best": torch.tensor(self.best, dtype=torch.float64)}

    def load(self, exported: Mapping[str, Tensor], state: Mapping[str, Tensor]) -> None:
        """Network, average and best score from a checkpoint."""
        kept = dict(state)
        self.best = float(kept.pop("best"))
        self.network.load_state_dict(kept)
        self.average.load_state_dict(dict(exported))

    def start(self, weights: Mapping[str, Tensor]) -> None:
        """Network and average begin from these weights, which may be of fewer layers."""
        whole = deepened(weights, self.network.state_dict())
        self.network.load_state_dict(whole)
        self.average.load_state_dict(whole)

    @torch.no_grad()
    def _follow(self, step: int) -> None:
        """Average ← β average + (1 − β) weights; β is smaller at first, so no start lingers."""
        weight = min(self.config.training.average, (1 + step) / (10 + step))
        torch._foreach_lerp_(
            list(self.average.parameters()), list(self.network.parameters()), 1 - weight
        )

    def _decoded(
        self, batch: Batch, objective: Objective, decoding: Decoding, seed: int = 0
    ) -> Best:
        """The best rollouts of the averaged weights."""
        return decode(
            self.average,
            batch,
            objective,
            decoding,
            seed=seed,
            advance=self.advance,
            mixed=self.mixed,
        )

    def _held_out(self, name: str, objective: Objective) -> Batch:
        number = self.config.training.sets.index(name)
        generator = torch.Generator(self.device).manual_seed(HELD_OUT + number)
        return held_out(name, objective).draw(self.config.training.validation, generator)


def relative_cost(batch: Batch, costs: Tensor, objective: Objective) -> Tensor:
    """Costs (B, L) by the instance's unit of time, and by the fleet's where times are added."""
    unit = scales(batch).time
    if objective is Objective.MIN_SUM:
        unit = unit * batch.fitted.sum(-1, keepdim=True)
    return costs / unit
