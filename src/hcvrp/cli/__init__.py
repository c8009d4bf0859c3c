"""The command line, one file a command. Heavy imports wait until a command runs."""

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
)
from hcvrp.cli.terminal import mutter, say
from hcvrp.errors import InputError
from hcvrp.wording import tidy

app = typer.Typer(
    name="hcvrp",
    help="Routes for a mixed fleet: who drives where, in which order, and when all is done.",
    epilog=options.examples(
        "hcvrp solve stops.csv --fleet vans.csv --out plan.csv --plot plan.html",
        "hcvrp solve --help",
    ),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # drawn boxes would double the start-up time
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("generate", epilog=generate.EXAMPLES)(generate.command)
app.command("solve", epilog=solve.EXAMPLES)(solve.command)
app.command("check", epilog=check.EXAMPLES)(check.command)
app.command("bound", epilog=bound.EXAMPLES)(bound.command)
app.command("plot", epilog=plot.EXAMPLES)(plot.command)
app.command("train", context_settings=train.SETTINGS)(train.command)
app.add_typer(bench.app, name="bench")
app.command("methods")(methods.command)
app.command("policies")(policies.command)
app.command("serve")(serve.command)


def _version(wanted: bool) -> None:
    if wanted:
        say(f"hcvrp {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print and exit.")
    ] = False,
) -> None:
    pass


def main(arguments: list[str] | None = None) -> None:
    """Runs the command line.

    Exits with 0 done, 1 the answer is "no", 2 bad usage or input, 130 interrupted.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a ? where a terminal has no é
    try:
        app(arguments)
    except InputError as error:
        _refuse(str(error))
    except MemoryError as error:
        _refuse(f"there is not enough memory: {error}")
    except OSError as error:  # what nobody foresaw: a full disk, a folder that went away
        _refuse(f"{error.filename or 'the system'}: {error.strerror or error}")


def _refuse(sentence: str) -> NoReturn:
    mutter(f"hcvrp: {tidy(sentence)}")
    sys.exit(2)
