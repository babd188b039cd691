"""Try the libraries of RAG services, then Phoenix and MLflow with the verdict of a trace.

`python -m tests.integrations FOLDER` starts both servers from the programs in a folder, such as
.venv/integrations/bin, on free ports of this machine, and stops them. Exit status 1: a server has
no verdict. The pictures are docs/phoenix.jpg and docs/mlflow.jpg.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import ViewportSize

from groundwatch.launch.cli.main import main as groundwatch
from tests.integrations import rag_services
from tests.support.browser import chromium, find_chromium
from tests.support.pubsub_servers import free_port
from tests.support.repository import ROOT
from tests.support.waiting import wait_until

_START_WITHIN_S = 240.0
_STORE_WITHIN_S = 60.0
_TRACE, _SPAN = os.urandom(16), os.urandom(8)
_PICTURES = ROOT / "docs"
_SIZE_PX: ViewportSize = {"width": 1280, "height": 720}
_ATTRIBUTES = {
    "gen_ai.operation.name": "chat",
    "gen_ai.response.id": "resp-1",
    "gen_ai.input.messages": json.dumps(
        [
            {"role": "user", "parts": [{"type": "text", "content": "What colour is the lamp?"}]},
            {
                "role": "tool",
                "parts": [{"type": "tool_call_response", "response": "The lamp glows blue."}],
            },
        ]
    ),
    "gen_ai.output.messages": json.dumps(
        [
            {
                "role": "assistant",
                "parts": [{"type": "text", "content": "The lamp glows red and costs 40 euros."}],
            }
        ]
    ),
}


def main(programs: str) -> int:
    """Run everything; return the exit status."""
    # The servers run in folders of their own.
    programs = str(Path(programs).resolve())
    # Without it SIGTERM would leave the servers running.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("interrupted"))
    assert rag_services.main(programs) == 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        archive = folder / "spans.jsonl"
        archive.write_text(json.dumps(_otlp_json()) + "\n", encoding="utf-8")
        output = str(folder / "out")
        assert groundwatch(["backfill", "--input", str(archive), "--output", output]) == 0
        with _phoenix(programs, folder) as url:
            _send_trace(url)
            _export(output, "phoenix", url)
            address = f"{url}/v1/projects/default/span_annotations?span_ids={_SPAN.hex()}"
            # Phoenix stores spans and annotations a moment later.
            _wait_for(lambda: bool(_get(address)["data"]), _STORE_WITHIN_S)
            phoenix = _get(address)["data"]
            page = f"{url}/redirects/traces/{_TRACE.hex()}"
            _picture(page, "phoenix", "button:has-text('View annotation details') >> nth=1")
        with _mlflow(programs, folder) as url:
            created = httpx.post(
                f"{url}/api/2.0/mlflow/experiments/create", json={"name": "lamps"}
            ).json()
            experiment = created["experiment_id"]
            _send_trace(url, {"x-mlflow-experiment-id": experiment})
            _export(output, "mlflow", url)
            trace = _get(f"{url}/api/3.0/mlflow/traces/tr-{_TRACE.hex()}")
            mlflow = trace["trace"]["trace_info"]["assessments"]
            selected = f"tr-{_TRACE.hex()}"
            page = f"{url}/#/experiments/{experiment}/traces?selectedEvaluationId={selected}"
            _picture(page, "mlflow", "text=Assess")
    found = [each["result"]["label"] for each in phoenix]
    assert found == ["LOW_GROUNDED"], phoenix
    assert [each["feedback"]["value"] for each in mlflow] == ["LOW_GROUNDED"], mlflow
    assert phoenix[0]["identifier"] == mlflow[0]["metadata"]["record_id"]
    sys.stdout.write("Phoenix and MLflow have the verdict once each, after two exports.\n")
    return 0


def _export(output: str, tool: str, url: str) -> None:
    """Export twice: the second export sends what the tool has already."""

    def is_exported() -> bool:
        status = groundwatch(["export", output, "--to", tool, "--endpoint", url])
        Path(output, f".groundwatch-export-{tool}.json").unlink()
        return status == 0

    for _ in range(2):
        # A tool refuses a result while it has not yet stored the trace.
        _wait_for(is_exported, _STORE_WITHIN_S)


def _span() -> Span:
    now_ns = time.time_ns()
    return Span(
        trace_id=_TRACE,
        span_id=_SPAN,
        name="chat",
        start_time_unix_nano=now_ns - 10**9,
        end_time_unix_nano=now_ns,
        attributes=[
            KeyValue(key=key, value=AnyValue(string_value=text))
            for key, text in _ATTRIBUTES.items()
        ],
    )


def _otlp_json() -> dict[str, Any]:
    attributes = [{"key": key, "value": {"stringValue": text}} for key, text in _ATTRIBUTES.items()]
    span = {
        "traceId": _TRACE.hex(),
        "spanId": _SPAN.hex(),
        "name": "chat",
        "attributes": attributes,
    }
    return {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}


def _send_trace(url: str, headers: Mapping[str, str] | None = None) -> None:
    spans = ResourceSpans(scope_spans=[ScopeSpans(spans=[_span()])])
    content = ExportTraceServiceRequest(resource_spans=[spans]).SerializeToString()
    kind = {"Content-Type": "application/x-protobuf"}
    sent = httpx.post(f"{url}/v1/traces", content=content, headers={**kind, **(headers or {})})
    assert sent.is_success, sent


def _get(url: str) -> Any:
    reply = httpx.get(url)
    return reply.json() if reply.is_success else {"data": []}


@contextmanager
def _phoenix(programs: str, folder: Path) -> Iterator[str]:
    port, grpc_port = free_port(), free_port()
    environment = {
        "PHOENIX_WORKING_DIR": str(folder / "phoenix"),
        "PHOENIX_HOST": "127.0.0.1",
        "PHOENIX_PORT": str(port),
        "PHOENIX_GRPC_PORT": str(grpc_port),
        "PHOENIX_TELEMETRY_ENABLED": "false",
    }
    with _server([f"{programs}/phoenix", "serve"], environment, folder / "phoenix.log"):
        url = f"http://127.0.0.1:{port}"
        _wait_for(lambda: httpx.get(f"{url}/healthz").is_success, _START_WITHIN_S)
        yield url


@contextmanager
def _mlflow(programs: str, folder: Path) -> Iterator[str]:
    port = free_port()
    store = f"sqlite:///{folder}/mlflow.db"
    flags = ["--host", "127.0.0.1", "--port", str(port), "--workers", "1"]
    command = [f"{programs}/mlflow", "server", *flags, "--backend-store-uri", store]
    environment = {
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "PATH": f"{Path(programs).resolve()}:{os.environ['PATH']}",
    }
    with _server(command, environment, folder / "mlflow.log"):
        url = f"http://127.0.0.1:{port}"
        _wait_for(lambda: httpx.get(f"{url}/health").is_success, _START_WITHIN_S)
        yield url


@contextmanager
def _server(command: list[str], environment: Mapping[str, str], log: Path) -> Iterator[None]:
    with log.open("wb") as stream:
        process = subprocess.Popen(  # noqa: S603 - a program of the environment
            command,
            env={**os.environ, **environment},
            stdout=stream,
            stderr=stream,
            cwd=log.parent,
            start_new_session=True,
        )
    try:
        yield
    except BaseException:
        sys.stderr.write(log.read_text(errors="replace")[-2_000:])
        raise
    finally:
        # MLflow's own processes take a minute to end.
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _wait_for(is_so: Callable[[], bool], within_s: float) -> None:
    def is_so_or_away() -> bool:
        try:
            return is_so()
        except httpx.HTTPError:
            time.sleep(0.5)
            return False

    wait_until(is_so_or_away, within_s)


def _picture(url: str, name: str, click: str) -> None:
    """Draw a page that shows the verdict after a click, where there is a browser."""
    path = find_chromium()
    if path is None:
        sys.stdout.write(f"no Chromium: there is no picture of {name}\n")
        return
    with chromium(path) as browser:
        page = browser.new_page(viewport=_SIZE_PX)
        page.goto(url, timeout=60_000)
        try:
            page.locator(click).last.click(timeout=60_000)
            page.get_by_text("LOW_GROUNDED").first.wait_for(timeout=10_000)
        except PlaywrightError:
            sys.stdout.write(f"the page of {name} does not show the verdict: no new picture\n")
            return
        page.wait_for_timeout(1_000)  # it fades in
        page.screenshot(path=_PICTURES / f"{name}.jpg", type="jpeg", quality=60)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
