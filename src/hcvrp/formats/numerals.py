"""Numbers as people write them in spreadsheets: 1234.5, 1.234,5 or 1 234,5.

A point or a comma either separates decimals or groups thousands. Most numbers show which by
themselves; 1.234 does not, and is read as the rest of its column does it, or the rest of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, TypeAlias

from hcvrp.errors import InputError
from hcvrp.formats.fields import SHOWN, finite, number_in

Mark: TypeAlias = Literal[".", ","]

_NUMBER = re.compile(r"(?P<sign>[-+]?)(?P<body>[.,]*\d[\d.,]*)(?P<power>e[-+]?\d+)?", re.IGNORECASE)
_DOUBTFUL = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")
_GROUPING_SPACE = re.compile(r"(?<=\d)[\s'’](?=\d{3}(?!\d))")
_WITH_UNIT = re.compile(r"([-+]?\d[\d.,]*)\s*([^\W\d_][^\W\d_/.]*[23²³]?\.?|%)")
"""A unit begins with a letter or is %: what follows 12 in 12:30 or 12h30 is none."""
_MONEY = "€$£ \xa0"


def marks(texts: Iterable[str]) -> set[Mark]:
    """The decimal marks that the texts show beyond doubt."""
    return {mark for text in texts if (mark := _shown_mark(_body(text)))}


def is_number(text: str) -> bool:
    """Whether `text` looks like a number."""
    return _NUMBER.fullmatch(_ungrouped(text.strip())) is not None


def with_unit(text: str) -> tuple[str, str] | None:
    """The number and the unit behind it, as 1200 and kg of "1 200 kg"; None where none is."""
    match = _WITH_UNIT.fullmatch(_ungrouped(text.strip()))
    return (match[1], match[2]) if match else None


def is_amount(text: str) -> bool:
    """Whether `text` is a number, be it of money; a date such as 12.05.2026 only looks like one."""
    try:
        number(text.strip(_MONEY), "", ".")
    except InputError:
        return False
    return True


def number(text: str, place: str, decimal: Mark | None) -> float:
    """The number `text` spells; a doubtful one by the mark `decimal`, refused if that is None."""
    match = _NUMBER.fullmatch(_ungrouped(text))
    if match is None:
        return number_in(text, place)  # infinities and the like have their own complaint
    body = match["body"]
    if _DOUBTFUL.fullmatch(body) and decimal is None:
        whole = re.sub("[.,]", "", body)
        raise InputError(
            f"{place} is {text}, which may mean thousands or decimals: write {whole} or {body}0"
        )
    mark = _shown_mark(body) or decimal or "."
    group = "," if mark == "." else "."
    if not re.fullmatch(rf"(\d*|\d{{1,3}}(\{group}\d{{3}})+)(\{mark}\d*)?", body):
        raise InputError(f"{place} is not a number: {text[:SHOWN]!r}")
    written = body.replace(group, "").replace(mark, ".")
    return finite(float(match["sign"] + written + (match["power"] or "")), place)


def _shown_mark(body: str) -> Mark | None:
    """The decimal mark of the digits, if they show it."""
    found: list[Mark] = [c for c in body if c == "." or c == ","]  # type: ignore[misc]
    if not found or _DOUBTFUL.fullmatch(body):
        return None
    if found[-1] in found[:-1]:  # given twice it groups thousands: 1.234.567
        return "," if found[-1] == "." else "."
    return found[-1]


def _body(text: str) -> str:
    match = _NUMBER.fullmatch(_ungrouped(text.strip()))
    return match["body"] if match else ""


def _ungrouped(text: str) -> str:
    """Without the spaces and apostrophes that group thousands in France and Switzerland."""
    return _GROUPING_SPACE.sub("", text)
