"""Result files: one CSV row per answer, and beside it a JSON file about the sessions.

A file whose name ends in `.gz` is packed by gzip, to about an eighth. A row is on disk before the
next begins to count. What a killed run leaves half-written, the torn last line, is cut off when the
file is opened again.
"""

from __future__ import annotations

import csv
import fcntl
import io
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import IO, Literal, NamedTuple, Self, TypeAlias

from hcvrp.bench.packing import pack, unpack
from hcvrp.bench.plan import Cell
from hcvrp.errors import InputError
from hcvrp.formats.files import blamed, check_folder, make_folder, write_bytes, write_text
from hcvrp.provenance import Session


class Key(NamedTuple):
    """What one answer is an answer to; a result file has at most one for each."""

    set: str
    objective: str
    label: str
    seed: int
    number: int


@dataclass(frozen=True)
class Row:
    """One answer as the referee found it; `message` says why there is none."""

    set: str
    number: int
    instance: str
    objective: str
    label: str
    seed: int
    status: Literal["feasible", "optimal", "failed"]
    cost: float | None
    bound: float | None
    seconds: float
    iterations: int
    device: str
    message: str
    settings: str
    session: str

    @property
    def key(self) -> Key:
        """What it is an answer to."""
        return Key(self.set, self.objective, self.label, self.seed, self.number)


COLUMNS = [f.name for f in fields(Row)]

Place: TypeAlias = tuple[str, str, str]
"""A set, an objective and a label."""


def stem(path: Path) -> str:
    """The name of a result file without `.csv` or `.csv.gz`, which is that of its plan."""
    return path.name.removesuffix(".gz").removesuffix(".csv")


@dataclass(frozen=True)
class Measurements:
    """The rows of one or several result files, and the sessions that measured them."""

    rows: tuple[Row, ...]
    sessions: dict[str, Session]

    def answered(self) -> Iterator[Row]:
        """The rows with a cost."""
        return (row for row in self.rows if row.cost is not None)

    def machines(self) -> dict[str, str]:
        """A letter for each machine, in the order in which they were first used."""
        sessions = sorted(self.sessions.values(), key=lambda session: session.date)
        machines = dict.fromkeys(session.machine() for session in sessions)
        return {machine: chr(ord("A") + k) for k, machine in enumerate(machines)}

    def on(self, sets: Sequence[str]) -> Measurements:
        """Only those on the named sets."""
        return Measurements.of((row for row in self.rows if row.set in sets), self.sessions)

    @classmethod
    def of(cls, rows: Iterable[Row], sessions: dict[str, Session]) -> Measurements:
        """The rows with those of the sessions that measured any."""
        kept = tuple(rows)
        used = {row.session for row in kept}
        return cls(kept, {key: s for key, s in sessions.items() if key in used})


def load(paths: Iterable[Path]) -> Measurements:
    """All rows of the files; of two answers to the same, the later one with a cost counts."""
    rows: dict[Key, Row] = {}
    sessions: dict[str, Session] = {}
    for path in paths:
        with blamed(path):
            if not path.is_file():
                raise InputError("there is no such result file")
            state = path.stat()
            for row in _parsed(path.resolve(), (state.st_mtime_ns, state.st_size)):
                if row.cost is not None or row.key not in rows:
                    rows[row.key] = row
        sessions |= _read_sessions(path)
    return Measurements.of(rows.values(), sessions)


def merge(paths: Sequence[Path], out: Path) -> int:
    """Brings the rows of result files into one; how many it has then.

    Of two answers to the same, that of the last file counts, but none that failed replaces one that
    did not; `out` itself comes first. Sessions of which no row is left are forgotten.

    Raises:
        InputError: where a label stands for different settings.
    """
    with _locked(out):
        measured = load([*([out] if out.exists() else []), *paths])
        known: dict[Place, str] = {}
        with blamed(out):
            for row in measured.rows:
                _check_settings(known, (row.set, row.objective, row.label), row.settings)
            _write_sessions(out, measured.sessions)
            _write_rows(out, measured.rows)
    return len(measured.rows)


@lru_cache(maxsize=32)
def _parsed(path: Path, _: tuple[int, int]) -> list[Row]:
    """The rows of the file, read once for as long as it stays the same."""
    return _parse(_whole_lines(path))


class ResultFile:
    """A result file open for more rows, locked against a second writer."""

    def __init__(self, path: Path, session: Session, *, retry: bool = False) -> None:
        """Opens or makes the file; with `retry` the failed rows in it are forgotten."""
        self.path = path
        with blamed(path):
            self._lock = _lock(path)
            try:
                found = _parse(_whole_lines(path)) if path.exists() else []
                kept = [row for row in found if not retry or row.status != "failed"]
                self.rows = {row.key: row for row in kept}
                _write_rows(path, self.rows.values())
            except BaseException:
                _unlock(path, self._lock)
                raise
        self.session = f"{session.date}-{os.getpid()}"
        self._news: dict[str, Session] = {self.session: session}
        self._file = path.open("ab")

    def check(self, cells: Iterable[Cell]) -> None:
        """Refuses a cell whose label was run with other settings before."""
        known = {(r.set, r.objective, r.label): r.settings for r in self.rows.values()}
        with blamed(self.path):
            for cell in cells:
                place = (cell.set_name, str(cell.objective), cell.label)
                _check_settings(known, place, cell.settings)

    def add(self, rows: Iterable[Row]) -> None:
        """Appends the rows that are new; they are on disk when this returns."""
        new = {row.key: row for row in rows if row.key not in self.rows}
        self._note_session()
        self.rows |= new
        self._file.write(_encoded(self.path, _lines(new.values())))
        self._file.flush()
        os.fsync(self._file.fileno())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leaves the rows in order, whatever order they came in."""
        try:
            self._file.close()
            _write_rows(self.path, self.rows.values())
        finally:
            _unlock(self.path, self._lock)

    def _note_session(self) -> None:
        """Writes about this session before its first row."""
        if self._news:
            _write_sessions(self.path, _read_sessions(self.path) | self._news)
            self._news = {}


def _whole_lines(path: Path) -> str:
    """The file's text without a last line that has no end."""
    data = path.read_bytes()
    if _is_packed(path):
        data = unpack(data)
    try:
        return data[: data.rfind(b"\n") + 1].decode()
    except UnicodeDecodeError:
        raise InputError("this is no result file: it is not text") from None


def _write_rows(path: Path, rows: Iterable[Row]) -> None:
    """The whole file anew, the rows in order."""
    text = _line(COLUMNS) + _lines(sorted(rows, key=lambda row: row.key))
    write_bytes(path, _encoded(path, text))


def _encoded(path: Path, text: str) -> bytes:
    data = text.encode()
    return pack(data) if _is_packed(path) else data


def _is_packed(path: Path) -> bool:
    return path.suffix == ".gz"


def _write_sessions(path: Path, sessions: dict[str, Session]) -> None:
    text = json.dumps({key: asdict(s) for key, s in sorted(sessions.items())}, indent=2)
    write_text(_sidecar(path), text + "\n")


def _check_settings(known: dict[Place, str], place: Place, settings: str) -> None:
    """Refuses settings that are not those of the place; the first ones are."""
    before = known.setdefault(place, settings)
    if before != settings:
        name, _, label = place
        raise InputError(f"label {label!r} on {name} stands for {before}, and now for {settings}")


def _lock(path: Path) -> IO[str]:
    """A file beside `path` that is locked for as long as it is open."""
    make_folder(path.parent)
    check_folder(path)
    try:
        file = _lock_path(path).open("w")
    except OSError as error:
        raise InputError(f"the file cannot be written: {error.strerror}") from None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not _is_at(file, _lock_path(path)):  # whoever had it took it away just now
            raise BlockingIOError
    except BlockingIOError:
        file.close()
        raise InputError("another run is writing to this file") from None
    return file


def _is_at(file: IO[str], path: Path) -> bool:
    """Whether the open file is still the one at that path."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _unlock(path: Path, file: IO[str]) -> None:
    _lock_path(path).unlink(missing_ok=True)
    file.close()


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with blamed(path):
        file = _lock(path)
    try:
        yield
    finally:
        _unlock(path, file)


def _lock_path(path: Path) -> Path:
    return path.with_name(path.name + ".lock")


def _sidecar(path: Path) -> Path:
    return path.with_name(f"{stem(path)}.json")


def _read_sessions(path: Path) -> dict[str, Session]:
    sidecar = _sidecar(path)
    if not sidecar.exists():
        return {}
    with blamed(sidecar):
        try:
            content = json.loads(sidecar.read_text(encoding="utf-8"))
            return {key: Session(**value) for key, value in content.items()}
        except (ValueError, TypeError, AttributeError):
            raise InputError("this is no file about sessions") from None


def _lines(rows: Iterable[Row]) -> str:
    return "".join(_line(asdict(row).values()) for row in rows)


def _line(values: Iterable[object]) -> str:
    """One CSV line; floats to the last digit, text without line breaks."""
    text = io.StringIO()
    told = (v if v is None or isinstance(v, float) else " ".join(str(v).split()) for v in values)
    csv.writer(text, lineterminator="\n").writerow(told)
    return text.getvalue()


def _parse(text: str) -> list[Row]:
    reader = csv.DictReader(io.StringIO(text))
    if reader.fieldnames is None:
        return []
    if list(reader.fieldnames) != COLUMNS:
        raise InputError(f"the columns must be {','.join(COLUMNS)}")
    rows: list[Row] = []
    try:
        for values in reader:
            rows.append(_row(values))  # noqa: PERF401  as many as there are before the damage
    except (TypeError, ValueError, KeyError, csv.Error):
        raise InputError(f"line {len(rows) + 2} is damaged") from None
    return rows


def _row(values: dict[str, str]) -> Row:
    return Row(
        set=values["set"],
        number=int(values["number"]),
        instance=values["instance"],
        objective=values["objective"],
        label=values["label"],
        seed=int(values["seed"]),
        status={"feasible": "feasible", "optimal": "optimal", "failed": "failed"}[values["status"]],  # type: ignore[arg-type]
        cost=float(values["cost"]) if values["cost"] else None,
        bound=float(values["bound"]) if values["bound"] else None,
        seconds=float(values["seconds"]),
        iterations=int(values["iterations"]),
        device=values["device"],
        message=values["message"],
        settings=values["settings"],
        session=values["session"],
    )
