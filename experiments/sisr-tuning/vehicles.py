"""How hot a min-max search should be for so many vehicles.

python experiments/sisr-tuning/vehicles.py > experiments/sisr-tuning/vehicles.csv

Temperatures are told in steps of one vehicle, by which the mean over m of them moves by an m-th
(`hcvrp.search.sisr.step`). Change of the mean cost against 0.25 → 0.05 whole steps, whatever m is,
with its standard error; 1,000 iterations a customer, so the answers do not depend on the machine.
"""

import numpy as np

from hcvrp.generator import generate
from hcvrp.instance import Instance, Vehicle
from hcvrp.search.sisr import Sisr, step
from hcvrp.solution import Objective
from hcvrp.solver import solve
from hcvrp.task import Task

CELLS = (  # customers, vehicles, instances
    (100, 1, 24), (100, 2, 24), (100, 3, 24), (160, 5, 24), (200, 7, 24), (500, 10, 12),
    (500, 25, 8), (1000, 50, 4),
)  # fmt: skip
TEMPERATURES = ((1.5, 0.3), (0.75, 0.15), (0.75, 0.05), (0.4, 0.15), (0.4, 0.05))
WHOLE_STEPS = (0.25, 0.05)
SEEDS = 97_000


def drawn(customers: int, vehicles: int, seed: int) -> Instance:
    """Capacities of 20 to 40, speeds of ½ to 1; every other instance is clustered."""
    rng = np.random.default_rng(SEEDS + seed)
    sizes = zip(rng.integers(20, 41, vehicles), rng.uniform(0.5, 1, vehicles), strict=True)
    fleet = [Vehicle(float(capacity), speed=float(speed)) for capacity, speed in sizes]
    kind = "clustered" if seed % 2 else "uniform"
    return generate(customers, fleet=fleet, seed=SEEDS + seed, distribution=kind)


def cost(instance: Instance, start: float, final: float) -> float:
    """Of a search between these temperatures, told in steps of one vehicle."""
    core, _ = Sisr()._prepared(Task(instance, Objective.MIN_MAX))
    unit = step(instance, Objective.MIN_MAX, core.scale)
    method = Sisr(start_temperature=start * unit, final_temperature=final * unit)
    return solve(instance, method=method, iterations=1_000 * instance.size, seed=1).cost


def main() -> None:
    print("customers,vehicles,instances,start,final,change,error")
    for customers, vehicles, count in CELLS:
        instances = [drawn(customers, vehicles, seed) for seed in range(count)]
        whole = np.array(
            [cost(i, vehicles * WHOLE_STEPS[0], vehicles * WHOLE_STEPS[1]) for i in instances]
        )
        for start, final in TEMPERATURES:
            costs = np.array([cost(i, start, final) for i in instances])
            change = 100 * (costs / whole - 1)
            error = change.std(ddof=1) / count**0.5
            figures = f"{start:g},{final:g},{change.mean():+.2f},{error:.2f}"
            print(f"{customers},{vehicles},{count},{figures}", flush=True)


if __name__ == "__main__":
    main()
