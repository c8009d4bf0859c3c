"""How SISR grows with the instance: iterations per second, and the cost after 10 ms per customer.

python experiments/sisr/growth.py --out growth.csv
"""

import argparse
import csv
import resource
import time
from pathlib import Path

from hcvrp.generator import generate
from hcvrp.solver import solve

SIZES = (100, 200, 500, 1000, 2000, 5000, 10_000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds-per-customer", type=float, default=0.01)
    parser.add_argument("--most", type=int, default=5000, help="the largest size")
    parser.add_argument("--vehicles", type=int, default=50)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    rows = [
        _row(size, objective, options)
        for objective in ("min-max", "min-sum")
        for size in SIZES
        if size <= options.most
    ]
    if options.out:
        with options.out.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)


def _row(size: int, objective: str, options: argparse.Namespace) -> dict[str, object]:
    fleet = [20.0 + 5 * (v % 5) for v in range(options.vehicles)]
    instance = generate(size, fleet=fleet, seed=1)
    start = solve(instance, objective, "savings").cost
    limit = size * options.seconds_per_customer
    begun = time.process_time()
    result = solve(instance, objective, "sisr", time_limit=limit, polish="off")
    cpu = time.process_time() - begun
    row = {
        "objective": objective,
        "customers": size,
        "seconds": round(result.seconds, 2),
        "iterations": result.iterations,
        "iterations_per_cpu_second": round(result.iterations / cpu),
        "savings": round(start, 4),
        "cost": round(result.cost, 4),
        "below_savings_percent": round(100 * (1 - result.cost / start), 2),
        "peak_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }
    print(row, flush=True)
    return row


if __name__ == "__main__":
    main()
