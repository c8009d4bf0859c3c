"""solve(): one door to every method, and the table of their names."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from hcvrp.errors import InputError
from hcvrp.instance import Instance
from hcvrp.solution import Objective, Solution
from hcvrp.task import Improvement, Method, Result, Stop, Task


@dataclass(frozen=True)
class Entry:
    """Where a method lives ("module:class") and what it is, in one line."""

    target: str
    summary: str


METHODS: dict[str, Entry] = {
    "savings": Entry("hcvrp.search.savings:Savings", "Clarke–Wright savings, in microseconds"),
    "sisr": Entry("hcvrp.search.sisr:Sisr", "ruin and recreate by strings, tuned to the budget"),
    "sisr-paper": Entry("hcvrp.search.sisr:SisrPaper", "SISR with the published parameters"),
    "paper": Entry("hcvrp.policy:Paper", "the paper's policy, one network per fleet size"),
    "am": Entry("hcvrp.policy:AttentionModel", "the attention model, vehicles by turns"),
    "pyvrp": Entry("hcvrp.search.peers.methods:PyVRP", "PyVRP, for reference (extra: peers)"),
    "ortools": Entry(
        "hcvrp.search.peers.methods:ORTools", "OR-Tools, for reference (extra: peers)"
    ),
    "vroom": Entry("hcvrp.search.peers.methods:VROOM", "VROOM, min-sum only (extra: peers)"),
}
"""Every method by name; modules are imported when first used, so that the light ones stay light."""

DEFAULT_METHOD = "savings"


def solve(
    instance: Instance,
    objective: Objective | str = Objective.MIN_MAX,
    method: str | Method = DEFAULT_METHOD,
    *,
    time_limit: float | None = None,
    iterations: int | None = None,
    target: float | None = None,
    seed: int = 0,
    threads: int = 1,
    initial: Solution | Sequence[Solution] = (),
    on_improvement: Callable[[Improvement], None] | None = None,
    cancel: threading.Event | None = None,
    **parameters: Any,
) -> Result:
    """Good routes for `instance`.

    Args:
        instance: the problem.
        objective: "min-max" (finish early, share fairly) or "min-sum" (least total time).
        method: a name from `METHODS`, or an object with `solve(task)`.
        time_limit: seconds; with `iterations`, `target` and `cancel`, whichever comes first.
        iterations: of the method.
        target: a cost that is good enough.
        seed: the same seed gives the same answer wherever time does not decide.
        threads: how many the method may use.
        initial: one solution or several to start from.
        on_improvement: called with each new best.
        cancel: an event that ends the run with the best so far.
        **parameters: of the method; an unknown one is an InputError that lists the known.
    """
    task = Task(
        instance=instance,
        objective=Objective.parse(objective),
        stop=Stop(time_limit, iterations, target, cancel or threading.Event()),
        seed=seed,
        initial=(initial,) if isinstance(initial, Solution) else tuple(initial),
        threads=threads,
        on_improvement=on_improvement,
    )
    return find_method(method, **parameters).solve(task)


def find_method(method: str | Method, **parameters: Any) -> Method:
    """The method of that name (or the given object) with these parameters."""
    if not isinstance(method, str):
        _check_parameters(method, method.name, parameters)
        return replace(method, **parameters) if parameters else method  # type: ignore[type-var]
    if method not in METHODS:
        raise InputError(f"unknown method {method!r}; known: {', '.join(METHODS)}")
    module, _, name = METHODS[method].target.partition(":")
    factory = getattr(importlib.import_module(module), name)
    _check_parameters(factory, method, parameters)
    made: Method = factory(**parameters)
    return made


def _check_parameters(method: Any, name: str, parameters: dict[str, Any]) -> None:
    known = [f.name for f in fields(method) if f.init]
    for parameter in parameters:
        if parameter not in known:
            listed = ", ".join(known) or "none"
            raise InputError(f"method {name} has no parameter {parameter!r}; it has: {listed}")
