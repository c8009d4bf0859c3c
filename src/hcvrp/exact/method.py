"""The exact method: a solution with a proof, or with a bound."""

from __future__ import annotations

from dataclasses import dataclass

from hcvrp.exact.certificate import MEMORY, check_memory, prove
from hcvrp.exact.watch import Watch
from hcvrp.task import Recorder, Result, Task


@dataclass(frozen=True)
class Exact:
    """Column generation, subset-row cuts and enumeration (Baldacci, Mingozzi & Roberti 2011).

    The search gives a first solution; ng-routes priced by dynamic programming give a bound, raised
    by subset-row cuts over three customers and, for min-sum, capacity cuts. Trips that no better
    solution can use are ruled out by their reduced cost, the others listed. For min-sum an integer
    programme over the list ends the proof; for min-max lists of whole vehicle plans are joined.
    `Result.bound` is proven, and `Result.status` is "optimal" when the cost meets it.

    Attributes:
        memory: bytes for tables and for lists of trips and plans; where more were needed, the proof
            stays partial.
    """

    memory: float = MEMORY

    name = "exact"

    def __post_init__(self) -> None:
        check_memory(self.memory)

    def solve(self, task: Task) -> Result:
        """The best solution with its bound."""
        recorder = Recorder(task, self.name)
        watch = Watch(task.stop.time_limit, task.stop.cancel)
        proof = prove(task, self.memory, watch, recorder=recorder)
        return recorder.result(
            proof.solution,
            bound=proof.value,
            status="optimal" if proof.optimal else "feasible",
        )
