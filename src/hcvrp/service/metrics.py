"""Figures for Prometheus, in its text format (version 0.0.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from starlette.types import ASGIApp, Message, Receive, Scope, Send

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """Counts since the server started."""

    def __init__(self) -> None:
        self.responses: Counter[tuple[str, int]] = Counter()
        self.submitted = 0
        self.streams = 0

    def text(self, jobs: dict[str, int], workers: int, replaced: int) -> str:
        """Every figure of this moment."""
        lines = [
            *_family("hcvrp_jobs", "gauge", "Jobs by status."),
            *(f'hcvrp_jobs{{status="{status}"}} {count}' for status, count in jobs.items()),
            *_family("hcvrp_submitted_total", "counter", "Jobs accepted."),
            f"hcvrp_submitted_total {self.submitted}",
            *_family("hcvrp_workers", "gauge", "Worker processes alive."),
            f"hcvrp_workers {workers}",
            *_family("hcvrp_workers_replaced_total", "counter", "Workers that had died."),
            f"hcvrp_workers_replaced_total {replaced}",
            *_family("hcvrp_streams", "gauge", "Open streams of events."),
            f"hcvrp_streams {self.streams}",
            *_family("hcvrp_responses_total", "counter", "Responses by method and status."),
            *(
                f'hcvrp_responses_total{{method="{method}",status="{status}"}} {count}'
                for (method, status), count in sorted(self.responses.items())
            ),
        ]
        return "\n".join(lines) + "\n"


class Counted:
    """Counts the responses of an application."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app = app
        self.metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes everything on and notes the status."""

        async def noted(message: Message) -> None:
            if message["type"] == "http.response.start":
                method = scope["method"] if scope["method"] in METHODS else "other"
                self.metrics.responses[method, message["status"]] += 1
            await send(message)

        await self.app(scope, receive, noted)


METHODS = ("GET", "HEAD", "POST", "DELETE", "OPTIONS")
"""Those with a label of their own: what clients make up must not fill the memory."""


def _family(name: str, kind: str, meaning: str) -> Iterator[str]:
    yield f"# HELP {name} {meaning}"
    yield f"# TYPE {name} {kind}"
