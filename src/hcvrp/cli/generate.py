"""`hcvrp generate`: random instances, or a paper set by name."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hcvrp.cli import options
from hcvrp.cli.terminal import mutter, say
from hcvrp.errors import InputError

if TYPE_CHECKING:
    from hcvrp.instance import Instance


class Distribution(StrEnum):
    """How customers are scattered."""

    UNIFORM = "uniform"
    CLUSTERED = "clustered"


EXAMPLES = options.examples(
    "hcvrp generate --customers 40 --vehicles 3 --seed 7 --out town.json",
    "hcvrp generate --paper v3-c40 --out v3-c40.npz",
)


def command(
    customers: Annotated[
        int | None, typer.Option("--customers", "-n", help="How many customers.")
    ] = None,
    vehicles: Annotated[
        int | None,
        typer.Option(
            "--vehicles", "-m", help="How many, of capacities 20, 25, 30, …; 3 unless told."
        ),
    ] = None,
    fleet: options.Fleet = None,
    seed: options.Seed = 0,
    count: Annotated[
        int | None, typer.Option("--count", min=1, help="How many, with seeds seed, seed+1, …")
    ] = None,
    distribution: Annotated[
        Distribution | None,
        typer.Option("--distribution", help="How they lie; uniform unless told."),
    ] = None,
    paper: Annotated[
        str | None, typer.Option("--paper", help="A test set of the paper: v3-c40 … v5-c160.")
    ] = None,
    objective: Annotated[
        options.ObjectiveName | None,
        typer.Option(
            "--objective",
            "-b",
            help="With --paper: which speeds (min-sum is slower); min-max unless told.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="File: .json, .npz, .vrp, .txt, or .csv for customers alone; else JSON here.",
        ),
    ] = None,
) -> None:
    """Make random instances, or a test set of the paper."""
    from hcvrp import formats

    _check_target(out, fleet)
    if paper is not None:
        if any(given is not None for given in (customers, vehicles, fleet, distribution)) or seed:
            raise InputError(
                "--paper fixes customers, vehicles, distribution and seeds; drop those options"
            )
        instances = _paper(paper, objective or options.ObjectiveName.MIN_MAX, count)
    else:
        if objective is not None:
            raise InputError(f"--objective {objective} goes with --paper only: it sets its speeds")
        scattered = distribution or Distribution.UNIFORM
        instances = _random(customers, vehicles, fleet, seed, count or 1, scattered)
    thing = instances[0] if len(instances) == 1 else instances
    if out is None:
        say(formats.format_json(thing).removesuffix("\n"))
    else:
        formats.write(out, thing)
        what = "1 instance" if len(instances) == 1 else f"{len(instances)} instances"
        alone = ", customers alone: a .csv has no vehicles" if out.suffix.lower() == ".csv" else ""
        mutter(f"wrote {what} to {out}{alone}")


def _check_target(out: Path | None, fleet: str | None) -> None:
    """Refuses now what would fail after the work."""
    from hcvrp.formats.files import blamed, check_folder

    options.keep_inputs(out, [fleet])
    if out is not None:
        with blamed(out):
            check_folder(out)


def _paper(name: str, objective: options.ObjectiveName, count: int | None) -> list[Instance]:
    """A set of the paper's tables; a slip such as v3-c400 shall not pass for one of them."""
    from hcvrp.generator import PAPER_SETS, PAPER_SIZE, paper_set

    if count is not None and count > PAPER_SIZE:
        raise InputError(f"--count must be at most {PAPER_SIZE} with --paper, not {count}")
    if name.lower() not in PAPER_SETS:
        raise InputError(f"unknown paper set {name!r}; the paper has: {', '.join(PAPER_SETS)}")
    return paper_set(name, objective)[:count]


def _random(
    customers: int | None,
    vehicles: int | None,
    fleet: str | None,
    seed: int,
    count: int,
    distribution: Distribution,
) -> list[Instance]:
    from hcvrp.generator import generate

    if customers is None:
        raise InputError("--customers is missing (or name a set of the paper with --paper)")
    return [
        generate(
            customers,
            vehicles,
            fleet=options.fleet(fleet),
            seed=seed + k,
            distribution=distribution.value,
            name=f"{distribution}-n{customers}-s{seed + k}",
        )
        for k in range(count)
    ]
