"""`hcvrp train`: a policy from a config; another door to `python -m hcvrp.training`."""

from __future__ import annotations

import typer

SETTINGS = {
    "allow_extra_args": True,
    "ignore_unknown_options": True,
    "help_option_names": [],
}
"""Every option, --help too, is left to the command of `hcvrp.training`, which needs torch."""


def command(context: typer.Context) -> None:
    """Train a policy; it can be stopped and resumed."""
    from hcvrp.policy.extra import require_torch

    require_torch()
    from hcvrp.training.__main__ import main

    parser = typer.Typer(
        add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None
    )
    parser.command()(main)
    parser(context.args, prog_name="hcvrp train")
