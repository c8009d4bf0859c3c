"""Grid over temperatures, power and removals, on instances drawn like the paper's but from others.

python experiments/sisr-tuning/tune.py --set v3-c40 --objective min-max --iterations 10000 \
    --count 48 --start 1.2,0.6,0.3,0.15 --final 0.1,0.03,0.01 --power 8,16

Temperatures are told in steps: multiples of the mean distance to the five nearest customers times
the mean pace. The paper's test sets use RandomState seeds 24601–24610; these use 1000.
"""

import argparse
from itertools import product

import numpy as np

from hcvrp.generator import _paper_block, paper_fleet
from hcvrp.instance import Instance
from hcvrp.search.sisr import Sisr, step
from hcvrp.solution import Objective
from hcvrp.solver import solve
from hcvrp.task import Task

SEED = 1000


def main() -> None:
    options = _options()
    vehicles, size = (int(part[1:]) for part in options.set.split("-"))
    points, demands = _paper_block(size, SEED)
    fleet = paper_fleet(vehicles, options.objective)
    instances = [
        Instance(d, fleet, depot=p[-1], customers=p[:-1])
        for p, d in zip(points[: options.count], demands[: options.count], strict=True)
    ]
    units = [_step(instance, options.objective) for instance in instances]
    print("power,mean_removed,start,final,mean_cost")
    for power, removed, start, final in product(
        options.power, options.removed, options.start, options.final
    ):
        costs = [
            solve(
                instance,
                options.objective,
                Sisr(
                    power=int(power),
                    mean_removed=removed,
                    start_temperature=start * unit,
                    final_temperature=final * unit,
                    remember=False,
                ),
                iterations=int(options.iterations),
                seed=seed,
            ).cost
            for seed, (instance, unit) in enumerate(zip(instances, units, strict=True))
        ]
        print(f"{power:g},{removed:g},{start:g},{final:g},{np.mean(costs):.4f}", flush=True)


def _step(instance: Instance, objective: str) -> float:
    task = Task(instance, Objective(objective))
    core, _ = Sisr()._prepared(task)
    return step(instance, task.objective, core.scale)


def _options() -> argparse.Namespace:
    def numbers(text: str) -> list[float]:
        return [float(part) for part in text.split(",")]

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--set", default="v3-c40")
    parser.add_argument("--objective", default="min-max", choices=["min-max", "min-sum"])
    parser.add_argument("--iterations", type=float, default=1e4)
    parser.add_argument("--count", type=int, default=32)
    parser.add_argument("--start", type=numbers, default=[0.3])
    parser.add_argument("--final", type=numbers, default=[0.05])
    parser.add_argument("--power", type=numbers, default=[16])
    parser.add_argument("--removed", type=numbers, default=[6])
    return parser.parse_args()


if __name__ == "__main__":
    main()
