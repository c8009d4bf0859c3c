"""Pictures: routes beside a Gantt chart of the vehicles' times, and cost against time."""

from hcvrp.plotting.convergence import plot_convergence
from hcvrp.plotting.files import check_picture
from hcvrp.plotting.picture import plot

__all__ = ["check_picture", "plot", "plot_convergence"]
