"""Mistakes in a command, each in one sentence that names options as they are typed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any, cast

import typer
from typer.core import TyperCommand, TyperGroup

from hcvrp.cli import Interrupted
from hcvrp.errors import InputError

UsageError = cast("type[Exception]", typer.BadParameter.__base__)
"""What the parser raises: of typer's own copy of click, or of click itself in older versions."""

_WANTED = {
    "float_parsing": "a number, not {input!r}",
    "int_parsing": "a whole number, not {input!r}",
    "int_parsing_size": "a whole number, not {input!r}",
    "greater_than_equal": "at least {ge}, not {input}",
    "less_than_equal": "at most {le}, not {input}",
}
"""What a value must be, by pydantic's names for the faults that typer hands on."""


class Group(TyperGroup):
    """All commands, of which Ctrl-C ends none without a word."""

    def make_context(self, *given: Any, **named: Any) -> Any:
        """Reads what stands before the command; importing what it takes has its time."""
        with _heard():
            return super().make_context(*given, **named)

    def invoke(self, ctx: Any) -> Any:
        """Runs the command."""
        with _heard():
            return super().invoke(ctx)


class Command(TyperCommand):
    """A command whose bad input is told by option: --time-limit, not time_limit."""

    def invoke(self, ctx: Any) -> Any:
        """Runs it."""
        try:
            return super().invoke(ctx)
        except InputError as error:
            raise InputError(_with_option(str(error), self.params)) from None


def sentence(error: Any) -> str:
    """The usage error in one sentence; its class is told by name, see `UsageError`."""
    match type(error).__name__:
        case "NoSuchOption":
            return f"there is no option {error.option_name}; {_instead(error)}"
        case "MissingParameter":
            return f"{_typed(error.param)} is missing; see {_path(error)} --help"
        case "BadParameter":
            return _bad_value(error)
        case "BadOptionUsage" if "requires" in error.message:
            return f"{error.option_name} wants a value"
        case _:
            message = error.message.rstrip(".")
            return f"{message[:1].lower()}{message[1:]}; see {_path(error)} --help"


@contextmanager
def _heard() -> Iterator[None]:
    """Within it, Ctrl-C is out of typer's hands."""
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted from None


def _with_option(text: str, parameters: list[Any]) -> str:
    """`time_limit must …` as `--time-limit must …`, if a parameter has that name."""
    name = re.split(" must | item ", text, maxsplit=1)[0]
    return next((_typed(p) + text[len(name) :] for p in parameters if p.name == name), text)


def _bad_value(error: Any) -> str:
    name = _typed(error.param)
    if choice := re.search(r"(?P<value>'.*') is not one of (?P<known>'.*')", error.message):
        known = " or ".join(re.findall("'([^']*)'", choice["known"]))
        return f"{name} must be {known}, not {choice['value']}"
    faults: list[Any] = getattr(error.__cause__, "errors", list)()
    if faults and faults[0]["type"] in _WANTED:
        fault = faults[0]
        wanted = _WANTED[fault["type"]].format(input=fault["input"], **fault.get("ctx", {}))
        return f"{name} must be {wanted}"
    return f"{name}: {error.message.rstrip('.')}"


def _instead(error: Any) -> str:
    """The option that was perhaps meant, compared without the dashes that all share."""
    known = {o.lstrip("-"): o for p in error.ctx.command.params for o in p.opts if len(o) > 2}
    near = get_close_matches(error.option_name.lstrip("-"), known, n=1, cutoff=0.5)
    return f"did you mean {known[near[0]]}?" if near else f"{_path(error)} --help lists them"


def _typed(parameter: Any) -> str:
    """The option in its long form, or the argument as the help calls it."""
    longest: str = max(parameter.opts, key=len)
    return longest if longest.startswith("-") else str(parameter.metavar or longest)


def _path(error: Any) -> str:
    return error.ctx.command_path if error.ctx else "hcvrp"
