"""From which time limit on does set partitioning pay? Min-sum, with it against without it.

python experiments/sisr-tuning/polish.py --customers 100 --vehicles 5 --time 2.5 --count 8

Uniform instances with the paper's fleets, RandomState seeds from 91000, none of them in a test set.
Both run in turns on each instance, so that what else is on the machine slows both.
"""

import argparse

import numpy as np

from hcvrp.generator import paper_fleet
from hcvrp.instance import Instance
from hcvrp.solver import solve

SEED = 91_000


def drawn(customers: int, vehicles: int, seed: int) -> Instance:
    rng = np.random.RandomState(seed)
    demands = rng.randint(1, 10, customers)
    depot, points = rng.rand(2), rng.rand(customers, 2)
    return Instance(demands, paper_fleet(vehicles, "min-sum"), depot=depot, customers=points)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--customers", type=int, required=True)
    parser.add_argument("--vehicles", type=int, required=True)
    parser.add_argument("--time", type=float, required=True, help="seconds of each run")
    parser.add_argument("--count", type=int, default=8, help="instances")
    options = parser.parse_args()
    costs: dict[str, list[float]] = {"off": [], "on": []}
    for number in range(options.count):
        instance = drawn(options.customers, options.vehicles, SEED + number)
        for polish, own in costs.items():
            limits = {"time_limit": options.time, "seed": number}
            own.append(solve(instance, "min-sum", "sisr", polish=polish, **limits).cost)
    change = 100 * (np.array(costs["on"]) / np.array(costs["off"]) - 1)
    error = change.std(ddof=1) / len(change) ** 0.5
    print(f"{options.customers} customers, {options.vehicles} vehicles, {options.time} s:", end=" ")
    print(f"polishing changes the cost by {change.mean():+.2f} ± {error:.2f} %")


if __name__ == "__main__":
    main()
