"""Trained policies as methods of `solve`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from hcvrp.errors import InputError
from hcvrp.instance import Instance
from hcvrp.policy.config import Kind
from hcvrp.policy.engine import find_engine
from hcvrp.policy.settings import Decoding
from hcvrp.policy.weights_file import describe, locate, shipped
from hcvrp.solution import Objective, Solution
from hcvrp.task import Result, Stop, Task


@dataclass(frozen=True)
class Policy:
    """A trained policy: greedy without `samples`, otherwise the best of so many.

    `augment` shows the network each instance under the eight symmetries of the square. `rows`
    bounds the rollouts that torch has in memory at once; `device` is auto, cpu or cuda. Samples are
    drawn from softmax(scores / `temperature`), None for what suits the network.
    """

    path: Path
    samples: int = 0
    augment: bool = False
    rows: int | None = None
    device: str = "auto"
    temperature: float | None = None

    def __post_init__(self) -> None:
        Decoding(self.samples, self.augment, self.rows, self.temperature)

    @classmethod
    def load(cls, name: str | Path, *, samples: int = 0, augment: bool = False) -> Policy:
        """A shipped policy by name, or one from a file; it is read now, and kept."""
        policy = cls(locate(name), samples, augment)
        find_engine(policy.path, policy.device)
        return policy

    @property
    def name(self) -> str:
        """The kind of network."""
        return describe(self.path).network.kind

    @property
    def decoding(self) -> Decoding:
        """How this policy decodes."""
        return Decoding(self.samples, self.augment, self.rows, self.temperature)

    def solve(self, task: Task) -> Result:
        """The best rollout, or a given initial solution if that is better."""
        return find_engine(self.path, self.device).answer(task, self.decoding)

    def solve_many(
        self,
        instances: Sequence[Instance],
        objective: Objective | str,
        seed: int = 0,
        *,
        threads: int | None = None,
        stop: Stop | None = None,
    ) -> list[Solution]:
        """The best rollout of each instance; on so many threads, None for what the engine likes.

        On a processor `stop` is for each instance; torch makes them all, unless it is cancelled.
        Then there are answers of the first instances only.
        """
        engine = find_engine(self.path, self.device, many=True)
        goal = Objective.parse(objective)
        return engine.answer_many(
            instances, goal, self.decoding, seed=seed, threads=threads, stop=stop
        )


@dataclass(frozen=True)
class Shipped:
    """The shipped policy that suits the task: its objective, its fleet, the nearest size."""

    samples: int = 0
    augment: bool = False
    rows: int | None = None
    device: str = "auto"
    temperature: float | None = None

    kind: ClassVar[Kind]

    def __post_init__(self) -> None:
        Decoding(self.samples, self.augment, self.rows, self.temperature)

    @property
    def name(self) -> str:
        """The kind of network."""
        return self.kind

    def solve(self, task: Task) -> Result:
        """The answer of the policy that suits the task."""
        return self._suited(task.instance, task.objective).solve(task)

    def solve_many(
        self,
        instances: Sequence[Instance],
        objective: Objective | str,
        seed: int = 0,
        *,
        threads: int | None = None,
        stop: Stop | None = None,
    ) -> list[Solution]:
        """The answers of the policy that suits the first instance."""
        if not instances:
            return []
        policy = self._suited(instances[0], Objective.parse(objective))
        return policy.solve_many(instances, objective, seed, threads=threads, stop=stop)

    def _suited(self, instance: Instance, objective: Objective) -> Policy:
        path = choose(self.kind, instance, objective)
        return Policy(path, self.samples, self.augment, self.rows, self.device, self.temperature)


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
