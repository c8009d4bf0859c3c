"""Where something stands in a spreadsheet, as its program counts rows and an editor lines."""

from __future__ import annotations

from typing import NamedTuple


class Where(NamedTuple):
    """A row of the sheet, and the line of its file that it ends on.

    As a rule the numbers are the same. Where cells have line breaks there are more lines, and
    spreadsheets hide a first line `sep=;`.
    """

    row: int
    line: int

    def __str__(self) -> str:
        """For the beginning of a sentence: "line 4", or "row 4 (line 8 of the file)"."""
        return f"{self.brief} ({self._line})" if self._line else self.brief

    def called(self, name: str) -> str:
        """Likewise with the name of what stands there: "line 4 (Summe)"."""
        return f"{self.brief} ({'; '.join(filter(None, (name, self._line)))})"

    @property
    def listed(self) -> str:
        """The same without brackets: "line 4", or "row 4, line 8 of the file"."""
        return ", ".join(filter(None, (self.brief, self._line)))

    @property
    def brief(self) -> str:
        """The number that the planner sees beside the row."""
        return f"row {self.row}" if self._line else f"line {self.line}"

    @property
    def _line(self) -> str:
        return "" if self.row == self.line else f"line {self.line} of the file"


def both(one: Where, other: Where) -> str:
    """Two places in one: "lines 4 and 9", or "rows 4 and 6 (lines 5 and 9 of the file)"."""
    lines = f"lines {one.line} and {other.line}"
    if (one.row, other.row) == (one.line, other.line):
        return lines
    return f"rows {one.row} and {other.row} ({lines} of the file)"
