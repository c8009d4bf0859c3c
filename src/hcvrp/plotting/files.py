"""Writing a picture whole or not at all."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from hcvrp.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure

IMAGES = (".png", ".svg")
PAGE = ".html"


def picture_suffix(path: Path, known: tuple[str, ...]) -> str:
    """The suffix of `path` in lower case; an InputError unless it is `known`."""
    suffix = path.suffix.lower()
    if suffix not in known:
        listed = f"{', '.join(known[:-1])} or {known[-1]}"
        raise InputError(f"{path}: a picture's suffix must be {listed}, not {path.suffix!r}")
    return suffix


def save_figure(figure: Figure, path: Path) -> None:
    """Writes `figure` as PNG or SVG; the same figure gives the same bytes."""
    import matplotlib as mpl

    kind = picture_suffix(path, IMAGES)[1:]
    metadata = {"Date": None} if kind == "svg" else {}

    def draw(part: Path) -> None:
        with mpl.rc_context({"svg.hashsalt": "hcvrp"}), warnings.catch_warnings():
            # A name in a script the font lacks shows as boxes; that is no reason to complain.
            warnings.filterwarnings("ignore", message="Glyph .* missing from font")
            figure.savefig(part, format=kind, dpi=160, metadata=metadata)

    _write(path, draw)


def save_text(text: str, path: Path) -> None:
    """Writes `text` as UTF-8."""
    _write(path, lambda part: part.write_bytes(text.encode()))


def _write(path: Path, fill: Callable[[Path], object]) -> None:
    """Lets `fill` write a file beside `path`, then moves it there in one step."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        fill(part)
        part.replace(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from None
    finally:
        part.unlink(missing_ok=True)
