"""How vehicles and trips look, and how numbers and names are written, in every picture."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hcvrp.wording import tidy

if TYPE_CHECKING:
    from hcvrp.instance import Floats

HUES = (
    (0, 114, 178),
    (213, 94, 0),
    (0, 158, 115),
    (204, 121, 167),
    (230, 159, 0),
    (86, 180, 233),
    (152, 138, 20),
    (110, 110, 110),
)
"""Safe for colour-blind readers (Okabe & Ito 2008), those seen best first. Their yellow and black
are darker and lighter here, to be seen on white and on dark pages alike."""

SHADES = 3
"""How dark a hue may be and still be told from black."""

SHAPES = {"circle": "o", "square": "s", "triangle": "^", "diamond": "D", "pentagon": "p"}
"""Stop markers, as Matplotlib calls them. Five shapes and eight hues have no common factor, so
forty vehicles differ in the pair."""

DASHES: tuple[tuple[float, ...], ...] = ((), (5, 2), (1.5, 1.5), (7, 2, 1.5, 2))
"""Lengths of lines and gaps, in line widths; () is solid. The trips of a vehicle take turns."""

PARTED = 40
"""Up to so many trips of a vehicle are parted by lines in the Gantt chart; tints part more."""

INK, MUTED, FAINT = "#1f2328", "#6e7781", "#d8dee4"


def colour(vehicle: int) -> str:
    """The vehicle's colour, "#rrggbb"; after eight the hues return darker, twice, then anew."""
    turn, hue = divmod(vehicle, len(HUES))
    return _mix(HUES[hue], 25, 1 / (1 + 0.55 * (turn % SHADES)))


def shape(vehicle: int) -> str:
    """The vehicle's stop marker, one of `SHAPES`."""
    return tuple(SHAPES)[vehicle % len(SHAPES)]


def dash(trip: int) -> tuple[float, ...]:
    """The trip's dashes, one of `DASHES`."""
    return DASHES[trip % len(DASHES)]


def tint(vehicle: int, trip: int) -> str:
    """The vehicle's colour, full and light by turns, to part neighbouring trips."""
    return colour(vehicle) if trip % 2 == 0 else _mix(_channels(colour(vehicle)), 255, 0.6)


@dataclass(frozen=True)
class Detail:
    """How much a map shows: less of everything where there is much.

    Attributes:
        line: width of a trip's line in points.
        leg: opacity of the legs from and to the depot, which all meet there; 0 leaves them out.
        stops: whether stops are marked.
        dashed: whether a vehicle's trips differ in their dashes, which need room to be seen.
        arrows: whether each trip shows its direction.
    """

    line: float
    leg: float
    stops: bool
    dashed: bool
    arrows: bool


def detail(customers: int, trips: int) -> Detail:
    """The detail for a map of so many customers and trips."""
    return Detail(
        line=min(1.5, max(0.5, 1.5 * math.sqrt(300 / customers))),
        leg=0.65 if trips <= 24 else 0.35 if trips <= 80 else 0.15 if trips <= 200 else 0.0,
        stops=customers <= 2000,
        dashed=customers <= 300,
        arrows=trips <= 40,
    )


def text_on(background: str) -> str:
    """White or ink, whichever has more contrast, (L₁ + 0.05) / (L₂ + 0.05) (WCAG 2.2, 1.4.3)."""
    light, dark = 1.05, _luminance(INK) + 0.05
    middle = _luminance(background) + 0.05
    return "#ffffff" if light / middle > middle / dark else INK


def radii(demands: Floats) -> Floats:
    """Marker radius of each customer in points: area follows demand, smaller in a crowd."""
    largest = float(np.clip(40 / math.sqrt(len(demands)), 1.0, 4.6))
    share = demands / (demands.max() or 1.0)
    return np.asarray(largest * np.sqrt(0.25 + 0.75 * share))


def shorten(text: str, limit: int) -> str:
    """`text` tidied and cut to `limit` characters, the last an ellipsis where it was cut."""
    text = tidy(text)
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def ticks(limit: float, most: int) -> list[float]:
    """Round numbers from 0 to `limit`, at most `most` steps of 1, 2 or 5 × 10ᵏ apart."""
    if limit <= 0:
        return [0.0]
    power = 10.0 ** math.floor(math.log10(limit / most))
    step = next(s * power for s in (1, 2, 5, 10) if limit / (s * power) <= most)
    return [k * step for k in range(int(limit / step + 1e-9) + 1)]


def clock_ticks(limit: float, most: int) -> list[float]:
    """Hours from 0 to `limit`, at most `most` steps apart, of round minutes, hours or days."""
    minutes = (1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720)
    days = 24 * math.ceil(limit / 24 / most)
    step = next((m / 60 for m in minutes if limit * 60 / m <= most), days)
    return [k * step for k in range(int(limit / step + 1e-9) + 1)]


def _luminance(colour: str) -> float:
    """Relative luminance of an sRGB colour, 0 to 1 (WCAG 2.2)."""
    shares = np.array(_channels(colour)) / 255
    linear = np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def _channels(colour: str) -> tuple[int, ...]:
    """Red, green and blue of "#rrggbb", 0 to 255."""
    return tuple(bytes.fromhex(colour[1:]))


def _mix(channels: tuple[int, ...], grey: int, share: float) -> str:
    """`share` of the colour, the rest that grey level."""
    return "#" + bytes(round(grey + share * (c - grey)) for c in channels).hex()
