"""Columns of a spreadsheet that mean nothing here: what they may be, and which to speak of."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hcvrp.formats import numerals
from hcvrp.formats.columns import normal

MOST = 50
"""Larger numbers are as a rule no count of vehicles."""

_LABELS = frozenset(
    (
        *("id", "nr", "no", "num", "pos", "position", "index", "row", "line", "zeile", "lfd"),
        *("ref", "code", "key", "zip", "plz", "postcode", "postal", "postleitzahl", "phone"),
        *("telephone", "tel", "telefon", "telefono", "mobile", "mobil", "handy", "fax"),
        *("year", "annee", "ano", "built", "model", "modell", "class", "klasse", "category"),
        *("kategorie", "group", "gruppe", "zone", "gebiet", "tour", "route", "house", "vin"),
        *("depot", "lager", "norm"),
    )
)
"""Words of headers above numbers that only tell things apart."""

_LABEL_ENDS = ("nummer", "nr", "jahr", "id")
"""Of German words, which are put together; and of such as vehicleid."""

_MEASURES = frozenset(
    (
        *("cost", "costs", "price", "fee", "rate", "wage", "euro", "cout", "prix", "coste"),
        *("costo", "precio", "tarif", "lohn", "fix", "fixed", "per", "pro", "je", "par", "por"),
        *("time", "times", "hour", "hours", "minutes", "min", "shift", "start", "end", "from"),
        *("to", "von", "bis", "until", "duration", "schicht", "age", "alter", "priority"),
        *("prioritaet", "rank", "length", "height", "width", "volume", "size", "area", "doors"),
        *("axles", "axle", "seats", "wheels", "pallets", "boxes", "stops", "trips", "crew"),
        *("drivers", "range", "fuel", "consumption", "km", "weight", "tonnage"),
    )
)
"""Words of headers above numbers that measure something else than how many vehicles there are."""

_MEASURE_ENDS = (
    *("kosten", "preis", "zeit", "dauer", "stunden", "minuten", "laenge", "hoehe", "breite"),
    *("volumen", "gewicht", "achsen", "sitze", "plaetze", "paletten", "stopps", "touren"),
    *("fahrer", "reichweite", "verbrauch", "klasse", "satz"),
)
_COUNTED = re.compile(r"\b(number|num|no|nr) (of|der)\b")
_PIECES = re.compile(r"[(\[] *(pcs|pieces|stk|stück|uds?|units)\.? *[)\]]", re.IGNORECASE)
_UNIT = re.compile(r"[(\[/€$£%]")
_SMALL = re.compile(r"(0|[1-9]\d?)([.,]0{1,2})?")
_CODE = re.compile(r"0\d+|\+?\d{7,}")
"""Of a phone, an account or a place, not of a sum."""


def likely_count(name: str, cells: Sequence[str]) -> int | None:
    """The largest, if these may be numbers of vehicles: small, whole, and the name says no other.

    Ones alone may be passed over, for that is what a count is unless told.
    """
    whole = [int(match[1]) for match in map(_SMALL.fullmatch, cells) if match]
    most = max(whole, default=0)
    if len(whole) < len(cells) or not 1 < most <= MOST:
        return None
    return None if means_other(name) or _is_numbering(cells) else most


def means_other(name: str) -> bool:
    """Whether a header plainly is of something else than how many vehicles there are."""
    return _is_label(name) or _is_measure(name)


def worth_telling(name: str, cells: Sequence[str]) -> bool:
    """Whether who passes over these should say so: they are amounts, not labels."""
    if not name or not cells or not all(map(numerals.is_amount, cells)):
        return False
    if _is_label(name) and not _measures(name):  # the cost per tour is no tour
        return False
    return not (_is_numbering(cells) or any(map(_CODE.fullmatch, cells)))


def _is_label(name: str) -> bool:
    plain = normal(name)
    words = plain.split()
    if _COUNTED.search(plain):
        return False
    named = len(words) > 1 and words[-1] in ("number", "numero")  # a licence number
    return named or any(w in _LABELS or w.endswith(_LABEL_ENDS) for w in words)


def _is_measure(name: str) -> bool:
    return _measures(name) or bool(_UNIT.search(name) and not _PIECES.search(name))


def _measures(name: str) -> bool:
    """Whether a word of it does, leaving units aside: (mobile) after phone is none."""
    return any(w in _MEASURES or w.endswith(_MEASURE_ENDS) for w in normal(name).split())


def _is_numbering(cells: Sequence[str]) -> bool:
    """Whether these are the rows, counted: with fewer than three nobody can tell."""
    if len(cells) < 3 or not all(map(str.isdecimal, cells)):
        return False
    first = int(cells[0])
    return [int(cell) for cell in cells] == list(range(first, first + len(cells)))
