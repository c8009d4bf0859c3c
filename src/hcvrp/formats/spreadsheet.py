"""A spreadsheet's export taken apart: its header, its rows, and what each column means."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from hcvrp.errors import InputError
from hcvrp.formats import numerals, units
from hcvrp.formats.columns import (
    CUSTOMER,
    DEPOTS,
    FLEET,
    PLAN,
    Names,
    normal,
    of_customers,
    resembles,
)
from hcvrp.formats.encoding import decoded
from hcvrp.formats.fields import SHOWN
from hcvrp.formats.files import read_text_bytes
from hcvrp.formats.places import Where

SEPARATORS = ",;\t"

MARK = "stops: "
"""Before the name of a column that is not to be taken for another; it is no part of the name."""

MOST_LISTED = 50
"""Columns that a complaint names, and looks at for slips."""

LONGEST_TICK = 2
"""Known words of so few letters, x, no and kg, are as likely to stand in a cell as in a header."""

SEARCHED = 10
"""Among so many rows the header is looked for: some people put a title above it."""

_SEPARATOR_LINE = re.compile(r"sep=([,;\t|])\r?\n?", re.IGNORECASE)
_KEYWORD = re.compile(r"\s*[A-Z_]+\s*:")
_WORDS = set(PLAN).union(
    *({meaning, *words} for names in (CUSTOMER, FLEET) for meaning, words in names.items())
)
_DEGREES = ("lat", "lon")
_TEXTS = ("name", "type", "vehicle name", "customer name")
_BEGIN = r"(?<![^;\t\r\n])"  # of a cell, whatever may separate cells
_SIGN = r"(?=(?:[\"']|[^\S\t\r\n])*[=+\-@＝＋－＠])"  # blanks and quotes do not hide it
_PHONE = r"(?!\+[ \xa0()-]*[0-9][0-9 \xa0()-]*(?![^;\t\r\n]))"  # +49 (89) 12-3
_FORMULA = re.compile(_BEGIN + _PHONE + _SIGN)
_GUARD = re.compile(f"{_BEGIN}'{_SIGN}")


class Line(NamedTuple):
    """The cells of a row, and its place."""

    cells: list[str]
    where: Where


@dataclass(frozen=True)
class Table:
    """A file: its header as it is spelt there, and its rows, none of them blank."""

    header: list[str]
    lines: list[Line]
    separator: str = ","

    @cached_property
    def words(self) -> set[str]:
        """The header in plain words."""
        return set(map(normal, self.header))

    def understood(self, names: Names) -> Sheet:
        """The columns by meaning: a column's own name wins, then a word for it."""
        found = {meaning: self._column(meaning, words) for meaning, words in names.items()}
        return Sheet(self, {m: k for m, k in found.items() if k is not None}, names)

    def _column(self, meaning: str, words: Sequence[str]) -> int | None:
        """The column of that meaning; of two names the likelier, else two that fit are too many."""
        ranks: dict[int, list[int]] = {}
        for k, name in enumerate(self.header):
            rank = _rank(name, meaning, words)
            if rank is not None:
                ranks.setdefault(rank if meaning in _TEXTS else min(rank, 2), []).append(k)
        if not ranks:
            return None
        first, *more = ranks[min(ranks)]
        if more:
            one, other = self.header[first], self.header[more[0]]
            if one == other:
                raise InputError(f"column {one} is given twice", code="unclear-columns")
            raise InputError(
                f"columns {one} and {other} both mean {meaning}: call the right one {meaning}",
                code="unclear-columns",
            )
        return first


def _rank(name: str, meaning: str, words: Sequence[str]) -> int | None:
    """0 for the meaning itself, 1 for it with a unit, then the place among the words."""
    if name.lower() == meaning:
        return 0
    plain = normal(name)
    if plain == meaning:
        return 1
    return 2 + words.index(plain) if plain in words else None


@dataclass(frozen=True)
class Sheet:
    """A table whose columns are understood: `columns` gives the place of each meaning."""

    table: Table
    columns: dict[str, int]
    names: Names

    @property
    def rows(self) -> list[Row]:
        """All rows below the header."""
        if not self.table.lines:
            raise InputError("the file has a header but no rows")
        return [Row(self, *line) for line in self.table.lines]

    def need(self, *meanings: str) -> None:
        """Refuses a file without one of the columns."""
        for meaning in meanings:
            if meaning not in self.columns:
                hint = self.misspelt(meaning) or f" (call the right one {meaning})"
                raise InputError(
                    f"column {meaning} is missing; the file has: {self.listed}{hint}",
                    code="unclear-columns",
                )

    def misspelt(self, *meanings: str) -> str:
        """For columns spelt almost like one of these, what may be meant by them; else nothing."""
        likely = [
            (name, resembles(name, self.names)) for name, _ in islice(self.unknown, MOST_LISTED)
        ]
        meant = [f"{m} by {name!r}" for name, m in likely if m in meanings]
        return f" (did you mean {' and '.join(meant)}?)" if meant else ""

    @property
    def listed(self) -> str:
        """The columns in one line, where there are many the first of them."""
        names = [name for name in self.table.header if name]
        more = [f"and {len(names) - MOST_LISTED} more"] if len(names) > MOST_LISTED else []
        return ", ".join(names[:MOST_LISTED] + more)

    @cached_property
    def cells(self) -> list[list[str]]:
        """The cells of each column, stripped, the empty ones left out."""
        columns: list[list[str]] = [[] for _ in self.table.header]
        for line in self.table.lines:
            for column, cell in zip(columns, line.cells, strict=False):  # rows may be short
                if text := cell.strip():
                    column.append(text)
        return columns

    @property
    def unknown(self) -> Iterator[tuple[str, list[str]]]:
        """The columns that mean nothing here: their names and cells.

        One such as `id` beside a better name is no stranger, nor is one that is marked.
        """
        texts = {word for m in _TEXTS for word in (m, *self.names.get(m, ()))}
        known = set(self.columns.values())
        for k, name in enumerate(self.table.header):
            if k not in known and normal(name) not in texts and not name.startswith(MARK):
                yield name, self.cells[k]

    @cached_property
    def places(self) -> dict[str, str]:
        """Each column in a complaint: its meaning, and its name where the meaning was guessed."""
        return {
            m: f"{m} (column {guess!r})" if (guess := self._guess(m)) else m for m in self.columns
        }

    @contextmanager
    def guesses_told(self) -> Iterator[None]:
        """Within it, every InputError says which columns were taken for what."""
        try:
            yield
        except InputError as error:
            taken = [f"{name!r} for {m}" for m in self.columns if (name := self._guess(m))]
            if not taken or "(column " in str(error):
                raise
            error.sentence += f" (columns taken: {', '.join(taken)}; rename them if that is wrong)"
            raise

    def header(self, meaning: str) -> str:
        """The name of the column of that meaning."""
        return self.table.header[self.columns[meaning]]

    def _guess(self, meaning: str) -> str | None:
        """The name of the column, if it is not the meaning itself."""
        name = self.header(meaning)
        return None if normal(name) == meaning else name

    @cached_property
    def decimals(self) -> dict[str, numerals.Mark | None]:
        """The decimal mark of each column: as it shows, else as the other columns show."""
        shown = {m: self._marks(m) for m in self.columns if m not in _TEXTS}
        everywhere = self._witnesses(shown)
        # Whoever separates cells by commas has points for decimals, if nothing speaks against it.
        usual: set[numerals.Mark] = {"."} if self.table.separator == "," else set()
        return {
            meaning: _only(marks) or _only(everywhere or usual) for meaning, marks in shown.items()
        }

    def _witnesses(self, shown: dict[str, set[numerals.Mark]]) -> set[numerals.Mark]:
        """The marks that tell for all columns.

        The points of degrees do so only where commas separate cells: maps write 48.1285 whatever
        the country, and who pastes that may well write 1.200 for thousands beside it.
        """
        told = set[numerals.Mark]().union(*shown.values())
        beyond = set[numerals.Mark]().union(*(shown[m] for m in shown if m not in _DEGREES))
        only_degrees = told == {"."} and not beyond
        return set() if only_degrees and self.table.separator != "," else told

    @cached_property
    def commas_are_decimal(self) -> bool:
        """Whether 1,200 has decimals where nothing else in its column tells.

        It has where cells had to be separated otherwise, unless degrees have points.
        """
        points = any("." in self._marks(m) for m in _DEGREES if m in self.columns)
        return self.table.separator != "," and not points

    def unit_advice(self, meaning: str, number: str) -> str:
        """What to write instead of a number with its unit: not the bare one if others differ."""
        found = map(numerals.with_unit, self.cells[self.columns[meaning]])
        stated = {units.spelt(split[1]) for split in found if split}
        header = units.named(self.header(meaning))
        several = sorted(stated | ({header} if header else set()))
        if len(several) == 1:
            return f"write {number} without the unit"
        listed = f"{', '.join(several[:-1])} and {several[-1]}"
        return f"the column is in {listed}: write all in one unit, which the header may tell"

    def _marks(self, meaning: str) -> set[numerals.Mark]:
        texts = self.cells[self.columns[meaning]]
        if meaning in _DEGREES:  # no degree has thousands: 48.137 needs no second witness
            texts = [text + "0" for text in texts]
        return numerals.marks(texts)


def _only(marks: set[numerals.Mark]) -> numerals.Mark | None:
    """The mark, if it is the only one."""
    return next(iter(marks)) if len(marks) == 1 else None


class Row(NamedTuple):
    """A row of a sheet."""

    sheet: Sheet
    cells: list[str]
    where: Where

    def text(self, meaning: str) -> str:
        """The cell as it stands, "" where the row is short or the column absent."""
        column = self.sheet.columns.get(meaning, len(self.cells))
        return self.cells[column] if column < len(self.cells) else ""

    def filled(self, meaning: str) -> bool:
        """Whether there is anything in the cell."""
        return bool(self.text(meaning).strip())

    def number(self, meaning: str) -> float:
        """The cell as a number."""
        place = f"{self.where}: {self.sheet.places[meaning]}"
        text = self.text(meaning).strip()
        if not text:
            raise InputError(f"{place} is empty")
        if meaning in _DEGREES and not numerals.is_number(text):
            raise InputError(
                f"{place} is not a number: {text[:SHOWN]!r}; degrees must be decimal, such as"
                " 48.2083, with a minus for south and west"
            )
        if split := numerals.with_unit(text):
            advice = self.sheet.unit_advice(meaning, split[0])
            raise InputError(f"{place} is not a number: {text[:SHOWN]!r}; {advice}")
        decimal = self.sheet.decimals[meaning]
        if decimal is None and "," in text and self.sheet.commas_are_decimal:
            decimal = ","
        return numerals.number(text, place, decimal)

    def whole(self, meaning: str, least: int) -> int:
        """The cell as a whole number of at least `least`."""
        number = self.number(meaning)
        if not number.is_integer() or number < least:
            raise InputError(
                f"{self.where}: {self.sheet.places[meaning]} must be a whole number of at"
                f" least {least}, not {self.text(meaning).strip()[:SHOWN]}"
            )
        return int(number)

    def is_depot(self, meaning: str) -> bool:
        """Whether the cell says so."""
        return normal(self.text(meaning)) in DEPOTS


def safe(text: str) -> str:
    """The text as a spreadsheet shows it: an apostrophe stands where a formula would begin.

    Cells that begin with = + - @ are run by spreadsheets (OWASP, CSV injection), blanks before or
    not; and where cells are separated by semicolons or tabs, one begins within the text. A phone
    number, + and no more than digits, blanks, brackets and dashes, runs nothing.
    """
    return _FORMULA.sub("'", text)


def bare(cell: str) -> str:
    """The text that `safe` wrote."""
    return _GUARD.sub("", cell)


def read(path: Path) -> Table:
    """The table of a CSV file."""
    return load(decoded(read_text_bytes(path)))


def read_if_sheet(path: Path) -> Table | None:
    """The table of a .csv file, or of a .txt file that begins like one; None of all others."""
    suffix = path.suffix.lower()
    if suffix == ".csv":
        return read(path)
    if suffix != ".txt":
        return None
    text = decoded(read_text_bytes(path), errors="replace")
    return load(text) if is_sheet(text) else None


def is_sheet(text: str) -> bool:
    """Whether a text begins with a header of known words, and not with `NAME : …`.

    Excel calls its "Unicode text", with tabs, .txt; so are VRPLIB files called.
    """
    top = [line for line in _top(text) if not _KEYWORD.match(line)]
    rows = (line.split(separator) for line in top for separator in SEPARATORS if separator in line)
    return bool(_SEPARATOR_LINE.match(text)) or any(_known(_stripped(row)) > 0 for row in rows)


def load(text: str) -> Table:
    """The table of a CSV text; blank rows, and rows above the header, do not count."""
    text = text.removeprefix("\ufeff")
    told = _SEPARATOR_LINE.match(text)
    separator = told[1] if told else _separator(text)
    lines = _lines(text[told.end() :] if told else text, separator, hidden=1 if told else 0)
    if not lines:
        raise InputError("the file is empty")
    top = max(range(min(SEARCHED, len(lines))), key=lambda k: _known(lines[k].cells))
    header = [name.strip() for name in lines[top].cells]
    if _is_data(header):
        raise InputError(
            "the first line must name the columns, such as name, lat, lon, demand for stops or"
            " name, capacity, speed for vehicles;"
            f" it is: {', '.join(map(str.strip, lines[0].cells))[:SHOWN]}",
            code="unclear-columns",
        )
    del lines[: top + 1]
    for cells, where in lines:
        while not cells[-1].strip():
            cells.pop()
        if len(cells) > len(header):
            raise InputError(f"{where} has {len(cells)} cells, the header {len(header)}")
    widest = max((len(line.cells) for line in lines), default=0)
    while len(header) > widest and not header[-1]:
        header.pop()
    return Table(header, lines, separator)


def _is_data(header: Sequence[str]) -> bool:
    """Whether a row of data got into its place.

    A stop or a van may be called by a known word, and any cell may say "x", "no" or "kg".
    """
    if _known(header) == math.inf or not any(map(numerals.is_number, header)):
        return False
    return not _known([name for name in header[1:] if len(normal(name)) > LONGEST_TICK])


def _separator(text: str) -> str:
    """The one by which a row of the top has most words of a header, else which is there most."""
    top = _top(text)

    def merit(separator: str) -> tuple[float, int]:
        rows = [_stripped(line.split(separator)) for line in top]
        return max(map(_known, rows), default=0), top[0].count(separator) if top else 0

    return max(SEPARATORS, key=merit)


def _top(text: str) -> list[str]:
    """The first lines that are not blank."""
    return [line for line in text[: 1 << 14].splitlines() if line.strip()][:SEARCHED]


def _stripped(cells: Sequence[str]) -> list[str]:
    return [cell.strip(' "') for cell in cells]


def _known(cells: Sequence[str]) -> float:
    """How many words of a header there are; beyond measure where they are all that is needed.

    For a stop's own cells may well be "no", "id" and "kg".
    """
    words = set(map(normal, cells))
    return math.inf if words.issuperset(PLAN) or of_customers(words) else len(words & _WORDS)


def _lines(text: str, separator: str, hidden: int) -> list[Line]:
    """The rows that are not blank; `hidden` lines of the file stand above them."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    lines: list[Line] = []
    row = 0
    try:
        for row, cells in enumerate(reader, start=1):
            if any(map(str.strip, cells)):
                lines.append(Line(cells, Where(row, hidden + reader.line_num)))
    except csv.Error as error:
        where = Where(row + 1, hidden + reader.line_num)
        raise InputError(f"{where}: not CSV: {error}") from None
    return lines
