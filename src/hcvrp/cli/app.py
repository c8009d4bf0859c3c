"""All commands under one name, and what becomes of their mistakes."""

from __future__ import annotations

import io
import sys
from typing import Annotated, NoReturn

import typer

from hcvrp import __version__
from hcvrp.cli import (
    bench,
    bound,
    check,
    generate,
    methods,
    options,
    plot,
    policies,
    serve,
    solve,
    train,
    usage,
)
from hcvrp.cli.terminal import mutter, say
from hcvrp.errors import InputError
from hcvrp.wording import tidy

app = typer.Typer(
    name="hcvrp",
    cls=usage.Group,
    help="Routes for a mixed fleet: who drives where, in which order, and when all is done.",
    epilog=options.examples(
        "hcvrp solve stops.csv --fleet vans.csv --out plan.csv --plot plan.html",
        "hcvrp solve --help",
    ),
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # drawn boxes would double the start-up time
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("generate", cls=usage.Command, epilog=generate.EXAMPLES)(generate.command)
app.command("solve", cls=usage.Command, epilog=solve.EXAMPLES)(solve.command)
app.command("check", cls=usage.Command, epilog=check.EXAMPLES)(check.command)
app.command("bound", cls=usage.Command, epilog=bound.EXAMPLES)(bound.command)
app.command("plot", cls=usage.Command, epilog=plot.EXAMPLES)(plot.command)
app.command("train", context_settings=train.SETTINGS)(train.command)
app.add_typer(bench.app, name="bench")
app.command("methods", cls=usage.Command, epilog=methods.EXAMPLES)(methods.command)
app.command("policies", cls=usage.Command, epilog=policies.EXAMPLES)(policies.command)
app.command("serve", cls=usage.Command, epilog=serve.EXAMPLES)(serve.command)


def _version(wanted: bool) -> None:
    if wanted:
        say(f"hcvrp {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print and exit.")
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        say(context.get_help())


def run(arguments: list[str] | None) -> NoReturn:
    """Runs the command line; a mistake is one sentence on standard error."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a ? where a terminal has no é
    try:
        sys.exit(app(arguments, prog_name="hcvrp", standalone_mode=False))
    except usage.UsageError as error:
        _refuse(usage.sentence(error))
    except InputError as error:
        _refuse(str(error))
    except MemoryError as error:
        _refuse(f"there is not enough memory: {error}")
    except OSError as error:  # what nobody foresaw: a full disk, a folder that went away
        _refuse(f"{error.filename or 'the system'}: {error.strerror or error}")


def _refuse(sentence: str) -> NoReturn:
    mutter(f"hcvrp: {tidy(sentence)}")
    sys.exit(2)
