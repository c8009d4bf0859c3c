"""What remembered trips are worth on min-sum: the gap to the best known, with them and without.

python experiments/sisr-tuning/memory.py --customers 100 --vehicles 5 --iterations 400000 --exact 45

The instances of polish.py (RandomState seeds from 91000, none of a test set). The best known
is the best of the two answers and the exact method's within the time given. Times are CPU times.
"""

import argparse
import time

import numpy as np
from polish import SEED, drawn

from hcvrp.instance import Instance
from hcvrp.solver import solve


def main() -> None:
    options = _options()
    instances = [
        drawn(options.customers, options.vehicles, SEED + number) for number in range(options.count)
    ]
    found = {"off": [], "auto": []}  # cost and microseconds per iteration, by instance
    for number, instance in enumerate(instances):
        for polish, own in found.items():
            own.append(_searched(instance, polish, options.iterations, number))
    exact = [_proven(instance, options.exact) for instance in instances]
    costs = {polish: np.array(own)[:, 0] for polish, own in found.items()}
    best = np.minimum(np.minimum(costs["off"], costs["auto"]), exact)
    print(f"{options.customers} customers, {options.vehicles} vehicles, {options.count} instances:")
    for polish, own in found.items():
        gap = 100 * (costs[polish] / best - 1)
        error = gap.std(ddof=1) / len(gap) ** 0.5
        micros = np.array(own)[:, 1].mean()
        print(f"  polish {polish:4}: gap {gap.mean():.3f} ± {error:.3f} %, {micros:.2f} µs each")


def _searched(instance: Instance, polish: str, iterations: int, seed: int) -> tuple[float, float]:
    begin = time.process_time()
    cost = solve(instance, "min-sum", "sisr", polish=polish, iterations=iterations, seed=seed).cost
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
