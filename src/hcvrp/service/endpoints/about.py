"""What there is to use, and how the server is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sqlalchemy as sa
from fastapi import APIRouter
from fastapi.responses import PlainTextResponse, Response

from hcvrp import formats
from hcvrp.service import views
from hcvrp.service.demo import DEMOS
from hcvrp.service.desk import TheDesk
from hcvrp.service.metrics import MEDIA_TYPE
from hcvrp.service.problems import Problem, responses
from hcvrp.solver import DEFAULT_METHOD, METHODS

SCHEMAS = ("instance", "fleet", "solution")

router = APIRouter()


@router.get("/v1/policies", tags=["about"])
def policies(desk: TheDesk) -> dict[str, Any]:
    """The methods, the trained policies that come with the package, limits and map tiles."""
    weights = Path(__file__).parents[2] / "weights"
    return {
        "default": DEFAULT_METHOD,
        "methods": [{"name": n, "summary": entry.summary} for n, entry in METHODS.items()],
        "policies": sorted(path.stem for path in weights.glob("*.safetensors")),
        "limits": desk.limits,
        "tiles": desk.settings.tiles,
        "attribution": desk.settings.attribution,
    }


@router.get("/v1/demo-data", tags=["about"])
def demos() -> dict[str, list[dict[str, str]]]:
    """Names of instances to try."""
    return {"demos": [{"name": name, "summary": text} for name, (text, _) in DEMOS.items()]}


@router.get(
    "/v1/demo-data/{name}",
    response_model=views.InstanceView,
    tags=["about"],
    responses=responses(404),
)
def demo(name: str) -> views.InstanceView:
    """One of them."""
    if name not in DEMOS:
        raise Problem(404, f"there is no demo {name[:40]!r}; there are: {', '.join(DEMOS)}")
    return views.instance_view(DEMOS[name][1]())


@router.get("/v1/schemas/{kind}", tags=["about"], responses=responses(404))
def schema(kind: str) -> dict[str, Any]:
    """The JSON Schema of a kind of document."""
    if kind not in SCHEMAS:
        raise Problem(404, f"there is no schema {kind[:40]!r}; there are: {', '.join(SCHEMAS)}")
    return dict(formats.schema(kind))  # type: ignore[arg-type]


@router.get("/health/live", tags=["health"])
async def live() -> dict[str, str]:
    """Whether the server answers."""
    return {"status": "live"}


@router.get("/health/ready", tags=["health"], responses=responses(503))
def ready(desk: TheDesk) -> dict[str, str]:
    """Whether jobs can be taken and solved."""
    try:
        desk.store.counts()
    except sa.exc.SQLAlchemyError:
        raise Problem(503, "the database does not answer") from None
    if desk.settings.workers and not desk.crew.listening:
        raise Problem(503, "no worker takes jobs")
    return {"status": "ready"}


@router.get("/metrics", tags=["health"], response_class=PlainTextResponse)
def prometheus(desk: TheDesk) -> Response:
    """Figures for Prometheus."""
    counts = {str(status): count for status, count in desk.store.counts().items()}
    text = desk.metrics.text(counts, desk.crew.alive, desk.crew.replaced)
    return Response(text, media_type=MEDIA_TYPE)
