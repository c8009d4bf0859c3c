"""Pictures: routes beside a Gantt chart of the vehicles' times, and cost against time."""

from hcvrp.plotting.convergence import plot_convergence
from hcvrp.plotting.picture import plot

__all__ = ["plot", "plot_convergence"]
