"""When the policy's rollouts pay as starts of the search, and how many of them.

Measured with the shipped weights: docs/methods/auto.md, experiments/auto.
"""

from __future__ import annotations

from hcvrp.instance import Instance
from hcvrp.search.sisr import Sisr, afforded, iteration_seconds, preparation_seconds
from hcvrp.solution import Objective
from hcvrp.task import Task

LEAST_CUSTOMERS, MEDIUM, LARGE, MOST_CUSTOMERS = 60, 130, 300, 1_000
"""Sizes for which rollouts may pay. Up to the second savings is as good as the greedy one, from the
third on that is well ahead, and beyond the last attention to all pairs grows too dear."""
CAUGHT_UP = 7_500
"""Searches of more iterations a customer have caught up by then."""
SHARE = 0.5
"""Of the budget, at most this goes to samples …"""
MOST_SAMPLES = 64
"""… and to no more than these: beyond, the search makes better use of the time."""
FEWEST_SAMPLES = 8
"""Fewer than so many samples are worse than the one greedy rollout, …"""
LEAST_BUDGET, LEAST_BUDGET_IF_LARGE = 2.0, 1.6
"""… which is made in budgets of at least so many of it."""
LAYOUT = 0.05e-6
"""Seconds that a layout takes, by the squared number of customers."""

SHORT = {Objective.MIN_MAX: 3_000, Objective.MIN_SUM: 200}
"""Iterations per customer up to which a search from a free rollout is ahead."""
GPU_SAMPLES, GPU_SHARE = 1_280, 0.3
"""On a GPU: samples of each instance at most, and of the budget where a search follows."""


def on_processor(task: Task) -> int | None:
    """How many a processor affords within the budget: 1 means greedy; None leaves the policy out.

    None for min-sum, where remembered trips make up for the start, and none for few customers,
    where the search catches up before the first rollouts end. All else is told in
    iterations of the search: encoding takes as long as 1,200 + 11 n + n²/100, a greedy rollout as
    long as 8 n and each of many as long as 2.5 n of them (docs/methods/auto.md). Where only
    distances are known, points are found for them first.
    """
    n = task.instance.size
    if task.objective is Objective.MIN_SUM or not LEAST_CUSTOMERS <= n <= MOST_CUSTOMERS:
        return None
    budget = afforded(Sisr().with_budget(task))
    if budget > CAUGHT_UP * n:
        return None
    encoding = 1_200 + 11 * n + n**2 / 100 + layout_seconds(task.instance) / iteration_seconds(n)
    samples = int(min(MOST_SAMPLES, (SHARE * budget - encoding) / (2.5 * n)))
    if samples >= FEWEST_SAMPLES:
        return samples
    least = LEAST_BUDGET if n < LARGE else LEAST_BUDGET_IF_LARGE
    return 1 if n >= MEDIUM and budget >= least * (encoding + 8 * n) else None


def layout_seconds(instance: Instance) -> float:
    """About what it takes to find points where only distances are known."""
    return LAYOUT * instance.size**2 if instance.coordinates is None else 0.0


def pay_if_free(task: Task) -> bool:
    """Whether free rollouts are worth a start within a time limit: of a short search or of none."""
    n, stop = task.instance.size, task.stop
    if n > MOST_CUSTOMERS or stop.time_limit is None:
        return False
    search = (stop.time_limit - preparation_seconds(n, task.objective)) / iteration_seconds(n)
    if stop.iterations is not None:
        search = min(search, stop.iterations)
    return search <= SHORT[task.objective] * n


def too_short_to_search(task: Task) -> bool:
    """Whether the time is over before the first iteration."""
    limit = task.stop.time_limit
    return limit is not None and limit < preparation_seconds(task.instance.size, task.objective)


def on_gpu(task: Task, together: int) -> int | None:
    """Samples that a GPU makes of each of so many instances; 1: greedy; None: no time for any.

    All of the time is its own where too little is left to search in. Then one rollout is made
    even if it takes longer, as long as savings would not be there sooner.
    """
    n = task.instance.size
    seconds = afforded(task) * iteration_seconds(n)
    preparation = preparation_seconds(n, task.objective)
    if (1 - GPU_SHARE) * seconds > preparation:
        given = latest = GPU_SHARE * seconds
    else:
        given, latest = seconds, max(seconds, preparation)
    first, others, each = gpu_seconds(n, together)
    if first > latest:
        return None
    samples = int(min(GPU_SAMPLES, (given - first - others) / each))
    return samples if samples >= FEWEST_SAMPLES else 1


def gpu_seconds(customers: int, together: int) -> tuple[float, float, float]:
    """About what one of so many instances takes on a GPU: first rollout, symmetries, each sample.

    The second is for the seven other symmetries that samples are spread over. As measured on an
    H200 (docs/methods/auto.md). However few there are together, the steps of a rollout come one
    after another; and each step looks at all customers, the slower the more there are.
    """
    n = customers
    first = 2e-6 * n + 1e-9 * n**2 + (0.01 + 1e-4 * n) / together
    return first, 1e-6 * n + 13e-9 * n**2, n * (1 + n / 250 + (n / 300) ** 2) / 8e7
