"""Routing a mixed fleet: vehicles that differ in capacity and speed and may make many trips."""

from typing import TYPE_CHECKING, Any

from hcvrp.errors import InputError
from hcvrp.generator import generate, paper_set
from hcvrp.instance import Instance, Vehicle
from hcvrp.solution import Objective, Solution
from hcvrp.solver import solve
from hcvrp.task import Improvement, Result

if TYPE_CHECKING:
    from hcvrp.policy import Policy

__version__ = "0.1.0"

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
    "solve",
]


def __getattr__(name: str) -> Any:
    """Policies need torch, which is imported when first asked for."""
    if name != "Policy":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from hcvrp.policy import Policy

    return Policy
