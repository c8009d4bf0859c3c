"""Routing a mixed fleet: vehicles that differ in capacity and speed and may make many trips."""

from hcvrp.errors import InputError
from hcvrp.generator import generate, paper_set
from hcvrp.instance import Instance, Vehicle
from hcvrp.plotting import plot, plot_convergence
from hcvrp.solution import Objective, Solution
from hcvrp.solver import solve
from hcvrp.task import Improvement, Result

__version__ = "0.1.0"

__all__ = [
    "Improvement",
    "InputError",
    "Instance",
    "Objective",
    "Result",
    "Solution",
    "Vehicle",
    "__version__",
    "generate",
    "paper_set",
    "plot",
    "plot_convergence",
    "solve",
]
