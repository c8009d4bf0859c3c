"""Do the policy's rollouts pay on a processor? `auto` with so many of them against `sisr`.

python experiments/auto/at_equal_time.py --out experiments/auto/at_equal_time.csv

Both have the same wall time on the same instances, one thread; rollouts are made whatever the rule
of `auto` says. `difference` is what they change of the cost, in per cent, with its standard error.
"""

import argparse
from pathlib import Path

import numpy as np

from hcvrp import starts
from hcvrp.auto import Auto
from hcvrp.bench.sets import find_set
from hcvrp.provenance import write_rows
from hcvrp.solution import Objective
from hcvrp.solver import solve

LIMITS = {
    "random-n60-m3[9500:9580]": (0.01, 0.03, 0.1),
    "random-n80-m5[9500:9560]": (0.012, 0.03, 0.1, 0.4),
    "random-n100-m3[9500:9580]": (0.016, 0.03, 0.1, 0.2),
    "random-n160-m5[9500:9540]": (0.02, 0.03, 0.05, 0.1, 0.4, 1.0),
    "random-n300-m8[9500:9524]": (0.05, 0.09, 0.2, 0.4, 1.0),
    "random-n500-m10[9500:9524]": (0.1, 0.18, 0.4, 1.0),
}
SAMPLES = (1, 8, 16, 64)


def rows(name: str, objective: Objective):
    instances = find_set(name, objective).instances

    def costs(method, limit):
        return np.array(
            [solve(i, objective, method, time_limit=limit, seed=1).cost for i in instances]
        )

    for limit in LIMITS[name]:
        alone = costs("sisr", limit)
        for samples in SAMPLES:
            change = 100 * (costs(Auto(samples=samples), limit) / alone - 1)
            yield {
                "set": name,
                "objective": str(objective),
                "seconds": limit,
                "samples": samples,
                "difference": round(change.mean(), 3),
                "error": round(change.std(ddof=1) / len(change) ** 0.5, 3),
            }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--sets", nargs="+", default=list(LIMITS), choices=LIMITS)
    parser.add_argument("--objectives", nargs="+", type=Objective, default=[Objective.MIN_MAX])
    arguments = parser.parse_args()
    starts.MOST_SHARE = 0.9  # none is given up
    found = []
    for name in arguments.sets:
        for objective in arguments.objectives:
            for row in rows(name, objective):
                found.append(row)
                print(*row.values(), flush=True)
    write_rows(arguments.out, found, "python experiments/auto/at_equal_time.py")


if __name__ == "__main__":
    main()
