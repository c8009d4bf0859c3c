"""`hcvrp serve`: the REST service and the page for planners."""

from __future__ import annotations

from typing import Annotated

import typer

from hcvrp.cli import options
from hcvrp.cli.terminal import mutter
from hcvrp.errors import InputError

EXAMPLES = options.examples(
    "hcvrp serve   # then open http://127.0.0.1:8000",
    "HCVRP_TOKEN=our-secret hcvrp serve --host 0.0.0.0 --port 80   # for others too",
)


def command(
    host: Annotated[
        str, typer.Option("--host", help="Address; any but this machine's own needs a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", "-p", help="0: any that is free.")] = 8000,
    database: Annotated[
        str,
        typer.Option(
            "--database",
            envvar="HCVRP_DATABASE",
            help="sqlite:///FILE, or postgresql://USER:PASSWORD@HOST/NAME.",
        ),
    ] = "sqlite:///hcvrp.db",
    token: Annotated[
        str | None,
        typer.Option("--token", envvar="HCVRP_TOKEN", help="What clients must know."),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option("--workers", min=1, help="Solves at once; as many as cores by default."),
    ] = None,
    name: Annotated[
        str, typer.Option("--name", help="Tells servers on one database apart.")
    ] = "server",
    keep: Annotated[
        float | None,
        typer.Option("--keep", help="Days that finished jobs are kept; for ever by default."),
    ] = None,
    tiles: Annotated[
        str | None,
        typer.Option("--tiles", help="Map tiles, https://HOST/{z}/{x}/{y}.png; none by default."),
    ] = None,
    attribution: Annotated[
        str, typer.Option("--attribution", help="What the makers of the tiles want said.")
    ] = "",
    max_body: Annotated[int, typer.Option("--max-body", min=1, help="Bytes of one request.")] = 2
    ** 24,
    max_customers: Annotated[int, typer.Option("--max-customers", min=1)] = 2_000,
    max_vehicles: Annotated[int, typer.Option("--max-vehicles", min=1)] = 500,
    max_seconds: Annotated[float, typer.Option("--max-seconds", help="Of one job.")] = 3_600.0,
    max_queue: Annotated[int, typer.Option("--max-queue", min=1, help="Jobs that wait.")] = 10_000,
) -> None:
    """Serve routes by REST and a page for planners; Ctrl-C stops, jobs go on at the next start."""
    if not max_seconds > 0:
        raise InputError(f"--max-seconds must be a positive number, not {max_seconds:g}")
    try:
        from hcvrp.service.server import serve
    except ImportError as error:
        raise InputError(
            f"serving needs the package {error.name}: pip install '.[serve]' in the clone"
        ) from None
    from hcvrp.service import Limits, Settings

    limits = Limits(
        body_bytes=max_body,
        customers=max_customers,
        vehicles=max_vehicles,
        seconds=max_seconds,
        queue=max_queue,
    )
    count = {} if workers is None else {"workers": workers}
    settings = Settings(
        host,
        port,
        database,
        token,
        name=name,
        keep=keep,
        tiles=tiles,
        attribution=attribution,
        limits=limits,
        **count,
    )
    serve(settings, lambda url: mutter(f"{url}  (the interface: /docs; stop with Ctrl-C)"))
