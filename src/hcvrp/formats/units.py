"""Units that headers and cells state: hcvrp does not convert them, but refuses to mix them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence

from hcvrp.errors import InputError
from hcvrp.instance import Instance, Vehicle
from hcvrp.wording import on_globe

KMH = "km/h"

_SPELT = {
    "kg": ("kgs", "kilo", "kilos", "kilogramm", "kilogram", "kilograms", "kilogrammes"),
    "t": ("to", "tonne", "tonnen", "tonnes", "ton", "tons", "tonelada", "toneladas", "tonnellate"),
    "g": ("gr", "gramm", "gram", "grams", "grammes", "gramos"),
    "lb": ("lbs", "pound", "pounds", "pfund", "livres", "libras"),
    "m³": ("m3", "cbm", "kubikmeter", "cubic metres", "cubic meters"),
    "l": ("liter", "litre", "liters", "litres", "litros"),
    "pieces": ("pcs", "pc", "piece", "stk", "stck", "stueck", "parcels", "pakete", "colis", "ud"),
    "pallets": ("pallet", "palette", "paletten", "palettes", "palets"),
    KMH: ("km h", "kmh", "kph", "kmph", "km per hour"),
    "mph": ("mi h", "miles h", "miles per hour"),
    "m/s": ("m s", "m sec", "metres per second", "meters per second"),
    "knots": ("knot", "kn", "kt", "kts", "knoten", "noeuds", "nudos"),
}
_UNITS = {word: unit for unit, words in _SPELT.items() for word in (unit, *words)}
_IN_BRACKETS = re.compile(r"\(([^)]{0,100})\)|\[([^\]]{0,100})\]")
"""No longer: a cell of nothing but brackets would take the square of its length."""
_LAST = re.compile(r" (in )?(kg|t|g|lbs?|l|m3|km h|kmh|kph|mph|m s|kn|knots|deg|grad|pcs|stk|ud)$")
_SPELT_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "œ": "oe", "ø": " "})
"""As Germans do without umlauts; their ø stands for an average."""


def plain(word: str) -> str:
    """The word in small plain letters and digits: "Kapazität (kg)" is "kapazitaet kg"."""
    small = unicodedata.normalize("NFC", word).lower().translate(_SPELT_OUT)
    letters = unicodedata.normalize("NFKD", small)
    spaced = "".join(c if c.isalnum() else " " for c in letters if not unicodedata.combining(c))
    return " ".join(spaced.split())


def without(header: str) -> str:
    """The header in plain letters without its unit: "Kapazität (kg)" is "kapazitaet"."""
    return _LAST.sub("", plain(_IN_BRACKETS.sub(" ", header)) or plain(header))


def named(header: str) -> str | None:
    """The unit that a header states: "t" of "Gewicht (t)", "Gewicht in t" and "Tonnen"."""
    brackets = [plain(a or b) for a, b in _IN_BRACKETS.findall(header)]
    rest = plain(_IN_BRACKETS.sub(" ", header))
    last = _LAST.search(rest)
    stated = (*(words.removeprefix("in ") for words in brackets), last[2] if last else rest)
    within = (word for words in brackets for word in words.split() if len(word) > 1)
    return next((_UNITS[words] for words in (*stated, *within) if words in _UNITS), None)


def spelt(word: str) -> str:
    """The unit by its usual sign, itself where it is not known: "kg" for "Kilo"."""
    return _UNITS.get(plain(word), word)


class Measured(list[Vehicle]):
    """A fleet, with the headers of its columns that state a unit, by meaning."""

    def __init__(self, vehicles: Sequence[Vehicle], headers: Mapping[str, str]) -> None:
        super().__init__(vehicles)
        self.headers = headers


def check_demand(header: str, fleet: object) -> None:
    """Refuses demands in another unit than the capacities, where both headers state one."""
    capacity = fleet.headers.get("capacity", "") if isinstance(fleet, Measured) else ""
    mine, theirs = named(header), named(capacity)
    if None not in (mine, theirs) and mine != theirs:
        raise InputError(
            f"demand is in {mine} (column {header!r}), but capacity in {theirs} (column"
            f" {capacity!r} of the vehicles): give both in one unit"
        )


def check_speeds(instance: Instance, fleet: object) -> None:
    """Refuses speeds in anything but km/h where distances are kilometres on the globe."""
    speed = fleet.headers.get("speed", "") if isinstance(fleet, Measured) else ""
    unit = named(speed)
    if unit not in (None, KMH) and on_globe(instance):
        raise InputError(
            f"speed is in {unit} (column {speed!r} of the vehicles), but between latitudes and"
            f" longitudes it must be in {KMH}: give the speeds in {KMH}, and say so in the header"
        )
