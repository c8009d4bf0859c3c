"""How SISR grows with the instance: iterations per second, cost after so long per customer.

python experiments/sisr/growth.py --processes 12 --out growth.csv

Each row comes from a process of its own, so that its peak of memory is its own too. The table is
printed as Markdown.
"""

import argparse
import multiprocessing
import resource
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product
from pathlib import Path

from hcvrp.generator import generate
from hcvrp.provenance import write_rows
from hcvrp.solver import solve

SIZES = (100, 200, 500, 1000, 2000, 5000, 10_000)
COLUMNS = {
    "objective": "{}",
    "customers": "{:,}",
    "seconds": "{:.1f}",
    "iterations_per_cpu_second": "{:,}",
    "savings": "{:.2f}",
    "cost": "{:.2f}",
    "below_savings_percent": "{:.2f} %",
    "peak_memory_mb": "{} MB",
}
"""Of the printed table, and how they are written."""


def main() -> None:
    options = _options()
    jobs = list(product(("min-max", "min-sum"), (s for s in SIZES if s <= options.most)))
    longest_first = sorted(jobs, key=lambda job: -job[1])
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(options.processes, context, max_tasks_per_child=1) as pool:
        rows = list(pool.map(partial(_row, options=options), longest_first))
    rows.sort(key=lambda row: (row["objective"], row["customers"]))
    _print(rows)
    if options.out:
        write_rows(options.out, rows, "python experiments/sisr/growth.py")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds-per-customer", type=float, default=0.01)
    parser.add_argument("--most", type=int, default=5000, help="the largest size")
    parser.add_argument("--vehicles", type=int, default=50)
    parser.add_argument("--processes", type=int, default=1, help="rows at a time")
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def _row(job: tuple[str, int], *, options: argparse.Namespace) -> dict[str, object]:
    objective, size = job
    fleet = [20.0 + 5 * (v % 5) for v in range(options.vehicles)]
    instance = generate(size, fleet=fleet, seed=1)
    start = solve(instance, objective, "savings").cost
    limit = size * options.seconds_per_customer
    begun = time.process_time()
    result = solve(instance, objective, "sisr", time_limit=limit, remember=False)
    cpu = time.process_time() - begun
    if violations := result.solution.violations(instance):
        raise SystemExit(f"{objective}, {size} customers: {violations[0]}")
    return {
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


def _print(rows: list[dict[str, object]]) -> None:
    print("|", " | ".join(name.replace("_", " ") for name in COLUMNS), "|")
    print("|" + "---|" * len(COLUMNS))
    for row in rows:
        print("|", " | ".join(form.format(row[name]) for name, form in COLUMNS.items()), "|")


if __name__ == "__main__":
    main()
