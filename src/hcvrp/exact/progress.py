"""Where a proof stands: the best solution, the best bound, and how both came about."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hcvrp.exact.watch import Watch
from hcvrp.solution import Objective, Solution

if TYPE_CHECKING:
    from hcvrp.instance import Instance
    from hcvrp.task import Recorder

STRICTLY = 1 - 1e-9
"""A solution counts as better if it is cheaper by this factor."""

TOO_MANY = "memory or time did not allow listing all trips within the gap"


@dataclass(frozen=True)
class Step:
    """A bound, when it was reached, and the best cost known then."""

    bound: float
    cost: float
    seconds: float


class Progress:
    """The two sides of a proof: the bound only rises, the cost only falls."""

    def __init__(
        self,
        instance: Instance,
        objective: Objective,
        solution: Solution,
        watch: Watch,
        on_step: Callable[[Step], None] | None = None,
        recorder: Recorder | None = None,
        target: float | None = None,
    ) -> None:
        self.instance = instance
        self.objective = objective
        self.solution = solution
        self.cost = solution.cost(instance, objective)
        self.bound = 0.0
        self.watch = watch
        self.steps: list[Step] = []
        self.notes: list[str] = []
        self._on_step = on_step
        self._recorder = recorder
        self._target = -math.inf if target is None else target
        self._found(solution)

    @property
    def closed(self) -> bool:
        """Whether the best solution is proven optimal."""
        return self.bound >= self.cost

    def raise_bound(self, bound: float) -> None:
        """Notes a bound on all solutions cheaper than the best; the best itself limits it.

        A bound above which none counts as better proves that the best is optimal.
        """
        bound = self.cost if bound >= self.cost * STRICTLY else bound
        if bound > self.bound or not self.steps:
            self.bound = max(bound, self.bound)
            self._step()

    def improve(self, solution: Solution) -> None:
        """Takes the solution if it is feasible and cheaper."""
        cost = solution.cost(self.instance, self.objective)
        if cost < self.cost and not solution.violations(self.instance):
            self.solution, self.cost = solution, cost
            # A bound on cheaper solutions may exceed a cheaper one by the rounding of its sums.
            self.bound = min(self.bound, cost)
            self._found(solution)
            self._step()

    def note(self, sentence: str) -> None:
        """Keeps a sentence about what was left undone and why."""
        if sentence not in self.notes:
            self.notes.append(sentence)

    def _found(self, solution: Solution) -> None:
        if self._recorder is not None:
            self._recorder.improved(solution)
        if self.cost <= self._target:
            self.watch.end()

    def _step(self) -> None:
        step = Step(self.bound, self.cost, self.watch.seconds)
        self.steps.append(step)
        if self._recorder is not None:
            self._recorder.raised(self.bound)
        if self._on_step is not None:
            self._on_step(step)
