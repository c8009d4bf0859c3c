"""Values together with their place in a document, so that a complaint can name it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hcvrp.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

SHOWN = 40
"""How many characters of a wrong value a sentence shows."""


class Field(NamedTuple):
    """A JSON value and its place, such as `customers[3].demand`, counted from 0."""

    value: Any
    place: str = ""

    def record(self, required: Iterable[str], optional: Iterable[str] = ()) -> dict[str, Field]:
        """The object's fields; a missing or an unknown one is refused by name."""
        value = self.value
        if not isinstance(value, dict):
            raise self.wrong("an object")
        required = tuple(required)
        known = (*required, *optional)
        for key in value:
            if key not in known:
                place = self.inside(key)
                raise InputError(f"unknown field {place}; known here: {', '.join(known)}")
        for key in required:
            if key not in value:
                raise InputError(f"{self.inside(key)} is missing")
        return {key: Field(value[key], self.inside(key)) for key in value}

    def items(self) -> list[Field]:
        """The list's entries."""
        if not isinstance(self.value, list):
            raise self.wrong("a list")
        return [Field(entry, f"{self.place}[{k}]") for k, entry in enumerate(self.value)]

    def number(self) -> float:
        """A finite number; text and booleans are none."""
        if type(self.value) is not float and type(self.value) is not int:
            raise self.wrong("a number")
        return finite(self.value, self.place)

    def whole(self, least: int) -> int:
        """A whole number of at least `least`."""
        number = self.number()
        if not number.is_integer() or number < least:
            raise self.wrong(f"a whole number of at least {least}")
        return int(number)

    def text(self) -> str:
        """A piece of text."""
        if not isinstance(self.value, str):
            raise self.wrong("text")
        return self.value

    def matrix(self) -> NDArray[np.float64]:
        """A square table of finite numbers."""
        rows = self.items()
        for row in rows:
            entries = row.value
            if not isinstance(entries, list):
                raise row.wrong("a list")
            if len(entries) != len(rows):
                raise InputError(f"{row.place} must have {len(rows)} entries, not {len(entries)}")
            if not set(map(type, entries)) <= {int, float}:
                for entry in row.items():
                    entry.number()
        try:
            return np.array(self.value, dtype=np.float64).reshape(len(rows), len(rows))
        except OverflowError:
            raise InputError(f"{self.place} holds a number that is too large") from None

    def wrong(self, wanted: str) -> InputError:
        """The complaint that this is not what was wanted."""
        return InputError(f"{self.place or 'the document'} must be {wanted}, not {shown(self)}")

    def inside(self, key: str) -> str:
        """The place of a field of this object."""
        return f"{self.place}.{clipped(key)}" if self.place else clipped(key)


def shown(field: Field) -> str:
    """The value as JSON text, clipped; for a list or an object, what it is."""
    if isinstance(field.value, dict):
        return "an object"
    if isinstance(field.value, list):
        return "a list"
    return clipped(json.dumps(field.value, ensure_ascii=False))


def clipped(text: str) -> str:
    """The beginning of a text that may be long."""
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"


def finite(value: float, place: str) -> float:
    """`value` as a finite float."""
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InputError(f"{place} must be finite, not {number}")
    return number


def number_in(text: str, place: str) -> float:
    """The number a piece of text spells."""
    try:
        if "_" in text:  # Python's own spelling, nobody else's
            raise ValueError
        return finite(float(text), place)
    except InputError:
        raise
    except ValueError:
        raise InputError(f"{place} is not a number: {text[:SHOWN]!r}") from None


def whole_in(text: str, place: str, least: int) -> int:
    """The whole number of at least `least` that a piece of text spells."""
    number = number_in(text, place)
    if not number.is_integer() or number < least:
        raise InputError(f"{place} must be a whole number of at least {least}, not {text[:SHOWN]}")
    return int(number)


def plain(number: float) -> int | float:
    """The number as people write it, 3 for 3.0; it reads back the same."""
    number = float(number)
    return int(number) if number.is_integer() and abs(number) < 2**53 else number
