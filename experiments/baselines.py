"""The paper's VNS, ACO and FA on its test sets: our mean cost beside the published one.

    PYTHONPATH=src python experiments/baselines.py --set v3-c40 --count 32 --seed 1

Every answer goes through the referee. Iterations are the paper's for the size. Since the first
instances of a set may be easier or harder than the rest, the mean is also scaled by how savings
does on all of the set against how it does on these. Seconds are of processor time, so that other
work on the machine counts little.
"""

from __future__ import annotations

import argparse
import csv
import os
import statistics
import time
from pathlib import Path

import hcvrp

NAMES = {"vns": "VNS", "aco": "ACO", "firefly": "FA"}
PUBLISHED = Path(os.environ.get("HCVRP_PAPER", "../shared/paper")) / "tables-random.csv"


def published(name: str, objective: str) -> dict[str, str]:
    """The paper's mean cost of each method, or none where its table is not at hand."""
    if not PUBLISHED.exists():
        return {}
    fleet, size = name.upper().split("-C")
    with PUBLISHED.open() as file:
        return {
            row["method"]: row["objective_value"]
            for row in csv.DictReader(file)
            if (row["fleet"], row["customers"], row["objective"]) == (fleet, size, objective)
        }


def ratio_of_all(instances: list[hcvrp.Instance], objective: str, count: int) -> float:
    """Mean cost of savings on all instances over that on the first `count`."""
    costs = [hcvrp.solve(instance, objective, "savings").cost for instance in instances]
    return statistics.mean(costs) / statistics.mean(costs[:count])


def measure(
    instances: list[hcvrp.Instance], objective: str, method: str, seed: int, ratio: float
) -> str:
    """Mean cost with its standard error, scaled to the whole set, processor seconds each."""
    costs, seconds = [], []
    for instance in instances:
        start = time.process_time()
        result = hcvrp.solve(instance, objective, method, seed=seed)
        seconds.append(time.process_time() - start)
        assert not result.solution.violations(instance)
        costs.append(result.cost)
    mean, error = statistics.mean(costs), statistics.stdev(costs) / len(costs) ** 0.5
    return f"{mean:.3f} ± {error:.3f} | {mean * ratio:.2f} | {statistics.mean(seconds):.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--set", default="v3-c40", dest="name")
    parser.add_argument("--count", type=int, default=32)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--methods", nargs="+", default=list(NAMES), choices=list(NAMES))
    options = parser.parse_args()
    print("| set | objective | method | paper, all 1,280 | ours | scaled to all | seconds |")
    print("|---|---|---|---|---|---|---|")
    for objective in ("min-max", "min-sum"):
        instances = hcvrp.paper_set(options.name, objective)
        ratio = ratio_of_all(instances, objective, options.count)
        for method in options.methods:
            paper = published(options.name, objective).get(NAMES[method], "")
            ours = measure(instances[: options.count], objective, method, options.seed, ratio)
            print(f"| {options.name} | {objective} | {method} | {paper} | {ours} |", flush=True)


if __name__ == "__main__":
    main()
