"""Networks of every kind by torch, on a CPU or a GPU."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count, takewhile
from pathlib import Path

import numpy as np
import torch

from hcvrp.env import collate, solutions
from hcvrp.env.batch import room
from hcvrp.env.graph import best_advance
from hcvrp.errors import InputError
from hcvrp.generator import paper_fleet
from hcvrp.instance import SMALLEST, Instance, Vehicle
from hcvrp.policy.decoding import attempts, decode
from hcvrp.policy.device import find_device
from hcvrp.policy.fleet.fused import fastest
from hcvrp.policy.grouping import alike
from hcvrp.policy.settings import Decoding
from hcvrp.policy.step import quick_step
from hcvrp.policy.weights import Weights, read_weights
from hcvrp.policy.weights_file import Description
from hcvrp.solution import Objective, Solution
from hcvrp.task import Recorder, Result, Stop, Task


@dataclass(frozen=True)
class TorchEngine:
    """A network and the device that runs it, on a GPU with large products in bfloat16."""

    weights: Weights
    device: str = "auto"

    @classmethod
    def load(cls, path: Path) -> TorchEngine:
        """The network in a weights file."""
        return cls(read_weights(path))

    def on(self, device: str) -> TorchEngine:
        """The same network on another device."""
        return replace(self, device=device)

    def answer(self, task: Task, decoding: Decoding) -> Result:
        """The best rollout, or a given initial solution if that is better.

        Iterations are rollouts. The clock is looked at after each group of them; the first group is
        always made.
        """
        recorder = Recorder(task, self.weights.description.network.kind)
        fitted, order = self._fitted(task.instance)
        device = find_device(self.device)
        batch = collate([fitted], device=device)
        candidates: list[Solution] = []
        made = 0
        with _threads(task.threads):
            for best in attempts(
                self.weights.network.to(device),
                batch,
                task.objective,
                decoding,
                seed=task.seed,
                advance=fastest(best_advance(device, quick_step), device),
                mixed=device.type == "cuda",
            ):
                answer = solutions(batch, best.actions)[0]
                candidates.append(_reordered(answer, order))
                cost = recorder.improved(candidates[-1], made)
                made += best.rollouts
                if task.stop.reached(seconds=recorder.seconds, iteration=made, cost=cost):
                    break
        return recorder.result(min(candidates, key=task.cost), made)

    def answer_many(
        self,
        instances: Sequence[Instance],
        objective: Objective,
        decoding: Decoding,
        *,
        seed: int = 0,
        threads: int | None = None,
        stop: Stop | None = None,
        mixed: bool = True,
    ) -> list[Solution]:
        """The best rollout of each instance, those of similar sizes decoded together.

        Of `stop` only `cancel` counts: it is heard between two pieces of a batch. Without `mixed`
        all products are in full precision.
        """
        pairs = [self._fitted(instance) for instance in instances]
        cancelled = (stop or Stop()).cancel.is_set
        found: dict[int, Solution] = {}
        with _threads(threads):
            for group in alike([instance.size for instance in instances]):
                if found and cancelled():
                    break
                fits = [pairs[number][0] for number in group]
                answers = self._together(fits, objective, decoding, seed, mixed, cancelled)
                found |= zip(group, answers, strict=False)
        return [_reordered(found[k], pairs[k][1]) for k in takewhile(found.__contains__, count())]

    def _together(
        self,
        instances: Sequence[Instance],
        objective: Objective,
        decoding: Decoding,
        seed: int,
        mixed: bool,
        cancelled: Callable[[], bool],
    ) -> list[Solution]:
        """The best rollout of each, or of the first ones, as one batch."""
        device = find_device(self.device)
        batch = collate(instances, device=device)
        best = decode(
            self.weights.network.to(device),
            batch,
            objective,
            decoding,
            seed=seed,
            advance=fastest(best_advance(device, quick_step), device),
            mixed=mixed and device.type == "cuda",
            cancelled=cancelled,
        )
        return solutions(batch.rows(0, len(best.cost)), best.actions)

    def _fitted(self, instance: Instance) -> tuple[Instance, list[int]]:
        description = self.weights.description
        network, fleet = description.network, len(instance.vehicles)
        if network.kind == "paper" and network.vehicles != fleet:
            raise InputError(
                f"policy {self.weights.path.stem} is for {network.vehicles} vehicles,"
                f" the instance has {fleet}"
            )
        return fitted(instance, description)


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
    load = _factor([v.capacity for v in vehicles], max(v.capacity for v in trained))
    pace = _factor([v.speed for v in vehicles], max(v.speed for v in trained))
    if load == 1 and pace == 1 and order == list(range(len(vehicles))):
        return instance, order
    points = instance.coordinates
    fleet = [Vehicle(vehicles[v].capacity * load, vehicles[v].speed * pace) for v in order]
    most = room(max(v.capacity for v in fleet))  # rounding must leave every customer a vehicle
    return Instance(
        np.minimum(np.asarray(instance.demands) * load, most),
        fleet,
        depot=None if points is None else points[0],
        customers=None if points is None else points[1:],
        distances=instance.matrix,
        metric=instance.metric,
    ), order


def _factor(figures: list[float], largest: float) -> float:
    """By what the largest becomes `largest`; 1 if the smallest would be nothing then."""
    factor = largest / max(figures)
    return factor if min(figures) * factor >= SMALLEST else 1.0


def _reordered(solution: Solution, order: list[int]) -> Solution:
    routes = dict(zip(order, solution.routes, strict=True))
    return Solution(routes[vehicle] for vehicle in range(len(order)))


@contextmanager
def _threads(count: int | None) -> Iterator[None]:
    """At most so many threads for a while; None changes nothing."""
    before = torch.get_num_threads()
    torch.set_num_threads(count or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)
