"""Columns of what hcvrp does not plan with: time windows, service times, pickups, priorities."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hcvrp.formats.columns import normal

_WORDS = frozenset(
    (
        *("earliest", "latest", "window", "windows", "timewindow", "deadline", "hours"),
        *("pickup", "pickups", "collection", "returns", "priority", "skill", "skills", "shift"),
        *("zeitfenster", "frueheste", "spaeteste", "abholung", "abholungen"),
        *("ruecknahme", "retouren", "standzeit", "servicezeit", "entladezeit", "prioritaet"),
        *("oeffnungszeiten", "lieferzeit", "lieferzeiten", "schicht", "fruehestens", "spaetestens"),
        *("fenetre", "creneau", "horaire", "horaires", "enlevement", "ramassage", "priorite"),
        *("ventana", "horario", "recogida", "recogidas", "prioridad", "turno"),
    )
)
"""Words of headers that mean one, whatever is in the cells."""

_PHRASES = (
    *("service time", "service duration", "unloading time", "loading time", "stop time"),
    *("dwell time", "time on site", "pick up", "delivery time", "break time", "time limit"),
    *("duree de service", "temps de service", "temps d arret", "tiempo de servicio"),
)

_ENDPOINTS = frozenset(
    (
        *("from", "to", "start", "end", "begin", "open", "opens", "opening", "close", "closes"),
        *("closing", "until", "before", "after", "due", "von", "bis", "ab", "vor", "nach"),
        *("beginn", "ende", "oeffnet", "schliesst", "debut", "fin", "ouverture"),
        *("fermeture", "desde", "hasta", "inicio", "apertura", "cierre"),
    )
)
"""Words for the ends of a window: above texts without figures they mean something else."""

_TIME = r"\d{1,2}[:h]\d{2}(:\d{2})?( ?[ap]\.?m\.?)?"
_HOUR = rf"({_TIME}|\d{{1,2}} ?(uhr|h|[ap]\.?m\.?))"
_TIMES = re.compile(rf"{_HOUR}(\s*([-–—]|bis|to|a|à)\s*{_HOUR})?( ?uhr)?", re.IGNORECASE)
_RANGE = re.compile(
    rf"\d{{1,2}}\s*[-–—]\s*{_HOUR}|\d{{1,2}}\.[0-5]\d\s*[-–—]\s*\d{{1,2}}\.[0-5]\d( ?uhr)?",
    re.IGNORECASE,
)
"""Such as 8-12 Uhr and 8.00-12.30."""

_PICKUPS = frozenset(
    ("pickup", "pick up", "collection", "abholung", "enlevement", "ramassage", "recogida")
)


def means_constraint(name: str, cells: Sequence[str]) -> bool:
    """Whether a column that is not understood tells when, how long or what else to do there."""
    if not name or not cells:
        return False
    return _is_named(normal(name), cells) or _tells_times(cells) or tells_pickups(cells)


def tells_pickups(cells: Sequence[str]) -> bool:
    """Whether some rows, such as those of a type, are pickups."""
    return any(normal(cell) in _PICKUPS for cell in set(cells))


def _is_named(plain: str, cells: Sequence[str]) -> bool:
    words = plain.split()
    if not _WORDS.isdisjoint(words) or any(phrase in plain for phrase in _PHRASES):
        return True
    figures = sum(any(map(str.isdecimal, cell)) for cell in cells)
    return not _ENDPOINTS.isdisjoint(words[:1] + words[-1:]) and 2 * figures >= len(cells)


def _tells_times(cells: Sequence[str]) -> bool:
    """Whether at least half are times of day."""
    times = sum(bool(_TIMES.fullmatch(cell) or _RANGE.fullmatch(cell)) for cell in cells)
    return 2 * times >= len(cells)
