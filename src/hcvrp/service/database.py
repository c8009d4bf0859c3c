"""The database of jobs: one SQLite file, or Postgres by its URL, and who may use it."""

from __future__ import annotations

import fcntl
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from dbos import DBOS

from hcvrp.errors import InputError

POOL = 10


def connect(url: str) -> sa.Engine:
    """An engine for the job tables and the queue alike.

    SQLite writes ahead and waits for the disk at every commit, so that an accepted job outlives
    the power as well as the process.
    """
    if url.startswith("postgresql://"):
        url = url.replace("postgresql://", "postgresql+psycopg://", 1)
        return sa.create_engine(url, pool_size=POOL, pool_pre_ping=True)
    engine = sa.create_engine(url, pool_size=POOL)
    sa.event.listen(engine, "connect", _prepare_sqlite)
    return engine


def migrate(url: str, tables: sa.MetaData) -> None:
    """Creates what is missing: the queue's tables and ours."""
    with _told():
        engine = connect(url)
        with engine.connect():
            pass
        DBOS.migrate(url)
        tables.create_all(engine)
        _check_columns(engine, tables)
        engine.dispose()


@contextmanager
def _told() -> Iterator[None]:
    """Within it, whatever the database complains of is an InputError in one sentence."""
    try:
        yield
    except InputError:
        raise
    except (sa.exc.SQLAlchemyError, ValueError, TypeError) as error:  # the latter: odd addresses
        reason = str(getattr(error, "orig", error)).strip().splitlines()[0]
        raise InputError(f"the database cannot be used: {reason}") from None


def _check_columns(engine: sa.Engine, tables: sa.MetaData) -> None:
    """Refuses a database that another version of this program made."""
    there = sa.inspect(engine)
    for table in tables.sorted_tables:
        found = {column["name"] for column in there.get_columns(table.name)}
        for column in table.columns:
            if column.name not in found:
                raise InputError(
                    f"the database was made by another version: {table.name} has no column"
                    f" {column.name}"
                )


@contextmanager
def claimed(url: str, name: str) -> Iterator[None]:
    """Within it, no other server of that name works on the database.

    Two would each take the other's running jobs for abandoned ones.
    """
    taken = InputError(f"the database is in use by another server named {name!r}")
    if url.startswith("postgresql://"):
        with _told():
            connection = connect(url).connect()
        with connection:
            key = zlib.crc32(f"hcvrp {name}".encode())
            if not connection.scalar(sa.select(sa.func.pg_try_advisory_lock(key))):
                raise taken
            connection.commit()
            yield
        return
    path = Path(f"{url.removeprefix('sqlite:///')}.{name}.lock")
    try:
        file = path.open("w")
    except OSError as error:
        raise InputError(f"the database cannot be used: {path}: {error.strerror}") from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise taken from None
        yield


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = "IMMEDIATE"
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=30000"):
        connection.execute(f"PRAGMA {pragma}")
