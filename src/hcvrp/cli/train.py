"""`hcvrp train`: a policy from a config; another door to `python -m hcvrp.training`."""

from __future__ import annotations

import typer

from hcvrp.cli import options

EXAMPLES = options.examples(
    "hcvrp train --config experiments/fleet/round-1.toml --out runs/fleet --minutes 30",
    "hcvrp train --config experiments/fleet/round-1.toml --out runs/fleet --resume",
)
SETTINGS = {
    "allow_extra_args": True,
    "ignore_unknown_options": True,
    "help_option_names": [],
}
"""Every option, --help too, is left to the command of `hcvrp.training`."""


def command(context: typer.Context) -> None:
    """Train a policy; it can be stopped and resumed."""
    from hcvrp.training.__main__ import main

    parser = typer.Typer(
        add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None
    )
    names = {"help_option_names": ["-h", "--help"]}
    parser.command(epilog=EXAMPLES, context_settings=names)(main)
    raise typer.Exit(parser(context.args, prog_name="hcvrp train", standalone_mode=False) or 0)
