"""Trained policies as methods of `solve`."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

import numpy as np
import torch

from hcvrp.env import collate, solutions
from hcvrp.env.graph import best_advance
from hcvrp.errors import InputError
from hcvrp.generator import paper_fleet
from hcvrp.instance import Instance, Vehicle
from hcvrp.policy.config import Kind
from hcvrp.policy.decoding import Decoding, attempts, decode
from hcvrp.policy.device import find_device
from hcvrp.policy.weights import Description, Weights, describe, locate, read_weights, shipped
from hcvrp.solution import Objective, Solution
from hcvrp.task import Recorder, Result, Task


@dataclass(frozen=True)
class Policy:
    """A trained policy: greedy without `samples`, otherwise the best of so many.

    `augment` shows the network each instance under the eight symmetries of the square. `rows`
    bounds the rollouts in memory at once; `device` is auto, cpu or cuda.
    """

    weights: Weights = field(repr=False)
    samples: int = 0
    augment: bool = False
    rows: int | None = None
    device: str = "auto"

    def __post_init__(self) -> None:
        Decoding(self.samples, self.augment, self.rows)

    @classmethod
    def load(cls, name: str | Path, *, samples: int = 0, augment: bool = False) -> Policy:
        """A shipped policy by name, or one from a file."""
        return cls(_read(locate(name)), samples, augment)

    @property
    def name(self) -> str:
        """The kind of network."""
        return self.weights.description.network.kind

    @property
    def decoding(self) -> Decoding:
        """How this policy decodes."""
        return Decoding(self.samples, self.augment, self.rows)

    def solve(self, task: Task) -> Result:
        """The best rollout, or a given initial solution if that is better.

        The clock is looked at after each group of rollouts; the first group is always made.
        """
        recorder = Recorder(task, self.name)
        fitted, order = self._fitted(task.instance)
        device = find_device(self.device)
        batch = collate([fitted])
        candidates = list(task.initial)
        made = 0
        with _threads(task.threads):
            for best in attempts(
                self.weights.network.to(device),
                batch.to(device),
                task.objective,
                self.decoding,
                seed=task.seed,
                advance=best_advance(device),
            ):
                answer = solutions(batch, best.actions.to("cpu"))[0]
                candidates.append(_reordered(answer, order))
                cost = recorder.improved(candidates[-1], made)
                made += 1
                if task.stop.reached(seconds=recorder.seconds, iteration=made, cost=cost):
                    break
        return recorder.result(min(candidates, key=task.cost), made)

    def solve_many(
        self, instances: Sequence[Instance], objective: Objective | str, seed: int = 0
    ) -> list[Solution]:
        """The best rollout of each instance, all encoded and decoded together."""
        pairs = [self._fitted(instance) for instance in instances]
        device = find_device(self.device)
        batch = collate([fitted for fitted, _ in pairs])
        best = decode(
            self.weights.network.to(device),
            batch.to(device),
            Objective.parse(objective),
            self.decoding,
            seed=seed,
            advance=best_advance(device),
        )
        answers = solutions(batch, best.actions.to("cpu"))
        return [_reordered(a, order) for a, (_, order) in zip(answers, pairs, strict=True)]

    def _fitted(self, instance: Instance) -> tuple[Instance, list[int]]:
        description = self.weights.description
        network, fleet = description.network, len(instance.vehicles)
        if network.kind == "paper" and network.vehicles != fleet:
            raise InputError(
                f"policy {self.weights.path.stem} is for {network.vehicles} vehicles,"
                f" the instance has {fleet}"
            )
        return fitted(instance, description)


@dataclass(frozen=True)
class Shipped:
    """The shipped policy that suits the task: its objective, its fleet, the nearest size."""

    samples: int = 0
    augment: bool = False
    rows: int | None = None
    device: str = "auto"

    kind: ClassVar[Kind]

    def __post_init__(self) -> None:
        Decoding(self.samples, self.augment, self.rows)

    @property
    def name(self) -> str:
        """The kind of network."""
        return self.kind

    def solve(self, task: Task) -> Result:
        """The answer of the policy that suits the task."""
        return self._suited(task.instance, task.objective).solve(task)

    def solve_many(
        self, instances: Sequence[Instance], objective: Objective | str, seed: int = 0
    ) -> list[Solution]:
        """The answers of the policy that suits the first instance, all decoded together."""
        return self._suited(instances[0], Objective.parse(objective)).solve_many(
            instances, objective, seed
        )

    def _suited(self, instance: Instance, objective: Objective) -> Policy:
        weights = _read(choose(self.kind, instance, objective))
        return Policy(weights, self.samples, self.augment, self.rows, self.device)


@dataclass(frozen=True)
class Paper(Shipped):
    """The paper's policy (Li et al. 2021), one network per fleet size and objective."""

    kind: ClassVar[Kind] = "paper"


@dataclass(frozen=True)
class Fleet(Shipped):
    """One network for any fleet, any size and both objectives."""

    kind: ClassVar[Kind] = "fleet"


@dataclass(frozen=True)
class AttentionModel(Shipped):
    """The attention model (Kool et al. 2019) with vehicles by turns."""

    kind: ClassVar[Kind] = "am"


def choose(kind: Kind, instance: Instance, objective: Objective) -> Path:
    """The shipped weights that suit best, or an InputError that says which there are."""
    fleet = len(instance.vehicles)
    known = {path: describe(path) for path in shipped().values()}
    known = {path: d for path, d in known.items() if d.network.kind == kind}
    suited = {
        path: d
        for path, d in known.items()
        if objective in d.objectives and (kind != "paper" or d.network.vehicles == fleet)
    }
    if not suited:
        listed = ", ".join(f"{d.network.vehicles} vehicles {d.objective}" for d in known.values())
        raise InputError(
            f"no {kind} weights for {fleet} vehicles and {objective}; there are some for:"
            f" {listed or 'nothing yet'}"
        )
    return min(
        suited,
        key=lambda path: (
            abs(suited[path].network.vehicles - fleet),
            abs(suited[path].customers - instance.size),
        ),
    )


def fitted(instance: Instance, description: Description) -> tuple[Instance, list[int]]:
    """The instance in the units and the vehicle order that the network was trained with.

    The largest capacity and the highest speed become those of the training fleet and the
    vehicles go from small to large, so an answer does not depend on the unit of demand or of
    time nor on the order of the fleet. The second value says which vehicle each one was. The
    `fleet` network sees neither units nor order: it takes instances as they are.
    """
    vehicles = instance.vehicles
    if description.objective is None:
        return instance, list(range(len(vehicles)))
    order = sorted(range(len(vehicles)), key=lambda v: (vehicles[v].capacity, -vehicles[v].speed))
    trained = paper_fleet(description.network.vehicles, description.objective)
    load = max(v.capacity for v in trained) / max(v.capacity for v in vehicles)
    pace = max(v.speed for v in trained) / max(v.speed for v in vehicles)
    if load == 1 and pace == 1 and order == list(range(len(vehicles))):
        return instance, order
    points = instance.coordinates
    fleet = [Vehicle(vehicles[v].capacity * load, vehicles[v].speed * pace) for v in order]
    return Instance(
        np.asarray(instance.demands) * load,
        fleet,
        depot=None if points is None else points[0],
        customers=None if points is None else points[1:],
        distances=instance.matrix,
        metric=instance.metric,
    ), order


def _reordered(solution: Solution, order: list[int]) -> Solution:
    routes = dict(zip(order, solution.routes, strict=True))
    return Solution(routes[vehicle] for vehicle in range(len(order)))


_reading = threading.Lock()


def _read(path: Path) -> Weights:
    """The weights in `path`, read once for as long as the file stays the same."""
    with _reading:
        return _read_once(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=8)
def _read_once(path: Path, _: int) -> Weights:
    return read_weights(path)


@contextmanager
def _threads(count: int) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
