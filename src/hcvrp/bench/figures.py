"""The figures: curves and points drawn from result files, as PNG or SVG."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

from hcvrp.bench import series
from hcvrp.bench.archive import FOLDER
from hcvrp.bench.results import Measurements, load
from hcvrp.bench.series import Series
from hcvrp.bench.sets import FRONTIER
from hcvrp.errors import InputError
from hcvrp.formats.files import make_folder
from hcvrp.generator import PAPER_SIZE
from hcvrp.plotting import style
from hcvrp.plotting.files import save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FIGURES = (
    "convergence-v3",
    "convergence-v5",
    "generalisation-v3-min-max",
    "generalisation-v3-min-sum",
    "generalisation-v5-min-max",
    "generalisation-v5-min-sum",
    "frontier",
    "training",
)
"""The names of all figures."""

LINEAR_BELOW = 0.1
"""Gaps in per cent below which the frontier's logarithmic axis goes on linearly to 0."""

GAPS = ("frontier", "generalisation")
"""What the names of figures begin with that show gaps to the best known."""

SCALED = (
    "Crosses: published means of 1,280 instances, multiplied by the mean cost of the instances"
    " drawn / of all, by our best method that answered all."
)

LETTERS = 105
"""What a line below a figure holds for each of its columns."""


@dataclass(frozen=True)
class Panel:
    """One pair of axes: what draws it, of which rows, and what is to be said below the figure."""

    draw: Callable[[Axes], None]
    drawn: Measurements
    note: str = ""


def shows_gaps(name: str) -> bool:
    """Whether the figure of that name needs the archive of the best known."""
    return name.startswith(GAPS)


def make_figure(name: str, paths: Sequence[Path], archive: Path = FOLDER) -> Figure:
    """The figure of that name, drawn from result files (`training`: from logs of training).

    Raises:
        InputError: for an unknown name, or files without anything to draw.
    """
    if name not in FIGURES:
        raise InputError(f"unknown figure {name!r}; known: {', '.join(FIGURES)}")
    if name == "training":
        return _grid([_training_panel(path) for path in paths], "Training", "")
    measured = load(paths)
    kind, _, rest = name.partition("-")
    if kind == "generalisation":
        fleet, _, objective = rest.partition("-")
        panel = _generalisation_panel(measured, archive, fleet, objective)
        return _grid([panel], "Models of one size on other sizes", "customers")
    places = [p for p in _places(measured) if p[0] in FRONTIER]
    if kind == "convergence":
        panels = [_convergence_panel(measured, *p) for p in places if p[0].startswith(rest)]
        return _grid(panels, f"Cost against time, {rest.upper()}", "seconds per instance")
    panels = [_frontier_panel(measured, archive, *place) for place in places]
    figure = _grid(panels, "Gap against time", "seconds per instance")
    _one_legend(figure)
    return figure


def _caption(panels: list[Panel]) -> str:
    """What is to be said of the panels, the seeds, and where all was measured."""
    told = list(dict.fromkeys(panel.note for panel in panels if panel.note))
    seeds = sorted({row.seed for panel in panels for row in panel.drawn.rows})
    sessions = {key: s for panel in panels for key, s in panel.drawn.sessions.items()}
    if seeds:
        told.append(f"Seed{'s' if len(seeds) > 1 else ''} {', '.join(map(str, seeds))}.")
    if sessions:
        told.append(f"Measured on {' / '.join(sorted({s.machine() for s in sessions.values()}))}.")
    return " ".join(told)


def _places(measured: Measurements) -> list[tuple[str, str]]:
    """The pairs of set and objective that have answers: small sets first, min-max to the left."""
    found = {(row.set, row.objective) for row in measured.answered()}
    return sorted(found, key=lambda p: ([int(n) for n in re.findall(r"\d+", p[0])], p))


def _grid(panels: list[Panel], title: str, below: str) -> Figure:
    from matplotlib.figure import Figure

    if not panels:
        raise InputError(f"there is nothing to draw for the figure {title!r}")
    columns = min(len(panels), 2)
    rows = -(-len(panels) // columns)
    size = (6.2 * columns + 0.6, 4.2 * rows + 0.6)
    figure = Figure(figsize=size, facecolor="white", layout="constrained")
    figure.suptitle(title, x=0.02, ha="left", size=13, weight="bold", color=style.INK)
    for number, panel in enumerate(panels, start=1):
        axes = figure.add_subplot(rows, columns, number)
        panel.draw(axes)
        axes.set_xlabel(axes.get_xlabel() or below, color=style.MUTED)
        axes.grid(which="major", color=style.FAINT, lw=0.6)
        axes.tick_params(which="both", length=0, labelcolor=style.MUTED, labelsize=9)
        axes.spines[:].set_visible(False)
    if caption := fill(_caption(panels), LETTERS * columns):
        figure.supxlabel(caption, x=0.02, ha="left", size=8, color=style.MUTED)
    return figure


def _convergence_panel(measured: Measurements, name: str, objective: str) -> Panel:
    curves, numbers = series.convergence(measured, name, objective)
    told = series.published_points(measured, name, objective, numbers)
    families = series.families(measured)
    whole = len(numbers) == PAPER_SIZE
    published = "published" if whole else f"published,\nscaled to these {len(numbers):,}"

    def draw(axes: Axes) -> None:
        for curve in curves:
            _curve(axes, families.index(curve.name), curve)
        for method in sorted(told.keys() & {"SISR", "DRL(Sample12800)"}):
            x, y = told[method].seconds, told[method].cost
            axes.plot([x], [y], "x", color=style.MUTED, ms=6, gid=f"published {method}")
            axes.annotate(
                f"{method}, {published}",
                (x, y),
                (0, 5),
                textcoords="offset points",
                ha="right",
                fontsize=7,
            )
        axes.set_xscale("log")
        axes.set_ylabel("mean cost", color=style.MUTED)
        axes.legend(frameon=False, fontsize=8)
        _head(axes, f"{name}, {objective}, the {len(numbers):,} instances that all have")

    rows = (r for r in series.converging(measured, name, objective) if r.number in numbers)
    note = SCALED if told and not whole else ""
    return Panel(draw, Measurements.of(rows, measured.sessions), note)


def _frontier_panel(measured: Measurements, archive: Path, name: str, objective: str) -> Panel:
    from matplotlib.ticker import FuncFormatter

    shared = series.comparable(measured, name, objective)
    if not shared.rows:
        raise InputError(f"no instance of {name} has answers of all labels for {objective}")
    curves = series.frontier(shared, archive)
    many = len({row.number for row in shared.rows})
    families = series.families(measured)

    def draw(axes: Axes) -> None:
        for curve in curves:
            _curve(axes, families.index(curve.name), curve)
            for x, y, label, device in zip(
                curve.x, curve.y, curve.labels, curve.devices, strict=True
            ):
                if device != "cpu":  # hollow: a GPU worked
                    axes.plot([x], [y], "o", ms=3, color="white", zorder=4, gid=f"gpu {label}")
        axes.set_xscale("log")
        axes.set_yscale("symlog", linthresh=LINEAR_BELOW)
        axes.set_ylim(0, 2 * max(LINEAR_BELOW, *(y for curve in curves for y in curve.y)))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda gap, _: f"{gap:g}"))
        axes.set_ylabel("mean gap to the best known, %", color=style.MUTED)
        _name_points(axes, [curve for curve in curves if len(curve.x) == 1])
        _head(axes, f"{name}, {objective}, {many:,} instances (hollow: with a GPU)")

    return Panel(draw, shared)


def _name_points(axes: Axes, curves: Sequence[Series]) -> None:
    """The names of single points beside them, from below, one above the other where they meet."""
    line, width = 9.0, 45.0  # points: of a name's height, and of about its length
    scale = 72 / axes.figure.dpi
    taken: list[tuple[float, float]] = []
    for curve in sorted(curves, key=lambda curve: curve.y):
        place = (curve.x[0], curve.y[0])
        x, y = axes.transData.transform(place) * scale
        beside = [top + line for left, top in taken if abs(left - x) < width]
        bottom = max([y + 1, *(top for top in beside if top < y + 4 * line)])
        taken.append((x, bottom))
        axes.annotate(
            curve.labels[0],
            place,
            (6, bottom - y),
            textcoords="offset points",
            fontsize=7,
        )


def _one_legend(figure: Figure) -> None:
    """Of the curves of all panels, above them; single points have their names beside them."""
    curves = {
        line.get_label(): line
        for axes in figure.axes
        for line in axes.get_lines()
        if len(line.get_xdata()) > 1  # type: ignore[arg-type]
    }
    names = sorted(map(str, curves))
    figure.legend(
        [curves[name] for name in names],
        names,
        loc="outside upper right",
        ncols=min(len(names), 7),
        frameon=False,
        fontsize=9,
    )


def _generalisation_panel(
    measured: Measurements, archive: Path, fleet: str, objective: str
) -> Panel:
    curves, counts = series.generalisation(measured, archive, fleet, objective)
    if not curves:
        raise InputError(f"the results have no models on {fleet} for {objective}")
    many = " to ".join(f"{n:,}" for n in sorted({min(counts), max(counts)}))

    def draw(axes: Axes) -> None:
        for k, curve in enumerate(curves):
            _curve(axes, k, curve)
        axes.set_ylabel("mean gap to the best known, %", color=style.MUTED)
        axes.legend(frameon=False, fontsize=8)
        _head(axes, f"{fleet.upper()}, {objective}, {many} instances of each size")

    drawn = {(name, curve.name) for curve in curves for name in curve.labels}
    rows = (r for r in measured.answered() if r.objective == objective)
    shown = Measurements.of((r for r in rows if (r.set, r.label) in drawn), measured.sessions)
    return Panel(draw, shown)


def _training_panel(path: Path) -> Panel:
    sampled, greedy = series.training(path)

    def draw(axes: Axes) -> None:
        axes.plot(sampled.x, sampled.y, lw=0.8, color=style.FAINT, label="sampled")
        _curve(axes, 0, greedy, "greedy, after each epoch")
        axes.set_xlabel("million instances", color=style.MUTED)
        axes.set_ylabel("mean cost", color=style.MUTED)
        axes.legend(frameon=False, fontsize=8)
        if greedy.y:
            least = min(greedy.y)
            axes.set_ylim(0.98 * least, 1.15 * least)  # the first steps would flatten the rest
        _head(axes, greedy.name.removesuffix(", greedy"))

    return Panel(draw, Measurements((), {}))


def _curve(axes: Axes, k: int, curve: Series, label: str | None = None) -> None:
    """One curve, with a group of its name in the SVG file."""
    axes.plot(
        curve.x,
        curve.y,
        marker="o",
        ms=5,
        lw=1.4,
        color=style.colour(k),
        ls=(0, style.dash(k // 8) or None),
        label=label or curve.name,
        gid=curve.name,
    )


def _head(axes: Axes, text: str) -> None:
    axes.set_title(text, loc="left", size=10, color=style.INK)


def save(figure: Figure, name: str, folder: Path) -> list[Path]:
    """Writes NAME.svg and NAME.png; their paths."""
    make_folder(folder)
    paths = [folder / f"{name}.svg", folder / f"{name}.png"]
    for path in paths:
        save_figure(figure, path)
    return paths
