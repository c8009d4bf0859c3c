"""What to train, on what, and how: TOML into frozen dataclasses."""

from __future__ import annotations

import json
import tomllib
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from hcvrp.env import World
from hcvrp.errors import InputError
from hcvrp.policy.config import NetworkConfig
from hcvrp.solution import Objective
from hcvrp.task import check_seed

T = TypeVar("T")


@dataclass(frozen=True)
class ProblemConfig:
    """The training distribution: the paper's, for a fleet size, a size and an objective."""

    customers: int = 40
    vehicles: int = 3
    objective: Objective = Objective.MIN_MAX

    def __post_init__(self) -> None:
        object.__setattr__(self, "objective", Objective.parse(self.objective))
        for name in ("customers", "vehicles"):
            check_least(1, getattr(self, name), f"problem {name}")

    @property
    def world(self) -> World:
        """Where instances are drawn from."""
        return World.paper(self.customers, self.vehicles, self.objective)


@dataclass(frozen=True)
class TrainingConfig:
    """Algorithm 1 of Li et al. 2021; the defaults are the paper's.

    An epoch is the paper's iteration: `steps` batches of `batch` fresh instances, after which
    the learning rate decays and the baseline may be replaced. For the first `warmup` epochs the
    baseline is a moving average of the cost with weight `momentum` on the past.
    """

    epochs: int = 50
    steps: int = 2500
    batch: int = 512
    learning_rate: float = 1e-4
    decay: float = 0.995
    clip: float = 3.0
    warmup: int = 1
    momentum: float = 0.8
    validation: int = 10_000
    significance: float = 0.05
    seed: int = 1

    def __post_init__(self) -> None:
        for name in ("epochs", "steps", "batch"):
            check_least(1, getattr(self, name), f"training {name}")
        check_least(2, self.validation, "training validation")
        check_least(0, self.warmup, "training warmup")
        check_seed(self.seed, "training seed")
        for name in ("learning_rate", "clip"):
            if not getattr(self, name) > 0:
                raise InputError(f"training {name} must be positive, not {getattr(self, name)}")
        for name, low, high in (("decay", 0, 1), ("momentum", 0, 1), ("significance", 0, 1)):
            if not low < getattr(self, name) <= high:
                raise InputError(
                    f"training {name} must lie above {low} and be at most {high},"
                    f" not {getattr(self, name)}"
                )


@dataclass(frozen=True)
class Config:
    """One training run."""

    problem: ProblemConfig = field(default_factory=ProblemConfig)
    policy: NetworkConfig = field(default_factory=NetworkConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)

    @classmethod
    def read(cls, path: Path) -> Config:
        """From a TOML file with the tables problem, policy and training."""
        return cls.parse(read_toml(path), str(path))

    @classmethod
    def parse(cls, tables: dict[str, Any], where: str = "config") -> Config:
        """From nested tables; an unknown name is an InputError that lists the known."""
        check_names(tables, ("problem", "policy", "training"), where)
        for name, table in tables.items():
            if not isinstance(table, dict):
                raise InputError(f"{where}: {name} must be a table, not {table!r}")
        problem = parse_table(ProblemConfig, tables.get("problem", {}), f"{where} [problem]")
        policy = {"vehicles": problem.vehicles} | dict(tables.get("policy", {}))
        if policy["vehicles"] != problem.vehicles:
            raise InputError(
                f"{where}: policy vehicles must be the problem's {problem.vehicles},"
                f" not {policy['vehicles']}"
            )
        return cls(
            problem,
            parse_table(NetworkConfig, policy, f"{where} [policy]"),
            parse_table(TrainingConfig, tables.get("training", {}), f"{where} [training]"),
        )

    @property
    def objective(self) -> Objective:
        """What the weights will be for."""
        return self.problem.objective

    @property
    def customers(self) -> int:
        """The size they will have been trained on."""
        return self.problem.customers

    def to_json(self) -> str:
        """As one line of JSON, keys sorted: equal configs, equal text."""
        return json.dumps(asdict(self), sort_keys=True)


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a TOML file, or an InputError in one sentence."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read config {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is no TOML file: {error}") from None


def parse_table(kind: type[T], table: dict[str, Any], where: str) -> T:
    """The table as a dataclass, its numbers checked by the defaults' types."""
    if not isinstance(table, dict):
        raise InputError(f"{where} must be a table, not {table!r}")
    known = {f.name: f for f in fields(kind)}  # type: ignore[arg-type]
    check_names(table, tuple(known), where)
    values = {}
    for name, value in table.items():
        default = known[name].default
        number = isinstance(default, int | float) and not isinstance(default, bool)
        if number and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise InputError(f"{where} {name} must be a number, not {value!r}")
        if isinstance(default, int) and not isinstance(value, int):
            raise InputError(f"{where} {name} must be a whole number, not {value!r}")
        values[name] = value
    return kind(**values)


def check_names(table: dict[str, Any], known: tuple[str, ...], where: str) -> None:
    """An InputError for a name that is not known."""
    for name in table:
        if name not in known:
            raise InputError(f"{where} has no entry {name!r}; it has: {', '.join(known)}")


def check_list(value: object, kind: type, what: str) -> None:
    """An InputError for what is no list of such things."""
    if not isinstance(value, list | tuple) or not all(
        isinstance(one, kind) and not isinstance(one, bool) for one in value
    ):
        raise InputError(f"{what}, not {value!r}")


def check_least(low: int, value: int, name: str) -> None:
    """An InputError for a value below `low`."""
    if value < low:
        raise InputError(f"{name} must be at least {low}, not {value}")
