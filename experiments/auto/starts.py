"""Do the policy's rollouts pay as starts of the search? The numbers behind `hcvrp.rollouts`.

python experiments/auto/starts.py --out experiments/auto/starts.csv

For each set and number of samples: the gap of the rollouts, and the mean cost after so many
iterations from savings, from the rollouts, and from the rollouts with what they take (told in
iterations, timed here) subtracted. Gaps are to the best of all runs on the instance; `difference`
is what the last saves against the first, in per cent, with its standard error.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from hcvrp.bench.sets import find_set
from hcvrp.instance import Instance
from hcvrp.policy.native import NativeFleet
from hcvrp.provenance import write_rows
from hcvrp.solution import Objective, Solution
from hcvrp.solver import solve
from hcvrp.starts import WEIGHTS

SETS = (
    "random-n40-m3[9000:9024]", "random-n100-m3[9000:9024]", "random-n160-m5[9000:9024]",
    "random-n500-m10[9000:9008]",
)  # fmt: skip
BUDGETS = (300, 1_000, 3_000, 6_000, 12_000, 30_000, 100_000, 300_000)
SAMPLES = (0, 8, 32, 128, 1280)
FIELDS = ("set", "objective", "samples", "rollout_gap", "rollout_iterations", "iterations",
          "gap_from_savings", "gap_from_rollouts", "gap_at_equal_time", "difference",
          "error")  # fmt: skip


def search(instance: Instance, objective: Objective, iterations: int, *starts: Solution) -> float:
    return solve(instance, objective, "sisr", iterations=iterations, initial=starts, seed=1).cost


def processor_seconds(work: Callable[[], object], rounds: int = 3) -> float:
    """The shortest of a few tries: others on the machine only make it longer."""
    times = []
    for _ in range(rounds):
        begun = time.process_time()
        work()
        times.append(time.process_time() - begun)
    return min(times)


def rows(name: str, objective: Objective, network: NativeFleet):
    instances = find_set(name, objective).instances
    first = instances[0]
    per_iteration = processor_seconds(lambda: search(first, objective, 20_000)) / 20_000
    plain = {b: [search(i, objective, b) for i in instances] for b in BUDGETS}
    found: dict[tuple[int, int, bool], list[float]] = {}
    took: dict[int, int] = {}
    starts: dict[int, list[Solution]] = {}
    for k in SAMPLES:
        seconds = processor_seconds(lambda k=k: network.solve(first, objective, samples=k))
        took[k] = round(seconds / per_iteration)
        starts[k] = [network.solve(i, objective, samples=k)[0][1] for i in instances]
        for budget in BUDGETS:
            for fair in (False, True):
                left = budget - fair * took[k]
                if left >= 0:
                    pairs = zip(instances, starts[k], strict=True)
                    found[k, budget, fair] = [search(i, objective, left, s) for i, s in pairs]
    best = np.min([*plain.values(), *found.values()], axis=0)

    def gap(costs: list[float] | None) -> float | str:
        return "" if costs is None else round(100 * float(np.mean(costs / best - 1)), 3)

    def difference(costs: list[float] | None, others: list[float]) -> tuple[object, object]:
        if costs is None:
            return "", ""
        change = 100 * (np.array(costs) / others - 1)
        return round(change.mean(), 3), round(change.std(ddof=1) / len(costs) ** 0.5, 3)

    for k in SAMPLES:
        costs = [s.cost(i, objective) for s, i in zip(starts[k], instances, strict=True)]
        for b in BUDGETS:
            yield (name, objective, k, gap(costs), took[k], b, gap(plain[b]),
                   gap(found[k, b, False]), gap(found.get((k, b, True))),
                   *difference(found.get((k, b, True)), plain[b]))  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--objectives", nargs="+", type=Objective, default=list(Objective))
    arguments = parser.parse_args()
    network = NativeFleet.load(WEIGHTS)
    found = []
    for name in arguments.sets:
        for objective in arguments.objectives:
            for row in rows(name, objective, network):
                found.append(dict(zip(FIELDS, row, strict=True)))
                print(*row, flush=True)
    write_rows(arguments.out, found, "python experiments/auto/starts.py")


if __name__ == "__main__":
    main()
