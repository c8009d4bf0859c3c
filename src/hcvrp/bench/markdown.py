"""Pieces of Markdown that the tables are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; the first column to the left, the others to the right."""
    marks = ["---", *["---:"] * (len(header) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in [header, marks, *rows])


def percent(value: float | None) -> str:
    """A share as +0.52 %; nothing is a dash."""
    if value is None:
        return "–"
    return f"{round(100 * value, 2) + 0.0:+.2f} %"  # adding 0.0 rids us of −0.00


def seconds(value: float) -> str:
    """A time to three figures, in whole seconds from a hundred on."""
    return f"{value:.0f} s" if value >= 100 else f"{value:.3g} s"
