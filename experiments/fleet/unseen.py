"""Other fleets and sizes than the paper's: the policy's samples beside the search.

python experiments/fleet/unseen.py --first 16 --out experiments/fleet/unseen.csv

Two, four and seven vehicles with capacities 20–40 and speeds ½–1 drawn for each instance, 50 and
150 customers, uniform and clustered: the best of 1,280 samples spread over the eight symmetries,
against `sisr` with one second, one thread each. The referee judges both.
"""

import argparse
from itertools import product
from pathlib import Path

from hcvrp.instance import Instance
from hcvrp.policy import NativeFleet
from hcvrp.policy.settings import Decoding
from hcvrp.provenance import write_rows
from hcvrp.solution import Objective, Solution
from hcvrp.solver import solve
from hcvrp.starts import WEIGHTS
from hcvrp.training.evaluate import named_set

SETS = tuple(
    f"{kind}-v{vehicles}-c{customers}"
    for customers, kind, vehicles in product((50, 150), ("random", "clustered"), (2, 4, 7))
)
SAMPLES = 1280


def judged(instance: Instance, solution: Solution, objective: Objective) -> float:
    """The cost, if the referee has nothing to say."""
    if violations := solution.violations(instance):
        raise SystemExit(f"{instance.name}: {violations[0]}")
    return solution.cost(instance, objective)


def row(policy: NativeFleet, name: str, objective: Objective, first: int) -> dict[str, object]:
    """Mean costs of both, and by how much the policy is above, in per cent."""
    instances = named_set(name, objective, first)
    plans = {"greedy": Decoding(), "samples": Decoding(SAMPLES, augment=True)}
    costs: dict[str, list[float]] = {
        how: [
            judged(instance, found, objective)
            for instance, found in zip(
                instances,
                policy.answer_many(instances, objective, plan, seed=1, threads=1),
                strict=True,
            )
        ]
        for how, plan in plans.items()
    }
    costs["sisr"] = [
        judged(i, solve(i, objective, "sisr", time_limit=1, seed=1).solution, objective)
        for i in instances
    ]
    means = {how: sum(values) / len(values) for how, values in costs.items()}
    above = {f"{how}_above": 100 * (means[how] / means["sisr"] - 1) for how in plans}
    return {"set": name, "objective": str(objective), "instances": len(instances), **means, **above}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=16, help="instances of each set")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    policy = NativeFleet.load(WEIGHTS)
    rows = []
    print("| set | objective | greedy | 1,280 samples | sisr 1 s | greedy above | samples above |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for name, objective in product(SETS, Objective):
        found = row(policy, name, objective, options.first)
        rows.append(found)
        print(
            "| {set} | {objective} | {greedy:.3f} | {samples:.3f} | {sisr:.3f}"
            " | {greedy_above:.1f} % | {samples_above:.1f} % |".format(**found),
            flush=True,
        )
    write_rows(options.out, rows, "python experiments/fleet/unseen.py")


if __name__ == "__main__":
    main()
