"""Where numbers come from: command, commit, date, machine, versions."""

from __future__ import annotations

import csv
import hashlib
import importlib.metadata
import os
import platform
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

PACKAGES = ("numpy", "torch", "highspy", "pyvrp", "ortools", "pyvroom")

COMMIT = "HCVRP_COMMIT"
"""The environment variable that names the commit, for where there is no Git repository."""


@dataclass(frozen=True)
class Session:
    """One call of the runner; every row names the session that measured it."""

    date: str
    command: str
    commit: str
    processor: str
    cores: int
    gpu: str
    versions: dict[str, str]
    weights: dict[str, str] = field(default_factory=dict)

    def machine(self) -> str:
        """For people."""
        gpu = f", {self.gpu}" if self.gpu else ""
        return f"{self.processor}, {self.cores} cores{gpu}"


def this_session(program: str = "hcvrp") -> Session:
    """What is running now, and where; `program` stands before the arguments it was given."""
    return Session(
        date=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        command=shlex.join([*program.split(), *sys.argv[1:]]),
        commit=commit(),
        processor=processor(),
        cores=os.cpu_count() or 1,
        gpu=_gpu(),
        versions={"python": platform.python_version(), **_versions()},
        weights=shipped_weights(),
    )


def write_rows(path: Path, rows: Sequence[Mapping[str, object]], program: str) -> None:
    """Writes rows of one kind as CSV, below a comment that says how they came about."""
    session = this_session(program)
    with path.open("w", newline="", encoding="utf-8") as file:
        file.write(f"# command: {session.command}\n# commit: {session.commit}\n")
        file.write(f"# hardware: {session.machine()}\n")
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def commit() -> str:
    """The commit of the source tree, marked "-dirty" with changes; "" if nothing tells it."""
    here = str(Path(__file__).parent)
    by_git = ["git", "-C", here, "describe", "--always", "--dirty", "--exclude=*"]
    return os.environ.get(COMMIT) or _output(by_git)


def shipped_weights() -> dict[str, str]:
    """The shipped networks by the beginnings of their SHA-256: they change without the code."""
    files = sorted((Path(__file__).parent / "weights").glob("*.safetensors"))
    return {file.stem: hashlib.sha256(file.read_bytes()).hexdigest()[:12] for file in files}


def processor() -> str:
    """The processor's name."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _gpu() -> str:
    if shutil.which("nvidia-smi") is None:
        return ""
    names = _output(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"])
    return names.partition("\n")[0]


def _versions() -> dict[str, str]:
    found = {}
    for package in ("hcvrp", *PACKAGES):
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def _output(command: list[str]) -> str:
    """What the command prints, or "" when it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()
