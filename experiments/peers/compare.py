"""Methods side by side at equal time limits, one thread each, in one run.

    python experiments/peers/compare.py --methods pyvrp ortools vroom --sets v3-c40 v3-c100 \
        --objectives min-sum min-max --first 8 --time-limits 1 5 --out experiments/peers/results

Every answer passes the referee. Methods take turns on each instance, so that whatever else the
machine does falls on all of them alike. The run leaves OUT.csv, a row per answer, and OUT.md, a
table per set and objective: mean cost, mean gap to the best answer that any method found on the
instance at any of the limits, wins at that limit (ties count for all), mean seconds. A method that
refuses an objective is left out of its tables and named on standard error.
"""

import argparse
import csv
import importlib.metadata
import itertools
import platform
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from statistics import fmean

import hcvrp
from hcvrp.bench.provenance import processor
from hcvrp.instance import Instance

TIE = 1e-6
"""Relative difference below which two costs are the same."""


@dataclass(frozen=True)
class Row:
    """One answer."""

    set: str
    objective: str
    instance: int
    time_limit: float
    method: str
    cost: float
    seconds: float


def main() -> None:
    arguments = parse()
    rows = list(measure(arguments))
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    write_csv(rows, arguments.out.with_suffix(".csv"))
    text = "\n\n".join([machine(), *tables(rows)]) + "\n"
    arguments.out.with_suffix(".md").write_text(text)
    print(text)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Methods side by side at equal time limits.")
    parser.add_argument("--methods", nargs="+", required=True)
    parser.add_argument("--sets", nargs="+", default=["v3-c40", "v3-c100"])
    parser.add_argument("--objectives", nargs="+", default=["min-sum", "min-max"])
    parser.add_argument("--first", type=int, default=8, help="instances of each set")
    parser.add_argument("--time-limits", nargs="+", type=float, default=[1.0, 5.0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("experiments/peers/results"))
    return parser.parse_args()


def measure(arguments: argparse.Namespace) -> Iterator[Row]:
    for name, objective in itertools.product(arguments.sets, arguments.objectives):
        instances = hcvrp.paper_set(name, objective)[: arguments.first]
        methods = [m for m in arguments.methods if answers(m, instances[0], objective)]
        for number, instance in enumerate(instances):
            for limit, method in itertools.product(arguments.time_limits, methods):
                result = hcvrp.solve(
                    instance, objective, method, time_limit=limit, seed=arguments.seed
                )
                if violations := result.solution.violations(instance):
                    sys.exit(f"{method} on {instance.name}: {violations[0]}")
                cost = result.solution.cost(instance, objective)
                yield Row(name, objective, number, limit, method, cost, result.seconds)


def answers(method: str, instance: Instance, objective: str) -> bool:
    """Whether the method takes the objective at all; also loads its files once, untimed."""
    try:
        hcvrp.solve(instance, objective, method, time_limit=1.0)
    except hcvrp.InputError as refusal:
        print(f"left out: {refusal}", file=sys.stderr)
        return False
    return True


def write_csv(rows: list[Row], path: Path) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Row)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


def machine() -> str:
    versions = []
    for package in ("pyvrp", "ortools", "pyvroom"):
        try:
            versions.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    python = f"Python {platform.python_version()}"
    return f"{processor()}, one thread; {', '.join([python, *versions])}."


def tables(rows: list[Row]) -> Iterator[str]:
    for name, objective in dict.fromkeys((row.set, row.objective) for row in rows):
        chosen = [row for row in rows if (row.set, row.objective) == (name, objective)]
        count = len({row.instance for row in chosen})
        head = f"**{name}, {objective}**, first {count} instances"
        yield "\n".join([head, "", *table(chosen)])


def table(rows: list[Row]) -> Iterator[str]:
    yield "| limit, s | method | mean cost | mean gap | wins | mean seconds |"
    yield "|---:|---|---:|---:|---:|---:|"
    best = lowest(rows)
    for limit in sorted({row.time_limit for row in rows}):
        at_limit = [row for row in rows if row.time_limit == limit]
        leaders = lowest(at_limit)
        for method in dict.fromkeys(row.method for row in at_limit):
            own = [row for row in at_limit if row.method == method]
            cost = fmean(row.cost for row in own)
            gap = fmean(row.cost / best[row.instance] - 1 for row in own)
            wins = sum(row.cost <= leaders[row.instance] * (1 + TIE) for row in own)
            seconds = fmean(row.seconds for row in own)
            yield f"| {limit:g} | {method} | {cost:.3f} | {gap:.2%} | {wins} | {seconds:.2f} |"


def lowest(rows: list[Row]) -> dict[int, float]:
    """The lowest cost on each instance."""
    best: dict[int, float] = {}
    for row in rows:
        best[row.instance] = min(row.cost, best.get(row.instance, row.cost))
    return best


if __name__ == "__main__":
    main()
