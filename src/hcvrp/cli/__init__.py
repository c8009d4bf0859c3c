"""The command line, one file a command. Heavy imports wait until a command runs."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from hcvrp import __version__
from hcvrp.cli import bench, bound, check, generate, methods, plot, policies, serve, solve, train
from hcvrp.errors import InputError

app = typer.Typer(
    name="hcvrp",
    help="Route a mixed fleet: vehicles that differ in capacity and speed, many trips each.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # drawn boxes would double the start-up time
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("generate")(generate.command)
app.command("solve")(solve.command)
app.command("check")(check.command)
app.command("bound")(bound.command)
app.command("plot")(plot.command)
app.command("train")(train.command)
app.add_typer(bench.app, name="bench")
app.command("methods")(methods.command)
app.command("policies")(policies.command)
app.command("serve")(serve.command)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"hcvrp {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print and exit.")
    ] = False,
) -> None:
    pass


def main(arguments: list[str] | None = None) -> None:
    """Runs the command line; exits with 0 done, 1 the answer is "no", 2 bad usage or input."""
    try:
        app(arguments)
    except InputError as error:
        sys.stderr.write(f"hcvrp: {error}\n")
        sys.exit(2)
    except KeyboardInterrupt:
        sys.stderr.write("hcvrp: interrupted\n")
        sys.exit(130)
    except BrokenPipeError:
        # The reader (head, say) has gone; what it wanted it has.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
