"""The text of a spreadsheet's export, whichever program and country wrote it."""

from __future__ import annotations

import codecs

from hcvrp.errors import InputError

_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}

SAMPLE = 1024
"""So many bytes tell UTF-16 without a mark: every other one is zero in Western text."""


def decoded(data: bytes, errors: str = "strict") -> str:
    """The text: UTF-8 or UTF-16, with or without a byte order mark, else Windows-1252.

    Excel writes UTF-16 as "Unicode text" and the system's code page, in Western countries
    Windows-1252, as plain "CSV". Bytes of 1252 are hardly ever valid UTF-8, so that is asked first.
    """
    for mark, encoding in _MARKS.items():
        if data.startswith(mark):
            return _decoded(data[len(mark) :], encoding, errors)
    if wide := _wide(data[:SAMPLE]):
        return _decoded(data, wide, errors)
    try:
        return _text(data.decode("utf-8"))
    except UnicodeDecodeError:
        return _decoded(data, "cp1252", errors)


def _wide(sample: bytes) -> str | None:
    """UTF-16 if one half of the bytes is mostly zero and the other never."""
    low, high = sample[::2].count(0), sample[1::2].count(0)
    if min(low, high) > 0 or max(low, high) < len(sample) // 4:
        return None
    return "utf-16-le" if high > low else "utf-16-be" if low > high else None


def _decoded(data: bytes, encoding: str, errors: str) -> str:
    try:
        return _text(data.decode(encoding, errors))
    except UnicodeDecodeError as error:
        tried = "UTF-8, UTF-16 or Windows-1252" if encoding == "cp1252" else encoding.upper()
        raise InputError(
            f"the file is not {tried} text: byte 0x{data[error.start]:02x} at position"
            f" {error.start}"
        ) from None


def _text(text: str) -> str:
    if "\0" in text:
        raise InputError(f"the file is not text: a zero byte at position {text.index(chr(0))}")
    return text
