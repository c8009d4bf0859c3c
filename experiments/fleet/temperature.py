"""How hot to sample `fleet`: the best of k samples at several temperatures.

    python experiments/fleet/temperature.py --customers 40 --vehicles 3 --objective min-max \
        --first 32 --samples 8,32,128,1280 --temperatures 1,1.25,1.5,1.75,2,2.5

Random instances with the paper's fleet; by the compiled core, spread over the eight symmetries.
Prints the mean change against the first temperature with its 95 % interval.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import typer

from hcvrp import Objective, generate
from hcvrp.generator import paper_fleet
from hcvrp.policy import NativeFleet
from hcvrp.policy.weights_file import locate
from hcvrp.statistics import student_quantile

SEED = 90_000
"""Of the first instance; the paper's test sets have others."""


def main(
    customers: Annotated[int, typer.Option()] = 40,
    vehicles: Annotated[int, typer.Option()] = 3,
    objective: Annotated[str, typer.Option()] = "min-max",
    first: Annotated[int, typer.Option(help="So many instances.")] = 32,
    samples: Annotated[str, typer.Option()] = "8,32,128,1280",
    temperatures: Annotated[str, typer.Option()] = "1,1.25,1.5,1.75,2,2.5",
    weights: Annotated[str, typer.Option()] = "fleet",
) -> None:
    """Prints one line per number of samples."""
    network = NativeFleet.load(locate(weights))
    fleet = paper_fleet(vehicles, Objective.parse(objective))
    instances = [generate(customers, fleet=fleet, seed=SEED + k) for k in range(first)]
    for count in map(int, samples.split(",")):
        line, base = [], None
        for heat in map(float, temperatures.split(",")):
            cost = np.array(
                [
                    network.solve(i, objective, samples=count, augment=True, temperature=heat)[0][0]
                    for i in instances
                ]
            )
            base = cost if base is None else base
            change = 100 * (cost / base - 1)
            margin = student_quantile(0.975, first - 1) * change.std(ddof=1) / first**0.5
            line.append(f"{heat:g}: {cost.mean():.5g} ({change.mean():+.2f} ± {margin:.2f} %)")
        print(f"best of {count}:", "  ".join(line), flush=True)


if __name__ == "__main__":
    typer.run(main)
