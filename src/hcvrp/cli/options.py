"""Options that several commands share, and how their values are read."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from hcvrp.cli import Interrupted
from hcvrp.cli.terminal import mutter
from hcvrp.errors import InputError

if TYPE_CHECKING:
    import hcvrp


class ObjectiveName(StrEnum):
    """The objectives by name; a twin of hcvrp.Objective that needs no NumPy to print help."""

    MIN_MAX = "min-max"
    MIN_SUM = "min-sum"


Instance: TypeAlias = Annotated[
    Path, typer.Argument(metavar="INSTANCE", help="Customers: CSV, JSON, VRPLIB or VROOM file.")
]
Solution: TypeAlias = Annotated[
    Path, typer.Argument(metavar="SOLUTION", help="Routes: JSON, CSV or .sol file.")
]
Objective: TypeAlias = Annotated[
    ObjectiveName,
    typer.Option(
        "--objective", "-b", help="min-max: be done early; min-sum: least time of all together."
    ),
]
Fleet: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--fleet",
        help="Vehicles: a CSV or JSON file, or CAPACITY[@SPEED][xCOUNT],…: 500,900 or 500@30x3.",
    ),
]
Json: TypeAlias = Annotated[
    bool, typer.Option("--json", help="Print one JSON object on standard output and nothing else.")
]
Seed: TypeAlias = Annotated[int, typer.Option("--seed", min=0, help="Another number, other luck.")]


def doubt(path: Path, instances: Iterable[hcvrp.Instance]) -> None:
    """Says on standard error where what was read is hardly what was meant, or not all there was."""
    from hcvrp.formats import far_out, unused_of_customers

    for instance in instances:
        for note in (far_out(instance), unused_of_customers(instance)):
            if note:
                mutter(f"{path}: {note}")


def examples(*lines: str) -> str:
    """Commands to copy, for the end of a help text; each keeps its line."""
    return "\n".join(("\b", "Examples:", *(f"  {line}" for line in lines)))


def fleet(text: str | None) -> list[hcvrp.Vehicle] | None:
    """The value of --fleet; says on standard error which of its columns were not used."""
    from hcvrp import formats

    if text is None:
        return None
    vehicles = formats.parse_fleet(text)
    if note := formats.unused_of_fleet(text):
        mutter(f"{text}: {note}")
    return vehicles


def answer(path: Path, problem: hcvrp.Instance, source: Path) -> hcvrp.Solution:
    """The file's solution to the problem, which came from `source`; none that breaks a rule."""
    from hcvrp import formats

    [(found, violations)] = formats.judge(path, [problem], names_of(source))
    if violations:
        raise InputError(f"{path}: not a solution of this instance: {violations[0]}")
    return found


def names_of(source: Path) -> tuple[str, str]:
    """What `hcvrp solve` calls an instance without a name that came from that file."""
    return source.stem, str(source)


def keep_inputs(target: Path | None, inputs: Iterable[Path | str | None]) -> None:
    """Refuses a target that is one of the files it is made from; a fleet may be words, or None."""
    if target is not None and any(_same_file(target, source) for source in inputs if source):
        raise InputError(f"{target}: the answer would overwrite what it was made from")


def _same_file(target: Path, source: Path | str) -> bool:
    try:
        return target.samefile(source)
    except OSError:  # one of them is not there
        return False


@contextmanager
def costing(loss: str) -> Iterator[None]:
    """Within it, Ctrl-C ends with a word on what that costs."""
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted(loss) from None


@contextmanager
def interruptible(loss: str = "the best so far is lost") -> Iterator[threading.Event]:
    """An event that Ctrl-C or a terminating signal sets; the second one ends at that `loss`."""
    cancel = threading.Event()

    def stop(_signal: int, _frame: FrameType | None) -> None:
        mutter("\nstopping; the best so far is kept (Ctrl-C again to abort)")
        cancel.set()
        for number, handler in before.items():
            signal.signal(number, handler)

    if threading.current_thread() is not threading.main_thread():
        yield cancel
        return
    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with costing(loss):
            yield cancel
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
