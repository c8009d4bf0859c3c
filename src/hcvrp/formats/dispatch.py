"""read() and write(): every format by its suffix and content."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from hcvrp import wording
from hcvrp.errors import Code, InputError
from hcvrp.formats import csv, geojson, json, sol, units, vroom, vrplib
from hcvrp.formats.contents import Answer, Answers, Content, Dataset, Fleet, Judged
from hcvrp.formats.encoding import decoded
from hcvrp.formats.fields import clipped
from hcvrp.formats.files import (
    blamed,
    check_folder,
    read_bytes,
    read_text,
    read_text_bytes,
    workbook_given,
    write_bytes,
    write_text,
)
from hcvrp.formats.fleet import no_vehicles, parse_words
from hcvrp.formats.remarks import NAMED
from hcvrp.formats.spreadsheet import Table, is_sheet, read_if_sheet
from hcvrp.formats.spreadsheet import load as load_table
from hcvrp.formats.spreadsheet import read as read_table
from hcvrp.instance import Instance, Vehicle
from hcvrp.solution import Objective, Solution
from hcvrp.task import Result

Choice = TypeVar("Choice")
StrPath: TypeAlias = str | os.PathLike[str]
Vehicles: TypeAlias = Sequence[Vehicle | float]
Writable: TypeAlias = (
    Instance | Solution | Result | Sequence[Instance | Solution | Result] | Sequence[Vehicle]
)

_CALLED = {
    Instance: "an instance",
    Dataset: "a dataset",
    Fleet: "a fleet",
    Answer: "a solution",
    Answers: "a list of solutions",
}
_SWAPPED: dict[tuple[type, str], Code] = {
    (Fleet, "an instance"): "vehicles-not-stops",
    (Instance, "a fleet"): "stops-not-vehicles",
}


# Reading ------------------------------------------------------------------------------------------


def read(
    path: StrPath, *, fleet: Vehicles | None = None
) -> Instance | list[Instance] | Solution | list[Solution]:
    """Whatever the file holds, by its suffix and content.

    An instance file gives an Instance, a dataset a list of them, a solution file a Solution.
    Where the kind is known beforehand, `read_instance`, `read_dataset` and `read_solution` say
    it in their types.

    Args:
        path: of a `.json`, `.npz`, `.vrp`, `.txt` or `.csv` file.
        fleet: replaces the vehicles of the file, or gives those it lacks.

    Raises:
        InputError: naming the file, the field and the value.
    """
    with blamed(path):
        content = _read(path, fleet)
        if isinstance(content, Dataset):
            return list(content)
        if isinstance(content, Answer):
            return content.solution()
        if isinstance(content, Answers):
            return [answer.solution() for answer in content]
        if isinstance(content, Instance):
            return content
        raise _unexpected(content, "an instance or a solution")


def read_instance(path: StrPath, *, fleet: Vehicles | None = None) -> Instance:
    """The one instance of the file."""
    with blamed(path):
        instances = _instances(path, fleet)
        if len(instances) != 1:
            raise InputError(f"the file holds {len(instances)} instances; this takes one at a time")
        return instances[0]


def read_dataset(path: StrPath, *, fleet: Vehicles | None = None) -> list[Instance]:
    """All instances of the file, be it one."""
    with blamed(path):
        return list(_instances(path, fleet))


def read_solution(path: StrPath, instance: Instance) -> Solution:
    """The solution of the file; one that cannot belong to `instance` is refused.

    That is one with another number of vehicles, with customers who do not exist, or for an
    instance of another name. Whatever else is wrong with it `Solution.violations` says.
    """
    with blamed(path):
        content = _read_solution(Path(path))
        if not isinstance(content, Answer):
            raise _unexpected(content, "a solution")
        return content.solution(instance)


def read_solutions(path: StrPath, instances: Sequence[Instance]) -> list[Solution]:
    """The solutions of the file to a dataset, in its order; refused as in `read_solution`."""
    with blamed(path):
        return [answer.solution(i) for answer, i in _answered(path, instances)]


def judge(
    path: StrPath, instances: Sequence[Instance], called: Collection[str] = ()
) -> list[Judged]:
    """The same solutions with their violations, in which trips go by their numbers in the file.

    An instance without a name goes by one of `called` where the file has more than its answer.
    """
    with blamed(path):
        return [answer.judged(i) for answer, i in _answered(path, instances, called)]


def _answered(
    path: StrPath, instances: Sequence[Instance], called: Collection[str] = ()
) -> list[tuple[Answer, Instance]]:
    """The answer to each instance, in their order, or by name where there are more answers."""
    content = _read_solution(Path(path))
    if not isinstance(content, Answer | Answers):
        raise _unexpected(content, "solutions")
    answers = (content,) if isinstance(content, Answer) else content
    if len(answers) == len(instances):
        return list(zip(answers, instances, strict=True))
    names: list[tuple[str, ...]] = [(i.name,) if i.name else tuple(called) for i in instances]
    held = wording.plural(len(answers), "solution")
    held = f"{held} for {wording.plural(len(instances), 'instance')}"
    chosen = [_answer_to(name, answers, held) for name in names]
    return list(zip(chosen, instances, strict=True))


def _answer_to(names: Sequence[str], answers: Sequence[Answer], held: str) -> Answer:
    """The one of the answers that is for an instance of one of these names."""
    found = [answer for answer in answers if answer.instance_name in names]
    if len(found) == 1:
        return found[0]
    told = [clipped(answer.instance_name) for answer in answers if answer.instance_name]
    more = f" and {len(told) - NAMED} more" if len(told) > NAMED else ""
    wanted = f"{more}; one of them must be of {clipped(names[0])}" if names else more
    listed = f": of {', '.join(told[:NAMED])}{wanted}" if told else ""
    raise InputError(f"the file holds {held}{listed}")


def parse_fleet(text: str) -> list[Vehicle]:
    """The vehicles of `20,25x3`, `20@30,25@28.5`, or of a fleet file, CSV or JSON, at that path."""
    if re.match(r"\s*[-+.\d]", text) and Path(text).suffix.lower() not in (".csv", ".json", ".txt"):
        return list(parse_words(text))
    if not Path(text).suffix:
        raise InputError(
            "fleet must be capacities such as 20,25x3 (CAPACITYxCOUNT) or 20@30,25@28.5"
            f" (CAPACITY@SPEED), or the path of a CSV or JSON file, not {text!r}"
        )
    with blamed(text):
        content = _read_fleet(Path(text))
        if not isinstance(content, Fleet):
            raise _unexpected(content, "a fleet")
        return units.Measured(content, content.headers)


def _instances(path: StrPath, fleet: Vehicles | None) -> Sequence[Instance]:
    content = _read(path, fleet)
    if not isinstance(content, Instance | Dataset):
        raise _unexpected(content, "an instance")
    return _instances_of(content)


def _read(path: StrPath, fleet: Vehicles | None) -> Content:
    content = _chosen(_READERS, Path(path), "read")(Path(path), fleet)
    for instance in _instances_of(content):
        units.check_speeds(instance, fleet)
    return content


def _instances_of(content: Content) -> Sequence[Instance]:
    if isinstance(content, Dataset):
        return content
    return (content,) if isinstance(content, Instance) else ()


def _read_json(path: Path, fleet: Vehicles | None) -> Content:
    document = json.load(read_text(path))
    parse = vroom.parse_instance if vroom.is_problem(document) else json.parse
    return parse(document, fleet)


def _read_npz(path: Path, fleet: Vehicles | None) -> Content:
    from hcvrp.formats import npz  # zipfile is slow to import

    return npz.parse_dataset(read_bytes(path), fleet)


def _read_csv(path: Path, fleet: Vehicles | None) -> Content:
    return _parse_table(read_table(path), fleet)


def _parse_table(table: Table, fleet: Vehicles | None) -> Content:
    if csv.is_solution(table):
        return csv.parse_solution(table)
    return csv.parse_fleet(table) if csv.is_fleet(table) else csv.parse_customers(table, fleet)


def _read_fleet(path: Path) -> Content:
    """The content of a file that must be a fleet: a CSV one is taken for it whatever it lacks."""
    table = read_if_sheet(path)
    if table is not None:
        return csv.parse_solution(table) if csv.is_solution(table) else csv.parse_fleet(table)
    try:
        return _read(path, None)
    except InputError as error:
        if error.code != "fleet-missing":  # only stops can lack a fleet
            raise
        raise no_vehicles("the file holds stops, not vehicles") from None


def _read_solution(path: Path) -> Content:
    """The content of a file that must hold solutions; likewise, unless it is plainly another."""
    table = read_if_sheet(path)
    if table is None:
        return _read(path, None)
    if not csv.is_solution(table):
        for is_such, what in ((csv.is_fleet, "a fleet"), (csv.has_customers, "customers")):
            if is_such(table):
                raise InputError(f"the file holds {what}, not a solution")
    return csv.parse_solution(table)


def _read_vrp(path: Path, fleet: Vehicles | None) -> Content:
    return vrplib.parse_instance(_old_text(path), fleet)


def _read_txt(path: Path, fleet: Vehicles | None) -> Content:
    """A sheet as Excel's "Unicode text", or else a VRPLIB file."""
    text = _old_text(path)
    if is_sheet(text):
        return _parse_table(load_table(text), fleet)
    return vrplib.parse_instance(text, fleet)


def _old_text(path: Path) -> str:
    """Old benchmark files come in old encodings; only names and comments suffer."""
    return decoded(read_text_bytes(path), errors="replace")


def _read_sol(path: Path, fleet: Vehicles | None) -> Content:  # noqa: ARG001
    return sol.parse_solution(read_text(path, errors="replace"))


_READERS: dict[str, Callable[[Path, Vehicles | None], Content]] = {
    ".json": _read_json,
    ".npz": _read_npz,
    ".csv": _read_csv,
    ".vrp": _read_vrp,
    ".txt": _read_txt,
    ".sol": _read_sol,
}


def _unexpected(content: Content, wanted: str) -> InputError:
    kind = Instance if isinstance(content, Instance) else type(content)
    code = _SWAPPED.get((kind, wanted), "invalid")
    return InputError(f"the file holds {_CALLED[kind]}, not {wanted}", code=code)


# Writing ------------------------------------------------------------------------------------------


def write(
    path: StrPath,
    thing: Writable,
    *,
    instance: Instance | Sequence[Instance] | None = None,
    objective: Objective | str | None = None,
) -> None:
    """Writes `thing` in the format of the suffix, all or nothing.

    Args:
        path: an instance goes to `.json`, `.vrp`, `.txt`, `.npz` or (customers only) `.csv`;
            instances to `.json` or `.npz`; vehicles to `.json` or `.csv`; a solution or a result
            to `.json`, `.sol`, `.csv` or `.geojson`, several of them to `.json`.
        thing: what to write.
        instance: that a solution answers, or the list of them; `.csv` and `.geojson` need it.
        objective: whose cost to write beside a bare solution.

    Raises:
        InputError: naming the file and the reason; then nothing was written.
    """
    with blamed(path):
        kind = _kind(thing)
        make = _chosen(_WRITERS[kind], Path(path), f"written for {kind}")
        _check_instance(kind, instance)
        output = make(thing, instance, objective)
        if isinstance(output, bytes):
            write_bytes(Path(path), output)
        else:
            write_text(Path(path), output)


def format_json(thing: Writable) -> str:
    """`thing` as the JSON that `write` puts into a file."""
    text = _WRITERS[_kind(thing)][".json"](thing, None, None)
    assert isinstance(text, str)
    return text


def check_target(path: StrPath, instances: Sequence[Instance]) -> None:
    """Refuses now what `write` would refuse of their solutions after a long search."""
    with blamed(path):
        kind = "a solution" if len(instances) == 1 else "solutions"
        _chosen(_WRITERS[kind], Path(path), f"written for {kind}")
        if Path(path).suffix.lower() == ".geojson":
            geojson.check_coordinates(instances[0])
        check_folder(Path(path))


def _kind(thing: Any) -> str:
    """The row of `_WRITERS` for it."""
    if isinstance(thing, Instance):
        return "an instance"
    if isinstance(thing, Solution | Result):
        return "a solution"
    entries = list(thing) if isinstance(thing, Sequence) else []
    for types, kind in (
        (Instance, "a dataset"),
        (Vehicle, "a fleet"),
        ((Solution, Result), "solutions"),
    ):
        if entries and all(isinstance(entry, types) for entry in entries):
            return kind
    raise InputError(
        f"nothing to write: {type(thing).__name__} is neither an instance, a solution, a result"
        " nor a non-empty list of these or of vehicles"
    )


def _check_instance(kind: str, instance: object) -> None:
    """One instance for one solution, a list of them for several."""
    if kind == "a solution" and not isinstance(instance, Instance | None):
        raise InputError("instance must be the one instance that the solution answers")
    if kind == "solutions" and isinstance(instance, Instance):
        raise InputError("instance must be a list, one instance per solution")


def _write_npz(instances: Sequence[Instance]) -> bytes:
    from hcvrp.formats import npz  # zipfile is slow to import

    return npz.format_dataset(instances)


def _needed(instance: Instance | None) -> Instance:
    if instance is None:
        raise InputError("this format tells times and places: give the instance of the solution")
    return instance


def _bare(answer: Solution | Result) -> Solution:
    return answer.solution if isinstance(answer, Result) else answer


_WRITERS: dict[str, dict[str, Callable[[Any, Any, Any], str | bytes]]] = {
    "an instance": {
        ".json": lambda thing, *_: json.format_instance(thing),
        ".npz": lambda thing, *_: _write_npz([thing]),
        ".vrp": lambda thing, *_: vrplib.format_instance(thing),
        ".txt": lambda thing, *_: vrplib.format_instance(thing),
        ".csv": lambda thing, *_: csv.format_customers(thing),
    },
    "a dataset": {
        ".json": lambda thing, *_: json.format_dataset(thing),
        ".npz": lambda thing, *_: _write_npz(thing),
    },
    "a fleet": {
        ".json": lambda thing, *_: json.format_fleet(thing),
        ".csv": lambda thing, *_: csv.format_fleet(thing),
    },
    "a solution": {
        ".json": json.format_solution,
        ".sol": sol.format_solution,
        ".csv": lambda thing, instance, _: csv.format_solution(_bare(thing), _needed(instance)),
        ".geojson": lambda thing, instance, _: geojson.format_solution(
            _bare(thing), _needed(instance)
        ),
    },
    "solutions": {".json": json.format_solutions},
}


def _chosen(table: dict[str, Choice], path: Path, purpose: str) -> Choice:
    """The function for the suffix."""
    suffix = path.suffix.lower()
    if suffix in (".xlsx", ".xls", ".ods") and purpose == "read":
        raise workbook_given()
    if suffix not in table:
        known = ", ".join(table)
        raise InputError(f"suffix {suffix!r} cannot be {purpose}; known: {known}")
    return table[suffix]
