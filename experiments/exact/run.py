"""Proves a set of instances and writes one CSV row for each.

python experiments/exact/run.py --set v3-c40 --objective min-sum --time 30 --count 128 --out out.csv

One thread per instance; the time includes the search for the first solution. Every answer goes
through the referee.
"""

import argparse
import csv
import os
import platform
import shlex
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from benchmarks import instances

from hcvrp import Instance
from hcvrp.exact import bound


def main() -> None:
    options = _options()
    chosen = instances(options.set, options.objective)[options.first :][: options.count]
    numbers = range(options.first, options.first + len(chosen))
    with ProcessPoolExecutor(options.processes) as pool:
        rows = list(pool.map(partial(_prove, options=options), numbers, chosen))
    proven = sum(row["status"] == "optimal" for row in rows)
    gap = sum(row["gap"] for row in rows) / len(rows)
    cost = sum(row["cost"] for row in rows) / len(rows)
    seconds = sum(row["seconds"] for row in rows) / len(rows)
    print(
        f"{options.set} {options.objective} {options.time:g} s: {proven} of {len(rows)} proven,"
        f" mean gap {gap:.3%}, mean cost {cost:.4f}, mean {seconds:.1f} s"
    )
    if options.out:
        _write(options.out, rows)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--set", default="v3-c40", help="a paper set, fsmd or cvrplib")
    parser.add_argument("--objective", default="min-sum", choices=["min-max", "min-sum"])
    parser.add_argument("--time", type=float, default=30.0, help="seconds per instance")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1280)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--memory", type=float, default=4e9, help="bytes per instance")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def _prove(number: int, instance: Instance, *, options: argparse.Namespace) -> dict[str, object]:
    proof = bound(
        instance,
        options.objective,
        time_limit=options.time,
        memory=options.memory,
        seed=options.seed,
    )
    if violations := proof.solution.violations(instance):
        raise SystemExit(f"instance {number}: {violations[0]}")
    row = {
        "instance": instance.name or number,
        "customers": instance.size,
        "cost": proof.cost,
        "bound": proof.value,
        "gap": proof.gap,
        "status": "optimal" if proof.optimal else "feasible",
        "seconds": round(proof.seconds, 2),
        "first_cost": proof.history[0].cost,
        "notes": " ".join(proof.notes),
    }
    print(*(f"{key}={value}" for key, value in row.items()), flush=True)
    return row


def _write(path: Path, rows: list[dict[str, object]]) -> None:
    """The rows below a comment that says how they came about."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    ).stdout.strip()
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        file.write(f"# command: python {shlex.join(sys.argv)}\n")
        file.write(f"# commit: {commit or 'unknown'}\n")
        file.write(f"# hardware: {_processor()}, {os.cpu_count()} cores\n")
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


if __name__ == "__main__":
    main()
