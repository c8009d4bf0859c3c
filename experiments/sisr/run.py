"""Runs a method over a paper set and writes one CSV row per instance.

python experiments/sisr/run.py --set v3-c40 --objective min-max --iterations 10000 --out out.csv

Every answer goes through the referee; an infeasible one ends the run. The mean is printed.
"""

import argparse
import csv
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from hcvrp.bench.provenance import this_session
from hcvrp.generator import paper_set
from hcvrp.instance import Instance
from hcvrp.solver import solve


def main() -> None:
    options = _options()
    if options.seed_block is None:
        instances = paper_set(options.set, options.objective)
    else:
        instances = _tuning_set(options.set, options.objective, options.seed_block)
    instances = instances[: options.count]
    job = partial(_solve, options=options)
    with ProcessPoolExecutor(options.processes) as pool:
        rows = list(pool.map(job, range(len(instances)), instances))
    mean = sum(r["cost"] for r in rows) / len(rows)
    rate = sum(r["iterations"] for r in rows) / sum(r["cpu_seconds"] for r in rows)
    budget = f"{options.iterations} iterations" if options.iterations else f"{options.time} s"
    print(
        f"{options.method} {options.set} {options.objective} {budget}: mean {mean:.4f} over"
        f" {len(rows)}, {rate:,.0f} iterations per CPU second"
    )
    if options.out:
        write(options.out, rows)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--method", default="sisr")
    parser.add_argument("--set", default="v3-c40")
    parser.add_argument("--objective", default="min-max", choices=["min-max", "min-sum"])
    parser.add_argument("--iterations", type=int)
    parser.add_argument("--time", type=float, help="seconds per instance")
    parser.add_argument("--count", type=int, default=1280, help="the first so many instances")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--seed-block", type=int, help="128 tuning instances of this RandomState")
    parser.add_argument("--parameter", action="append", default=[], help="name=value, repeatable")
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def _tuning_set(name: str, objective: str, seed: int) -> list[Instance]:
    """128 instances drawn like the paper's, but from another seed."""
    from hcvrp.generator import _paper_block, paper_fleet

    vehicles, size = (int(part[1:]) for part in name.split("-"))
    points, demands = _paper_block(size, seed)
    fleet = paper_fleet(vehicles, objective)
    return [
        Instance(d, fleet, depot=p[-1], customers=p[:-1])
        for p, d in zip(points, demands, strict=True)
    ]


def _value(text: str) -> float | int | str:
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            continue
    return text


def _solve(index: int, instance: Instance, *, options: argparse.Namespace) -> dict[str, object]:
    parameters = dict(p.split("=", 1) for p in options.parameter)
    begun = time.process_time()
    result = solve(
        instance,
        options.objective,
        options.method,
        time_limit=options.time,
        iterations=options.iterations,
        seed=options.seed,
        threads=options.threads,
        **{name: _value(text) for name, text in parameters.items()},
    )
    if violations := result.solution.violations(instance):
        raise SystemExit(f"instance {index}: {violations[0]}")
    return {
        "instance": index,
        "cost": result.cost,
        "seconds": round(result.seconds, 6),
        "cpu_seconds": round(time.process_time() - begun, 6),
        "iterations": result.iterations,
    }


def write(path: Path, rows: list[dict[str, object]]) -> None:
    """The rows below a comment that says how they came about."""
    session = this_session(f"python {sys.argv[0]}")
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        file.write(f"# command: {session.command}\n# commit: {session.commit}\n")
        file.write(f"# hardware: {session.machine()}\n")
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
