"""What remembered trips are worth on min-sum: the gap to the best known, with them and without.

python experiments/sisr-tuning/memory.py --customers 100 --vehicles 5 --iterations 400000 --exact 45

Uniform instances with the paper's fleets, RandomState seeds from 91000, none of them in a test set.
The best known is the best of the two answers and the exact method's within the time given. Times
are CPU times.
"""

import argparse
import time

import numpy as np

from hcvrp.generator import paper_fleet
from hcvrp.instance import Instance
from hcvrp.solver import solve

SEED = 91_000


def main() -> None:
    options = _options()
    instances = [
        drawn(options.customers, options.vehicles, SEED + number) for number in range(options.count)
    ]
    found = {False: [], True: []}  # cost and microseconds per iteration, by instance
    for number, instance in enumerate(instances):
        for remember, own in found.items():
            own.append(_searched(instance, remember, options.iterations, number))
    exact = [_proven(instance, options.exact) for instance in instances]
    costs = {remember: np.array(own)[:, 0] for remember, own in found.items()}
    best = np.minimum(np.minimum(costs[False], costs[True]), exact)
    print(f"{options.customers} customers, {options.vehicles} vehicles, {options.count} instances:")
    for remember, own in found.items():
        gap = 100 * (costs[remember] / best - 1)
        error = gap.std(ddof=1) / len(gap) ** 0.5
        micros = np.array(own)[:, 1].mean()
        how = "with memory" if remember else "without"
        print(f"  {how:11}: gap {gap.mean():.3f} ± {error:.3f} %, {micros:.2f} µs each")


def drawn(customers: int, vehicles: int, seed: int) -> Instance:
    rng = np.random.RandomState(seed)
    demands = rng.randint(1, 10, customers)
    depot, points = rng.rand(2), rng.rand(customers, 2)
    return Instance(demands, paper_fleet(vehicles, "min-sum"), depot=depot, customers=points)


def _searched(
    instance: Instance, remember: bool, iterations: int, seed: int
) -> tuple[float, float]:
    begin = time.process_time()
    limits = {"iterations": iterations, "seed": seed}
    cost = solve(instance, "min-sum", "sisr", remember=remember, **limits).cost
    return cost, 1e6 * (time.process_time() - begin) / iterations


def _proven(instance: Instance, seconds: float) -> float:
    return solve(instance, "min-sum", "exact", time_limit=seconds).cost if seconds else np.inf


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--customers", type=int, required=True)
    parser.add_argument("--vehicles", type=int, required=True)
    parser.add_argument("--iterations", type=int, default=400_000)
    parser.add_argument("--count", type=int, default=12, help="instances")
    parser.add_argument("--exact", type=float, default=0, help="seconds of the exact method")
    return parser.parse_args()


if __name__ == "__main__":
    main()
