"""Is set partitioning by HiGHS worth its time beside remembered trips? Min-sum, paired.

python experiments/sisr-tuning/polish.py --set "random-n100-m3[50000:50024]" --time 5

Both run in turns on each instance, each first on every other one, so that what else is on the
machine slows both. `drawn` makes the instances of memory.py: RandomState seeds from 91000.
"""

import argparse

import numpy as np
from scipy.stats import t

from hcvrp.bench.sets import find_set
from hcvrp.generator import paper_fleet
from hcvrp.instance import Instance
from hcvrp.search.sisr import Sisr
from hcvrp.solution import Objective
from hcvrp.solver import solve
from hcvrp.task import Task

SEED = 91_000


class MemoryAlone(Sisr):
    def _polishes(self, task: Task) -> bool:  # noqa: ARG002
        return False


METHODS = {"with": Sisr(polish="on"), "without": MemoryAlone()}


def drawn(customers: int, vehicles: int, seed: int) -> Instance:
    rng = np.random.RandomState(seed)
    demands = rng.randint(1, 10, customers)
    depot, points = rng.rand(2), rng.rand(customers, 2)
    return Instance(demands, paper_fleet(vehicles, "min-sum"), depot=depot, customers=points)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--set", required=True, help="random-n40-m3[50000:50024], fsmd, …")
    parser.add_argument("--time", type=float, required=True, help="seconds of each run")
    options = parser.parse_args()
    costs: dict[str, list[float]] = {name: [] for name in METHODS}
    for number, instance in enumerate(find_set(options.set, Objective.MIN_SUM).instances):
        for name in sorted(METHODS, reverse=number % 2 == 0):
            limits = {"time_limit": options.time, "seed": number}
            costs[name].append(solve(instance, "min-sum", METHODS[name], **limits).cost)
    change = 100 * (np.array(costs["with"]) / np.array(costs["without"]) - 1)
    half = t.ppf(0.975, len(change) - 1) * change.std(ddof=1) / len(change) ** 0.5
    print(f"{options.set}, {options.time:g} s: {change.mean():+.3f} % ± {half:.3f} (95 %)")


if __name__ == "__main__":
    main()
