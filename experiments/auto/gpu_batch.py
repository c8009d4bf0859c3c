"""The frontier with a GPU: `auto`, the search and the policy on batches, everything counted.

python experiments/auto/gpu_batch.py --out experiments/auto/gpu_batch.csv --processes 13

For each set, objective and time per instance a batch of as many instances as fit into `--seconds`,
at most `--most`. `own_seconds` are those of the mean result, with its share of what the GPU did for
all; `wall_seconds` are those of the whole call for each instance, processes and transport included.
The GPU is awake before the clock starts, as in a service; the same batch is solved once untimed.
"""

import argparse
import csv
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np

import hcvrp
from hcvrp.auto import WEIGHTS
from hcvrp.bench.sets import find_set
from hcvrp.instance import Instance
from hcvrp.policy import Policy
from hcvrp.solution import Objective
from hcvrp.task import Result

SETS = {"v3-c40": "", "v3-c100": "", "v5-c160": "", "random-n500-m10": "0"}
"""With the first instance, where a set has no end."""
LIMITS = (1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0)
SAMPLES = (0, 8, 32, 128)
FIELDS = (
    "set", "objective", "method", "limit", "instances", "cost", "own_seconds", "wall_seconds",
)  # fmt: skip

Solve = Callable[[list[Instance]], list[Result]]


def timed(solve: Solve, instances: list[Instance], objective: Objective) -> tuple[float, ...]:
    """Mean cost by the referee, and the two times per instance."""
    solve(instances)
    begun = time.perf_counter()
    results = solve(instances)
    wall = (time.perf_counter() - begun) / len(instances)
    pairs = list(zip(instances, results, strict=True))
    assert all(r.solution.violations(i) == [] for i, r in pairs)
    costs = [r.solution.cost(i, objective) for i, r in pairs]
    return float(np.mean(costs)), float(np.mean([r.seconds for r in results])), wall


def rows(arguments: argparse.Namespace) -> Iterator[tuple[object, ...]]:
    for name, first in SETS.items():
        for objective in Objective:
            pool = list(find_set(f"{name}[{first}:{arguments.most}]", objective).instances)
            Policy.load(WEIGHTS, samples=8).solve_many(pool[:8], objective)  # wakes the GPU
            for samples in SAMPLES:
                solve = partial(
                    hcvrp.solve_many, objective=objective, method="fleet", seed=1, samples=samples
                )
                told = timed(solve, pool, objective)
                yield name, objective, f"fleet {samples or 'greedy'}", "", len(pool), *told
            for limit, method in product(LIMITS, ("auto", "sisr")):
                fit = int(arguments.seconds * arguments.processes / limit)
                some = pool[: max(arguments.processes, min(len(pool), fit))]
                solve = partial(
                    hcvrp.solve_many, objective=objective, method=method, time_limit=limit,
                    seed=1, processes=arguments.processes,
                )  # fmt: skip
                yield name, objective, method, limit, len(some), *timed(solve, some, objective)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=2.0, help="of each batch")
    parser.add_argument("--most", type=int, default=256, help="instances of a batch")
    arguments = parser.parse_args()
    with arguments.out.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(FIELDS)
        for row in rows(arguments):
            writer.writerow(row)
            file.flush()
            print(*row, flush=True)


if __name__ == "__main__":
    main()
