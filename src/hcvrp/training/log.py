"""What a run leaves behind and shows: a CSV file, TensorBoard events, a live display."""

from __future__ import annotations

import csv
import math
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Protocol, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from hcvrp.errors import InputError
from hcvrp.formats.files import make_folder, write_bytes

LOG, COSTS = "log.csv", "validation.csv"
COSTS_COLUMNS = ["step", "seconds", "set", "cost"]

_WORDS = ("set", "validation", "baseline_replaced")
"""The columns that are no numbers, or not in every line."""


@dataclass(frozen=True)
class Row:
    """One line of the log: means since the line before; `validation` after an epoch only.

    With the samples' mean as baseline, costs are in units of the instances' time scales, and
    `baseline_replaced` says whether the validation is the best so far.
    """

    step: int
    epoch: int
    instances: int
    seconds: float
    cost: float
    baseline: float
    gradient_norm: float
    learning_rate: float
    instances_per_second: float
    validation: float | None = None
    baseline_replaced: bool | None = None

    def line(self) -> str:
        """For people."""
        text = (
            f"epoch {self.epoch} step {self.step}  cost {self.cost:.4f}"
            f"  baseline {self.baseline:.4f}  {self.instances_per_second:,.0f} instances/s"
        )
        if self.validation is None:
            return text
        replaced = ", new best" if self.baseline_replaced else ""
        return f"{text}  greedy {self.validation:.4f}{replaced}"


COLUMNS = {LOG: [f.name for f in fields(Row)], COSTS: COSTS_COLUMNS}
"""The columns of each file."""


class Display(Protocol):
    """Something that shows rows as they come."""

    def show(self, row: Row, done: float, left: float | None) -> None:
        """Shows `row` of a run that is `done` (0 to 1) and has `left` seconds to go."""
        ...

    def close(self) -> None:
        """Leaves the terminal as it was."""
        ...


class Lines:
    """Plain lines, at most one in `every` seconds besides those of epochs."""

    def __init__(self, every: float = 10.0) -> None:
        self.every = every
        self._last = 0.0

    def show(self, row: Row, done: float, left: float | None) -> None:
        """Prints the row if it is time."""
        now = time.monotonic()
        if row.validation is None and now - self._last < self.every:
            return
        self._last = now
        remaining = "" if left is None else f"  {left / 60:.1f} min left"
        print(f"[{done:4.0%}] {row.line()}{remaining}", flush=True)

    def close(self) -> None:
        """Nothing to restore."""


class Bar:
    """A live progress bar."""

    def __init__(self, console: Console) -> None:
        self._progress = Progress(
            BarColumn(20),
            TextColumn("{task.percentage:3.0f}%  {task.description}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
        )
        self._task = self._progress.add_task("starting", total=1.0)
        self._progress.start()

    def show(self, row: Row, done: float, left: float | None) -> None:  # noqa: ARG002
        """Moves the bar."""
        self._progress.update(self._task, completed=done, description=row.line())

    def close(self) -> None:
        """Stops the live display."""
        self._progress.stop()


def display() -> Display:
    """A live bar on a terminal, plain lines elsewhere."""
    console = Console(file=sys.stdout)
    return Bar(console) if console.is_terminal else Lines()


class Log:
    """The CSV file and TensorBoard events of a run; lines after `step` are from a lost future."""

    def __init__(self, out: Path, step: int) -> None:
        from torch.utils.tensorboard import SummaryWriter

        make_folder(out)
        path, self._costs = out / LOG, out / COSTS
        _cut_back(path, step)
        _cut_back(self._costs, step)
        new = not path.exists()
        self._file = path.open("a", newline="", encoding="utf-8")
        self._csv = csv.DictWriter(self._file, COLUMNS[LOG])
        if new:
            self._csv.writeheader()
        self._events = SummaryWriter(str(out / "tensorboard"), purge_step=step + 1)

    def write(self, row: Row, costs: Mapping[str, float] = MappingProxyType({})) -> None:
        """Appends the row everywhere, and validation `costs` by set to a file of their own."""
        values = asdict(row)
        self._csv.writerow(
            {k: f"{v:.6g}" if isinstance(v, float) else v for k, v in values.items()}
        )
        self._file.flush()
        for name, value in values.items():
            if name not in ("step", "epoch") and value is not None:
                self._events.add_scalar(name, float(value), row.step)
        if costs:
            self._write_costs(row, costs)

    def _write_costs(self, row: Row, costs: Mapping[str, float]) -> None:
        new = not self._costs.exists()
        with self._costs.open("a", newline="", encoding="utf-8") as file:
            lines = csv.writer(file)
            if new:
                lines.writerow(COSTS_COLUMNS)
            for name, value in costs.items():
                lines.writerow([row.step, f"{row.seconds:.1f}", name, f"{value:.5f}"])
                self._events.add_scalar(f"validation/{name}", value, row.step)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()
        self._events.close()


def refuse_logs(out: Path) -> None:
    """Refuses a folder whose logs a new run would take away; headers alone are no loss."""
    for name, columns in COLUMNS.items():
        path = out / name
        header = f"{','.join(columns)}\r\n".encode()
        if path.exists() and not header.startswith(path.read_bytes()):
            raise InputError(
                f"{path} is of a run without a checkpoint, and would be lost:"
                " choose another folder, or resume to begin anew there"
            )


def _cut_back(path: Path, step: int) -> None:
    """Forgets the lines after `step` and what a kill has torn; the file, if nothing is left."""
    if not path.exists():
        return
    text = path.read_bytes().decode(errors="replace")
    header, *lines = text[: text.rfind("\n") + 1].splitlines(keepends=True) or [""]
    columns = header.strip().split(",")
    if step == 0 or "step" not in columns:
        path.unlink()
        return
    kept = (line for line in lines if _step(line, columns) <= step)
    write_bytes(path, "".join((header, *kept)).encode())


def _step(line: str, columns: list[str]) -> float:
    """The step of a line, infinite if not all of the line is there."""
    try:
        values = dict(zip(columns, next(csv.reader([line])), strict=True))
        numbers = {name: float(value) for name, value in values.items() if name not in _WORDS}
    except (ValueError, csv.Error):
        return math.inf
    return numbers["step"]
