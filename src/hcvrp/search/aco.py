"""Ant colony optimisation with two pheromone trails, a baseline of the paper."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import partial

from hcvrp.errors import InputError
from hcvrp.search import native
from hcvrp.search.baseline import check_range, solve, with_paper_iterations
from hcvrp.task import Result, Task

MOST_CUSTOMERS = 3000
"""A trail for every pair of nodes takes 24 bytes a pair: 216 MB at this size."""


@dataclass(frozen=True)
class Aco:
    """Ant colony after Palma-Blanco et al. (2019), with the parameters of Li et al. (2021).

    Two trails Q: over legs i → j, and over pairs of a trip's first customer and a vehicle. An ant
    picks a first customer from the depot, a vehicle for it, then customer after customer while one
    fits, then the next first customer, until all are served. At each choice among the options k it
    takes the one with the most weight Q_k^δ · η_k^β with probability ω₀, else k with probability

        Q_k^δ · η_k^β / Σ_l Q_l^δ · η_l^β.

    The visibility η of a leg is 1/d; of a vehicle, for min-max, 1/(time so far + out and back to a
    mean customer), for min-sum capacity · speed. All trails start at

        Q₀ = (n − 1) / Σ_i Σ_j d_ij.

    Each choice fades as it is made (weak update), and after each round of m ants the choices of
    the best solution so far are reinforced (strong update), L being its total length:

        weak: Q ← (1 − α) Q + α γ Q₀        strong: Q ← (1 − α) Q + α / L.

    The best ant of each round is improved by relocating customers and by 2-opt before it is
    compared with the best so far.

    Source: A. Palma-Blanco, E. R. González & C. D. Paternina-Arboleda, "A two-pheromone trail ant
    colony system approach for the heterogeneous vehicle routing problem with time windows,
    multiple products and product incompatibility", ICCL 2019, 248–264. We had its parameters and
    its two updates at second hand, not its text. The names of the parameters and Q₀ are those of
    Ant-Q (Gambardella & Dorigo 1995). Chosen by us: what the second trail is laid on, the
    visibility of vehicles (the source's is for time windows), 1/L with the length as L, so that it
    has the unit of Q₀ under both objectives, and the two moves in place of its reduction of the
    fleet and its 2-opt.

    Without any limit the iterations are the paper's, 10⁴ + 100 · (n − 40).

    Attributes:
        ants: m, the ants of a round.
        greed: ω₀, how often an ant takes the choice of most weight.
        learning_rate: α, the step of both updates.
        discount: γ, what is left of Q₀ where ants pass often.
        trail_power: δ.
        visibility_power: β.
    """

    ants: int = 20
    greed: float = 0.2
    learning_rate: float = 0.1
    discount: float = 0.1
    trail_power: float = 3.0
    visibility_power: float = 3.0

    name = "aco"

    def __post_init__(self) -> None:
        check_range(self.name, "ants", self.ants, 1, 10**6)
        check_range(self.name, "greed", self.greed, 0, 1)
        check_range(self.name, "learning_rate", self.learning_rate, 0, 1)
        check_range(self.name, "discount", self.discount, 0, 1)
        check_range(self.name, "trail_power", self.trail_power, 0, 20)
        check_range(self.name, "visibility_power", self.visibility_power, 0, 20)

    def solve(self, task: Task) -> Result:
        """The best solution of the colony; a given initial one is its first best so far."""
        if task.instance.size > MOST_CUSTOMERS:
            raise InputError(
                f"method aco takes at most {MOST_CUSTOMERS} customers, not {task.instance.size}:"
                " it keeps a trail for every pair"
            )
        task = with_paper_iterations(task, at_40=10_000, per_customer=100)
        search = partial(native.core.aco, **asdict(self))
        return solve(task, self.name, search)
