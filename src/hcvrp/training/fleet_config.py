"""What the `fleet` policy trains on, and how: phases of shapes in TOML, frozen dataclasses here."""

from __future__ import annotations

import json
import math
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from hcvrp.env import MixedWorld, World
from hcvrp.errors import InputError
from hcvrp.policy.config import NetworkConfig
from hcvrp.policy.settings import SYMMETRIES
from hcvrp.solution import Objective
from hcvrp.task import check_seed
from hcvrp.training.config import check_least, check_list, check_names, parse_table, read_toml

Optimizer: TypeAlias = Literal["adam", "muon"]
OPTIMIZERS: tuple[str, ...] = get_args(Optimizer)


@dataclass(frozen=True)
class Shape:
    """Batches of one size: so many customers, and fleet sizes to draw from (see `MixedWorld`).

    The largest fleet size and the batch decide the tensors' shape; each shape is captured once.
    """

    customers: int = 40
    vehicles: tuple[int, ...] = (3,)
    batch: int = 256
    weight: float = 1.0

    def __post_init__(self) -> None:
        check_list(self.vehicles, int, "shape vehicles must be a list of whole numbers")
        object.__setattr__(self, "vehicles", tuple(self.vehicles))
        MixedWorld(self.customers, self.vehicles, Objective.MIN_MAX)
        check_least(1, self.batch, "shape batch")
        if not 0 < self.weight < math.inf:
            raise InputError(f"shape weight must be positive, not {self.weight}")


@dataclass(frozen=True)
class Phase:
    """Up to the share `until` of the run: which shapes, and what counts beside the samples' mean.

    `leader` is the extra weight of the best sample, `imitation` that of an update from examples of
    the search: its gradient is clipped to so many times the norm of others, 0 means no examples.
    """

    until: float = 1.0
    leader: float = 0.0
    imitation: float = 0.0
    shapes: tuple[Shape, ...] = (Shape(),)

    def __post_init__(self) -> None:
        if not 0 < self.until <= 1:
            raise InputError(f"phase until must lie above 0 and be at most 1, not {self.until}")
        for name in ("leader", "imitation"):
            if not 0 <= getattr(self, name) < math.inf:
                raise InputError(f"phase {name} must be at least 0, not {getattr(self, name)}")
        if not self.shapes:
            raise InputError("a phase needs at least one shape")

    def pick(self, random: float) -> Shape:
        """The shape that falls to a random number below 1, by weight."""
        bounds = np.cumsum([shape.weight for shape in self.shapes])
        number = int(np.searchsorted(bounds, random * bounds[-1], side="right"))
        return self.shapes[min(number, len(self.shapes) - 1)]


@dataclass(frozen=True)
class SamplingConfig:
    """REINFORCE with the samples' mean as baseline.

    The run is `minutes` long, in as many pieces as one likes; learning rate and phases follow
    the share of them that is behind. With `updates` it is as many of them long instead, which
    does not depend on how fast the machine is. The `optimizer`'s rate rises over `warmup` updates
    and falls as a cosine to `last_rate`. Every `steps` updates the averaged weights (`average` on
    the past) are validated on `validation` instances of each of `sets`. Each instance is seen under
    `views` of the eight symmetries of the square and gets `samples` rollouts in all. A share
    `clustered` of the instances has clustered customers. Where a phase imitates, the averaged
    weights' best samples of fresh instances, `imitated` times a batch, go to the search every
    `imitate_every` updates, for `search_iterations` each, and come back as examples twice as many
    updates later. On CUDA, `fused` makes each rollout by one kernel, and `compiled` fuses those of
    the gradient pass, about twenty seconds per shape.
    """

    minutes: float = 60.0
    updates: int = 0
    steps: int = 500
    samples: int = 32
    views: int = 2
    optimizer: Optimizer = "adam"
    learning_rate: float = 3e-4
    last_rate: float = 1e-5
    warmup: int = 200
    clip: float = 1.0
    average: float = 0.998
    clustered: float = 0.2
    imitate_every: int = 5
    imitated: float = 0.25
    search_iterations: int = 3_000
    validation: int = 512
    sets: tuple[str, ...] = ("v3-c40", "v5-c80", "mixed-c60")
    fused: bool = True
    compiled: bool = True
    seed: int = 1

    def __post_init__(self) -> None:
        check_list(self.sets, str, "training sets must be a list of names")
        if not self.sets:
            raise InputError("training sets must name at least one set to validate on")
        object.__setattr__(self, "sets", tuple(self.sets))
        for name in ("steps", "validation", "imitate_every", "search_iterations"):
            check_least(1, getattr(self, name), f"training {name}")
        check_least(0, self.updates, "training updates")
        check_least(2, self.samples, "training samples")
        if self.optimizer not in OPTIMIZERS:
            raise InputError(
                f"training optimizer must be {' or '.join(OPTIMIZERS)}, not {self.optimizer!r}"
            )
        check_seed(self.seed, "training seed")
        check_least(0, self.warmup, "training warmup")
        for name in ("minutes", "learning_rate", "last_rate", "clip", "imitated"):
            if not getattr(self, name) > 0:
                raise InputError(f"training {name} must be positive, not {getattr(self, name)}")
        for name in ("average", "clustered"):
            if not 0 <= getattr(self, name) <= 1:
                raise InputError(
                    f"training {name} must lie between 0 and 1, not {getattr(self, name)}"
                )
        if not 1 <= self.views <= SYMMETRIES or self.samples % self.views:
            raise InputError(
                f"training views must be 1 to {SYMMETRIES} and divide samples {self.samples},"
                f" not {self.views}"
            )
        for name in ("fused", "compiled"):
            if not isinstance(getattr(self, name), bool):
                raise InputError(
                    f"training {name} must be true or false, not {getattr(self, name)!r}"
                )
        for name in self.sets:
            held_out(name, Objective.MIN_MAX)


@dataclass(frozen=True)
class FleetConfig:
    """One training run of the `fleet` policy, for both objectives."""

    policy: NetworkConfig = field(default_factory=lambda: NetworkConfig("fleet", layers=6))
    training: SamplingConfig = field(default_factory=SamplingConfig)
    phases: tuple[Phase, ...] = (Phase(),)

    def __post_init__(self) -> None:
        ends = [phase.until for phase in self.phases]
        if not ends or ends[-1] != 1 or ends != sorted(set(ends)):
            raise InputError(f"phases must end at rising shares of the run up to 1, not at {ends}")

    @property
    def objective(self) -> None:
        """Both."""

    @property
    def customers(self) -> int:
        """The largest size it trains on."""
        return max(shape.customers for phase in self.phases for shape in phase.shapes)

    def phase(self, done: float) -> Phase:
        """The one that the run is in."""
        return next((p for p in self.phases if done < p.until), self.phases[-1])

    @classmethod
    def read(cls, path: Path) -> FleetConfig:
        """From a TOML file with the tables policy and training and the array phases."""
        return cls.parse(read_toml(path), str(path))

    @classmethod
    def parse(cls, tables: dict[str, Any], where: str = "config") -> FleetConfig:
        """From nested tables; an unknown name is an InputError that lists the known."""
        check_names(tables, ("policy", "training", "phases"), where)
        phases = tables.get("phases", [{}])
        check_list(phases, dict, f"{where} phases must be an array of tables")
        policy = {"kind": "fleet", "layers": 6} | dict(tables.get("policy", {}))
        return cls(
            parse_table(NetworkConfig, policy, f"{where} [policy]"),
            parse_table(SamplingConfig, tables.get("training", {}), f"{where} [training]"),
            tuple(_phase(table, f"{where} [[phases]]") for table in phases),
        )

    def to_json(self) -> str:
        """As one line of JSON, keys sorted: equal configs, equal text."""
        return json.dumps(asdict(self), sort_keys=True)


def held_out(name: str, objective: Objective) -> World | MixedWorld:
    """Where validation instances come from: "v3-c40" the paper's fleet, "mixed-c60" any fleet."""
    match = re.fullmatch(r"(?:v(\d+)|mixed)-c(\d+)", name)
    if match is None:
        raise InputError(f"validation set must look like v3-c40 or mixed-c60, not {name!r}")
    fleet, customers = match[1], int(match[2])
    if fleet is None:
        return MixedWorld(customers, tuple(range(1, 9)), objective)
    return World.paper(customers, int(fleet), objective)


def _phase(table: dict[str, Any], where: str) -> Phase:
    shapes = table.get("shapes", [{}])
    check_list(shapes, dict, f"{where} shapes must be an array of tables")
    made = tuple(parse_table(Shape, shape, f"{where} shapes") for shape in shapes)
    return parse_table(Phase, table | {"shapes": made}, where)
