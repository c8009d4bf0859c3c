"""Writing a picture whole or not at all."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from hcvrp.errors import InputError
from hcvrp.formats.files import blamed, check_folder, write_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

IMAGES = (".png", ".svg")
PAGE = ".html"


def check_picture(path: Path) -> None:
    """Refuses now what `plot` would refuse after a long search."""
    picture_suffix(path, (*IMAGES, PAGE))
    with blamed(path):
        check_folder(path)


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
    drawn = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "hcvrp"}), warnings.catch_warnings():
        # A name in a script the font lacks shows as boxes; that is no reason to complain.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(drawn, format=kind, dpi=160, metadata=metadata)
    save(drawn.getvalue(), path)


def save(data: bytes, path: Path) -> None:
    """Writes `data`, all or nothing."""
    with blamed(path):
        write_bytes(path, data)
