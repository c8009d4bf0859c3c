"""The firefly algorithm, a baseline of the paper."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import partial

from hcvrp.search import native
from hcvrp.search.baseline import check_range, solve, with_paper_iterations
from hcvrp.task import Result, Task


@dataclass(frozen=True)
class Firefly:
    """Fireflies after Matthopoulos & Sofianopoulou (2019), with the parameters of Li et al. (2021).

    A firefly is a solution, its light I = 1/cost. The distance r of two fireflies is the share of
    customers whom they reach by another leg, from 0 to 1, and light fades with it:

        I(r) = I · exp(−γ r²).

    In each iteration every firefly in turn flies towards the one that it sees brightest among
    those brighter than itself: each customer reached by another leg there moves to behind the node
    that it follows there (behind the depot: into a new trip of the same vehicle) if the load
    allows, with probability

        β · exp(−γ r²).

    Then ⌈α · n⌉ random customers are shifted to beside one of their nearest ten, and the solution
    is improved by relocating customers and by 2-opt until no such move helps. A firefly that sees
    no brighter one only shifts and improves, and stays where it was unless that is brighter. The
    first fireflies are the initial solutions, the others customers in random order cut into trips.

    Source: P.-P. Matthopoulos & S. Sofianopoulou, "A firefly algorithm for the heterogeneous fixed
    fleet vehicle routing problem", International Journal of Industrial and Systems Engineering
    33(2) (2019) 204–224; the frame is Yang (2009). We had its parameters and its abstract (a hybrid
    of fireflies and local improvement), not its text. Chosen by us: the distance, the flight by
    legs, one flight an iteration towards the brightest light instead of one towards each brighter
    firefly, the reading of α as a share of the customers, the moves of the improvement.

    Without any limit the iterations are the paper's, 1000 + 10 · (n − 40).

    Attributes:
        fireflies: n, the size of the swarm.
        attraction: β, the probability of taking over a leg at distance 0.
        absorption: γ, how fast light fades with the distance.
        randomness: α, the share of the customers shifted at random in each flight.
    """

    fireflies: int = 25
    attraction: float = 1.0
    absorption: float = 1.0
    randomness: float = 0.001

    name = "firefly"

    def __post_init__(self) -> None:
        check_range(self.name, "fireflies", self.fireflies, 1, 10**6)
        check_range(self.name, "attraction", self.attraction, 0, 1)
        check_range(self.name, "absorption", self.absorption, 0)
        check_range(self.name, "randomness", self.randomness, 0, 1)

    def solve(self, task: Task) -> Result:
        """The best solution of the swarm."""
        task = with_paper_iterations(task, at_40=1000, per_customer=10)
        search = partial(native.core.firefly, **asdict(self))
        return solve(task, self.name, search)
