"""Bytes in and out of files, safely: limits before reading, all or nothing when writing."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hcvrp.errors import InputError

TEXT_LIMIT = 100 * 2**20
"""The largest text file that is read, in bytes; larger sets belong in an `.npz` file."""

BINARY_LIMIT = 2**30
"""The largest `.npz` file that is read, in bytes, unpacked as well as packed."""

_WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
"""What .xlsx and .ods files begin with, as all zip archives do, and what .xls files begin with."""


@contextmanager
def blamed(place: str | os.PathLike[str]) -> Iterator[None]:
    """Within it, the sentence of every InputError begins with the path, or a place in the file."""
    try:
        yield
    except InputError as error:
        if place:
            error.sentence = f"{os.fspath(place)}: {error.sentence}"
        raise


def read_text(path: Path, *, errors: str = "strict") -> str:
    """The file as UTF-8 text, without a byte order mark."""
    data = read_text_bytes(path)
    try:
        return data.decode("utf-8-sig", errors)
    except UnicodeDecodeError as error:
        raise InputError(
            f"the file is not UTF-8 text: byte 0x{data[error.start]:02x} at position {error.start}"
        ) from None


def read_text_bytes(path: Path) -> bytes:
    """The bytes of a text file; a workbook is refused whatever suffix it was given."""
    data = read_bytes(path, TEXT_LIMIT)
    if data.startswith(_WORKBOOKS):
        raise workbook_given()
    return data


def workbook_given() -> InputError:
    """The complaint about a workbook."""
    return InputError("a workbook cannot be read: save the sheet as CSV and give that file")


def read_bytes(path: Path, limit: int = BINARY_LIMIT) -> bytes:
    """The file's bytes; none at all, or more than `limit`, is an InputError."""
    try:
        _check_size(path.stat().st_size, limit)
        with path.open("rb") as file:
            data = file.read(limit + 1)  # a pipe has no size until it is read
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"the file cannot be read: {_reason(error)}") from None
    _check_size(len(data), limit)
    if not data:
        raise InputError("the file is empty")
    return data


def write_text(path: Path, text: str) -> None:
    """Writes the text as UTF-8, all or nothing."""
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        what = text[error.start : error.end]
        raise InputError(f"the text {what!r} cannot be written as UTF-8") from None
    write_bytes(path, data)


def write_bytes(path: Path, data: bytes) -> None:
    """Writes a temporary neighbour and renames it, so that the path holds all or nothing new."""
    try:
        target = Path(os.path.realpath(path))  # a link keeps pointing where it did
        mode = target.stat().st_mode if target.exists() else None
        if mode is not None and not stat.S_ISREG(mode):
            raise InputError("the file cannot be written: it is not a regular file")
        temporary = target.with_name(f".{os.urandom(8).hex()}.tmp")
        try:
            with temporary.open("xb") as file:
                if mode is not None:  # before the first byte: what was private stays so
                    temporary.chmod(stat.S_IMODE(mode))
                file.write(data)
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"the file cannot be written: {_reason(error)}") from None


def check_folder(path: Path) -> None:
    """Refuses a path whose folder does not exist or may not be written to."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise InputError("the file cannot be written: it is a folder")
    folder = target.parent
    if not folder.is_dir():
        raise InputError(f"the file cannot be written: there is no folder {folder}")
    if not os.access(folder, os.W_OK):
        raise InputError(f"the file cannot be written: no permission in folder {folder}")


def make_folder(folder: Path) -> None:
    """Makes the folder, and those above it, unless it is there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: the folder cannot be made: {_reason(error)}") from None


def _check_size(size: int, limit: int) -> None:
    if size > limit:
        raise InputError(
            f"the file is larger than the limit of {limit // 2**20} MiB"
            " (large datasets belong in an .npz file)"
        )


def _reason(error: OSError | ValueError) -> str:
    """The system's words for it, such as "no such file or directory"."""
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return (reason or str(error)).lower()
