"""Variable neighbourhood search: the strongest of the paper's conventional baselines after SISR."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import partial

from hcvrp.search import native
from hcvrp.search.baseline import check_range, solve, with_paper_iterations
from hcvrp.task import Result, Task


@dataclass(frozen=True)
class Vns:
    """Variable neighbourhood search after Xu & Cai (2018), with the parameters of Li et al. (2021).

    From a savings solution, each iteration shakes the current plan, descends to a local optimum
    and keeps it as the current plan when

        cost + overload price ≤ (1 + MaxTolerance) · best cost.

    A shake walks at random from customer to near customer (one of the nearest ten) and shifts each
    to beside the next: first r_n · n of them, after every iteration without a new best more, up to
    r_m · n, then r_n · n again; a new best starts over at r_n · n.

    The descent applies the first improving move of: a customer to beside a near one or into a trip
    of its own (relocate), two customers exchanged (swap), the ends of two trips exchanged (2-opt*),
    a part of a trip reversed (2-opt), a trip to another vehicle, two trips' vehicles exchanged.
    For min-max, 5 % of the mean vehicle time counts beside the longest. Trips may be overloaded on
    the way, at a price of

        p_ol · (mean depot leg · mean pace) / mean demand   per unit of load;

    a tolerable plan that is still overloaded after its descent is descended once more at ten times
    the price. Only feasible plans become the best.

    Source: Z. Xu & Y. Cai, "Variable neighborhood search for consistent vehicle routing problem",
    Expert Systems with Applications 113 (2018) 66–76; the frame is Mladenović & Hansen (1997). We
    had its parameters by way of Li et al. (2021), not its text, and read them by their names: p_ol
    as the price of overload, p_ot and p_otd as those of overtime and of differing arrival times,
    which this problem does not have, so that they are no parameters here. Chosen by us: the walk
    and its four strengths, the moves and their order, the price in the instance's own units, the
    second descent.

    Without any limit the iterations are the paper's, 500 + 5 · (n − 40).

    Attributes:
        least_shake: r_n, the share of the customers that the first shake shifts.
        most_shake: r_m, the share that the strongest shake shifts.
        overload_penalty: p_ol, the price of overload.
        max_tolerance: MaxTolerance, how much worse than the best the current plan may be.
    """

    least_shake: float = 0.1
    most_shake: float = 0.25
    overload_penalty: float = 5.0
    max_tolerance: float = 0.04

    name = "vns"

    def __post_init__(self) -> None:
        check_range(self.name, "least_shake", self.least_shake, 0, 1)
        check_range(self.name, "most_shake", self.most_shake, self.least_shake, 1)
        check_range(self.name, "overload_penalty", self.overload_penalty, 0, 1e9)
        check_range(self.name, "max_tolerance", self.max_tolerance, 0, 1e9)

    def solve(self, task: Task) -> Result:
        """The best plan found from the initial solutions, or from savings."""
        task = with_paper_iterations(task, at_40=500, per_customer=5)
        search = partial(native.core.vns, **asdict(self))
        return solve(task, self.name, search, from_savings=True)
