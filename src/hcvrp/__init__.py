"""Routing a mixed fleet: vehicles that differ in capacity and speed and may make many trips.

The public names are imported when first used, so that `hcvrp --help` answers at once.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hcvrp.batch import solve_many
    from hcvrp.errors import InputError
    from hcvrp.formats import read, write
    from hcvrp.generator import generate, paper_set
    from hcvrp.instance import Instance, Vehicle
    from hcvrp.plotting import plot, plot_convergence
    from hcvrp.policy import Policy
    from hcvrp.solution import Objective, Solution
    from hcvrp.solver import solve
    from hcvrp.task import Improvement, Result

__version__ = "0.1.0"

_HOMES = {
    "Improvement": "task",
    "InputError": "errors",
    "Instance": "instance",
    "Objective": "solution",
    "Policy": "policy",
    "Result": "task",
    "Solution": "solution",
    "Vehicle": "instance",
    "generate": "generator",
    "paper_set": "generator",
    "plot": "plotting",
    "plot_convergence": "plotting",
    "read": "formats",
    "solve": "solver",
    "solve_many": "batch",
    "write": "formats",
}

__all__ = [
    "Improvement",
    "InputError",
    "Instance",
    "Objective",
    "Policy",
    "Result",
    "Solution",
    "Vehicle",
    "__version__",
    "generate",
    "paper_set",
    "plot",
    "plot_convergence",
    "read",
    "solve",
    "solve_many",
    "write",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'hcvrp' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"hcvrp.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
