"""Plans made better by a short search, many in one go: what a worker process does for training."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import NamedTuple

from hcvrp.instance import Instance
from hcvrp.search.sisr import Sisr
from hcvrp.solution import Objective, Solution
from hcvrp.task import Stop, Task


@dataclass(frozen=True)
class Drafts:
    """Instances, a plan of each, and how far to search from it."""

    instances: tuple[Instance, ...]
    plans: tuple[Solution, ...]
    objective: Objective
    iterations: int
    seed: int


class Improved(NamedTuple):
    """A plan, and the share of its draft's cost that it saves."""

    solution: Solution
    gain: float


def improve(drafts: Drafts, cancel: threading.Event) -> list[Improved]:
    """For each instance a plan that is at least as good as its draft."""
    stop = Stop(iterations=drafts.iterations, cancel=cancel)
    found = []
    for instance, plan in zip(drafts.instances, drafts.plans, strict=True):
        task = Task(instance, drafts.objective, stop, drafts.seed, (plan,))
        result = Sisr().solve(task)
        found.append(Improved(result.solution, 1 - result.cost / task.cost(plan)))
    return found
