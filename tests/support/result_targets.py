"""Targets of every kind at a server on this machine."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from groundwatch.launch.targets.target import Target, open_target
from groundwatch.launch.watch.alerts.webhooks import open_webhooks
from tests.launch.watch.alerts.test_alert_notices import a_rate
from tests.launch.watch.alerts.test_webhook_payloads import KEY
from tests.support.results import a_result

TOOLS = ("langfuse", "mlflow", "opentelemetry", "phoenix")
CHANNELS = ("slack", "google_chat", "pagerduty", "json")
OpenNamed = Callable[[str], Target[object]]


@contextmanager
def targets_at(url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenNamed]:
    """Open targets by their names, until the block ends."""
    monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", "pk")
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", "sk")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "0.7")
    for kind in CHANNELS:
        form = {"pagerduty": "routing {}", "json": f"{{}} {KEY}"}.get(kind, "{}")
        monkeypatch.setenv(kind.upper(), form.format(f"{url}/hook"))
    opened: list[Target[object]] = []

    def open_one(name: str) -> Target[object]:
        is_tool = name in TOOLS
        found = open_target(name, url) if is_tool else next(_open_channel(name))
        opened.append(found)
        return found

    yield open_one
    for target in opened:
        target.close()


def _open_channel(kind: str) -> Iterator[Target[object]]:
    return (target for target, _ in open_webhooks(kind, kind.upper(), "source"))


def send_to(target: Target[object], name: str) -> None:
    target.send([a_result() if name in TOOLS else a_rate()])
