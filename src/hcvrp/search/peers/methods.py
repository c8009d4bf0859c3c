"""The peers as methods: what each can be asked, and the sentence when it cannot."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from typing import ClassVar

from hcvrp.errors import InputError
from hcvrp.search.peers import runner
from hcvrp.solution import Objective
from hcvrp.task import Result, Task


@dataclass(frozen=True)
class Peer:
    """A solver of others, in its own process and measured as it is.

    It stops on time, on a target cost and on cancellation; iterations are its own affair.
    """

    name: ClassVar[str]

    def solve(self, task: Task) -> Result:
        """The peer's best answer, judged by our referee."""
        if importlib.util.find_spec(self.name) is None:
            raise InputError(
                f"method {self.name} needs the extra: pip install '.[peers]' in the clone"
            )
        self.check(task)
        return runner.ask(self.name, task)

    def check(self, task: Task) -> None:
        """Refuses, in one sentence, what the peer cannot be asked."""
        if task.stop.time_limit is None:
            raise InputError(f"method {self.name} stops on time only: time_limit must be given")


@dataclass(frozen=True)
class PyVRP(Peer):
    """PyVRP's iterated local search (Wouda, Lan & Kool 2024)."""

    name = "pyvrp"

    def check(self, task: Task) -> None:
        """It stops on time only, and has one thread."""
        super().check(task)
        task.check_one_thread(self.name)


@dataclass(frozen=True)
class ORTools(Peer):
    """Google's OR-Tools routing library with guided local search; it takes no seed."""

    name = "ortools"

    def check(self, task: Task) -> None:
        """It stops on time only, and has one thread."""
        super().check(task)
        task.check_one_thread(self.name)


@dataclass(frozen=True)
class VROOM(Peer):
    """VROOM (Coupey, Nicod & Varnier); it takes no seed, and ends of its own accord."""

    name = "vroom"

    def check(self, task: Task) -> None:
        """VROOM minimises total time; no cost of its own depends on the longest one."""
        if task.objective is not Objective.MIN_SUM:
            raise InputError(
                f"method vroom cannot express the objective {task.objective}: it has only min-sum"
            )
