"""solve(): one door to every method, and the table of their names."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from hcvrp.errors import InputError
from hcvrp.instance import Instance
from hcvrp.solution import Objective, Solution
from hcvrp.task import Improvement, Method, Result, Stop, Task


@dataclass(frozen=True)
class Entry:
    """Where a method lives ("module:class") and what it is, in one line.

    `package` is what it cannot do without, where an `extra` brings that. `objectives` are those it
    has.
    """

    target: str
    summary: str
    package: str | None = None
    extra: str | None = None
    objectives: tuple[Objective, ...] = tuple(Objective)


METHODS: dict[str, Entry] = {
    "auto": Entry("hcvrp.auto:Auto", "learned starts and search; proofs where cheap"),
    "savings": Entry("hcvrp.search.savings:Savings", "Clarke–Wright savings, in milliseconds"),
    "sisr": Entry("hcvrp.search.sisr:Sisr", "ruin and recreate by strings, tuned to the budget"),
    "sisr-paper": Entry("hcvrp.search.sisr:SisrPaper", "SISR with the published parameters"),
    "exact": Entry("hcvrp.exact.method:Exact", "optimal with proof, or a solution with its bound"),
    "vns": Entry("hcvrp.search.vns:Vns", "variable neighbourhood search, Xu & Cai 2018"),
    "aco": Entry("hcvrp.search.aco:Aco", "two-trail ant colony, Palma-Blanco et al. 2019"),
    "firefly": Entry(
        "hcvrp.search.firefly:Firefly", "firefly algorithm, Matthopoulos & Sofianopoulou 2019"
    ),
    "paper": Entry(
        "hcvrp.policy.policy:Paper",
        "the paper's policy, one network per fleet size",
        "torch",
        "learn",
    ),
    "fleet": Entry(
        "hcvrp.policy.policy:Fleet", "one learned policy for any fleet, both objectives"
    ),
    "am": Entry(
        "hcvrp.policy.policy:AttentionModel",
        "the attention model, vehicles by turns",
        "torch",
        "learn",
    ),
    "pyvrp": Entry(
        "hcvrp.search.peers.methods:PyVRP", "PyVRP, for reference (extra: peers)", "pyvrp", "peers"
    ),
    "ortools": Entry(
        "hcvrp.search.peers.methods:ORTools",
        "OR-Tools, for reference (extra: peers)",
        "ortools",
        "peers",
    ),
    "vroom": Entry(
        "hcvrp.search.peers.methods:VROOM",
        "VROOM, min-sum only (extra: peers)",
        "vroom",
        "peers",
        (Objective.MIN_SUM,),
    ),
}
"""Every method by name; modules are imported when first used, so that the light ones stay light."""

DEFAULT_METHOD = "auto"


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
    certify: bool | float = False,
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
        on_improvement: called with each new best and each higher proven bound.
        cancel: an event that ends the run with the best so far.
        certify: adds a proven lower bound, `Result.bound`, to the answer: so many seconds are
            spent on it afterwards; True spends `time_limit` again, or 10 s without one.
        **parameters: of the method; an unknown one is an InputError that lists the known.
    """
    check_certify(certify)
    task = Task(
        instance=instance,
        objective=Objective.parse(objective),
        stop=Stop(time_limit, iterations, target, cancel or threading.Event()),
        seed=seed,
        initial=(initial,) if isinstance(initial, Solution) else tuple(initial),
        threads=threads,
        on_improvement=on_improvement,
    )
    result = find_method(method, **parameters).solve(task)
    if certify is False:
        return result
    from hcvrp.exact import certify as prove

    if certify is True:
        certify = 10.0 if time_limit is None else time_limit
    return prove(instance, result, time_limit=certify, cancel=cancel, on_improvement=on_improvement)


def check_certify(seconds: float) -> None:
    """Refuses before the search a time for the proof that comes after it."""
    if not seconds >= 0:
        raise InputError(f"certify must be a number of at least 0, not {seconds}")


def find_method(method: str | Method, **parameters: Any) -> Method:
    """The method of that name (or the given object) with these parameters."""
    parameters = {k: v.item() if isinstance(v, np.generic) else v for k, v in parameters.items()}
    if not isinstance(method, str):
        if not parameters:
            return method
        _check_parameters(method, method.name, parameters)
        return replace(method, **parameters)  # type: ignore[type-var]
    if method not in METHODS:
        raise InputError(f"unknown method {method!r}; known: {', '.join(METHODS)}")
    module, _, name = METHODS[method].target.partition(":")
    factory = getattr(importlib.import_module(module), name)
    _check_parameters(factory, method, parameters)
    made: Method = factory(**parameters)
    return made


def _check_parameters(method: Any, name: str, parameters: dict[str, Any]) -> None:
    """Refuses parameters that the method lacks, and values of the wrong type."""
    if not parameters:
        return  # to look at the types takes as long as a short search
    known = [f.name for f in fields(method) if f.init] if is_dataclass(method) else []
    hints = get_type_hints(method if isinstance(method, type) else type(method))
    for parameter, value in parameters.items():
        if parameter not in known:
            listed = ", ".join(known) or "none"
            raise InputError(f"method {name} has no parameter {parameter!r}; it has: {listed}")
        if not _fits(value, hints[parameter]):
            wanted = " or ".join(_words(hints[parameter]))
            raise InputError(f"method {name}: {parameter} must be {wanted}, not {value!r}")


def _fits(value: Any, hint: Any) -> bool:
    """Whether `value` is of the type that `hint` names; a whole number is a number too."""
    if get_origin(hint) in (Union, UnionType):
        return any(_fits(value, option) for option in get_args(hint))
    if isinstance(value, bool):
        return hint is bool
    return isinstance(value, (int, float) if hint is float else hint)


def _words(hint: Any) -> Iterator[str]:
    """The types that `hint` names, for a sentence."""
    if get_origin(hint) in (Union, UnionType):
        for option in get_args(hint):
            yield from _words(option)
    elif hint is not type(None):
        names = {float: "a number", int: "a whole number", bool: "true or false", str: "text"}
        yield names.get(hint, hint.__name__)
