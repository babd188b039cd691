"""The environments that people have: each command works in it, or names what is wrong with it."""

import base64
import os
import signal
import socket
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

import pytest

from groundwatch.launch.cli.main import main
from tests.support.archives import an_envelope
from tests.support.builders import an_enriched
from tests.support.commands import GROUNDWATCH, ChildProcess, redirected
from tests.support.fault_server import FaultServer, always
from tests.support.network import unset_network
from tests.support.outputs import records_in
from tests.support.reports import write_enriched
from tests.support.repository import ROOT, python_path
from tests.support.results_server import ResultsServer, results_server
from tests.support.waiting import wait_until
from tests.support.watched import SUBSCRIPTION, Watched
from tests.support.wire_faults import good

DEAD = "http://127.0.0.1:9"
WITHIN_S = 120.0
WITHOUT_ENTRY = """
import pwd, sys

def find(number):
    raise KeyError(f"getpwuid(): uid not found: {number}")

pwd.getpwuid = find
from groundwatch.launch.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


class Environment(NamedTuple):
    """What a process finds: variables, None for one that is not set; streams; its user."""

    variables: Mapping[str, str | None] = {}
    streams: str = ""
    program: Sequence[str] = GROUNDWATCH


WORKING = {
    "dead proxies, secrets with white space, and a user without an entry": Environment(
        {"HTTP_PROXY": DEAD, "HTTPS_PROXY": DEAD, "ALL_PROXY": DEAD}
        | {"LANGFUSE_PUBLIC_KEY": "pk\n", "LANGFUSE_SECRET_KEY": "\ufeffsk \r\n"}
        | dict.fromkeys(("HOME", "LOGNAME", "USER", "LNAME", "USERNAME")),
        program=("-c", WITHOUT_ENTRY),
    ),
    "dead proxies but for IPv6, a missing certificate, and the locale C": Environment(
        {"http_proxy": DEAD, "all_proxy": DEAD, "SSL_CERT_FILE": "/nonexistent"}
        | {"NO_PROXY": "[::1],fd00::/8,10.0.0.0/8"}
        | {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    ),
    "a proxy of SOCKS, missing folders, and closed streams": Environment(
        {"ALL_PROXY": "socks5://127.0.0.1:9"}
        | {"SSL_CERT_DIR": "/nonexistent", "REQUESTS_CA_BUNDLE": "/nonexistent"},
        streams="<&- >&- 2>&-",
    ),
}


@pytest.fixture
def tool() -> Iterator[ResultsServer]:
    with results_server() as server:
        yield server


@pytest.fixture
def checker() -> Iterator[FaultServer]:
    with FaultServer(always(good)) as server:
        yield server


@pytest.fixture(autouse=True)
def _secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    unset_network(monkeypatch)
    monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", "pk")
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", "sk")


def start(environment: Environment, folder: Path, *arguments: str) -> ChildProcess:
    """Start a command in an environment, by a shell that redirects its streams."""
    variables = os.environ | {"PYTHONPATH": python_path(ROOT)} | dict(environment.variables)
    return ChildProcess(
        redirected(environment.streams, *environment.program, *arguments),
        env={name: value for name, value in variables.items() if value is not None},
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def a_free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def listens(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.parametrize("environment", WORKING.values(), ids=WORKING)
def test_check_export_watch_and_review_work(
    environment: Environment,
    tmp_path: Path,
    watched: Watched,
    tool: ResultsServer,
    checker: FaultServer,
) -> None:
    records = [an_enriched(record_id="r1", trace_id="0" * 31 + "1", answer_text="Müller glüht.")]
    folder, port = tmp_path / "records", a_free_port()
    write_enriched(folder, records)
    watched.publish(*map(an_envelope, range(3)))
    commands = {
        "check": ["--answer", "Lamps glow.", "--fact", "Lamps glow.", "--checker", checker.address],
        "export": [str(folder), "--to", "langfuse", "--endpoint", tool.url],
        "review": [str(folder), "--port", str(port)],
        "watch": [
            *("--subscription", SUBSCRIPTION, "--pubsub_address", watched.server.address),
            *("--output", str(watched.output), "--checker", checker.address),
        ],
    }
    with ExitStack() as started:
        processes = {
            name: started.enter_context(start(environment, tmp_path, name, *arguments))
            for name, arguments in commands.items()
        }

        def is_done() -> bool:
            served = {name: processes[name].poll() for name in ("review", "watch")}
            assert set(served.values()) == {None}, "a command that serves has ended"
            return not watched.outstanding and listens(port)

        wait_until(is_done, WITHIN_S)
        for name in ("review", "watch"):
            processes[name].send_signal(signal.SIGTERM)
        ended = {name: each.communicate(timeout=WITHIN_S) for name, each in processes.items()}
    statuses = {name: each.returncode for name, each in processes.items()}
    assert statuses == dict.fromkeys(commands, 0), ended
    assert not any("Traceback" in printed for both in ended.values() for printed in both)
    assert len(list(records_in(watched.output))) == 3
    keys = {each.headers["authorization"] for each in tool.received}
    assert keys == {f"Basic {base64.b64encode(b'pk:sk').decode()}"}


WRONG = {
    "a proxy of SOCKS": ({"ALL_PROXY": "socks5://p"}, "ALL_PROXY names a proxy of SOCKS"),
    "no address of a proxy": (
        {"HTTPS_PROXY": "http://[p"},
        "HTTPS_PROXY does not hold the address",
    ),
    "a missing certificate": ({"SSL_CERT_FILE": "/nonexistent"}, "SSL_CERT_FILE: cannot read"),
    "no certificate": ({"SSL_CERT_FILE": __file__}, "holds no certificate in PEM"),
    "a missing folder": ({"SSL_CERT_DIR": "/nonexistent"}, "SSL_CERT_DIR: there is no folder"),
    "a missing bundle": ({"REQUESTS_CA_BUNDLE": "/nonexistent"}, "REQUESTS_CA_BUNDLE: cannot read"),
    "a webhook without a host": ({"HOOK": "https://"}, "slack:HOOK: must hold an address"),
}
AWAY = "https://away.example"
COMMANDS = {
    "check": ["--answer", "a", "--fact", "b", "--checker", AWAY],
    "backfill": ["--input", "{folder}/one.jsonl", "--output", "{folder}/out", "--checker", AWAY],
    "evaluate": [
        *("--answers", "{folder}/one.jsonl", "--gold", "{folder}/gold.jsonl", "--checker", AWAY)
    ],
    "export": ["{folder}/records", "--to", "langfuse", "--endpoint", AWAY],
    "watch": [
        *("--subscription", SUBSCRIPTION, "--output", "{folder}/out", "--pubsub_address", "h:1"),
        *("--results_to", f"langfuse={AWAY}", "--alert_webhook", "slack:HOOK"),
    ],
}
OF_ONE = {"a webhook without a host": {"watch"}}
CELLS = [
    (command, wrong)
    for command in COMMANDS
    for wrong in WRONG
    if command in OF_ONE.get(wrong, COMMANDS)
]


@pytest.mark.parametrize(("command", "wrong"), CELLS)
def test_what_is_wrong_with_the_environment_is_named_before_anything_is_sent(
    command: str,
    wrong: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_enriched(tmp_path / "records", [an_enriched(trace_id="0" * 31 + "1")])
    (tmp_path / "one.jsonl").write_bytes(an_envelope(1))
    (tmp_path / "gold.jsonl").write_text('{"name": "answer-1", "hallucinated": true}\n')
    monkeypatch.setenv("HOOK", "https://away.example/hook")
    variables, expected = WRONG[wrong]
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    arguments = [each.format(folder=tmp_path) for each in COMMANDS[command]]
    assert main([command, *arguments]) == 2
    printed = capsys.readouterr().err
    assert f"groundwatch {command} cannot start:\n" in printed
    assert expected in printed
    assert not (tmp_path / "out" / "enriched").exists()


SENT = "export {folder}/records --to "
SERVED = "serve-checker --judge_model m --port 0"
WATCHED = f"watch --subscription {SUBSCRIPTION} --output {{folder}}/out"
CHECKED = "check --answer a --fact b"
UNDECODED = [
    (SENT + "langfuse", "LANGFUSE_PUBLIC_KEY", "pk\udcff"),
    (SENT + "langfuse", "LANGFUSE_SECRET_KEY", "sk\udcff"),
    (SENT + "langfuse", "LANGFUSE_BASE_URL", "http://127.0.0.1:9/\udcff"),
    (SENT + "langfuse", "LANGFUSE_SECRET_KEY_FILE", "\udcff"),
    (SENT + "mlflow", "MLFLOW_TRACKING_USERNAME", "u\udcff"),
    (SENT + "mlflow", "MLFLOW_TRACKING_TOKEN", "t\udcff"),
    (SENT + "phoenix", "PHOENIX_COLLECTOR_ENDPOINT", "http://a\udcff:9"),
    (SENT + "phoenix", "GROUNDWATCH_ENDPOINT", "http://a\udcff:9"),
    (SENT + "opentelemetry", "OTEL_EXPORTER_OTLP_HEADERS", "key=\udcff"),
    (SENT + "opentelemetry", "OTEL_SERVICE_NAME", "\udcff"),
    (CHECKED, "GROUNDWATCH_CHECKER", "http://a\udcff:9"),
    (CHECKED, "GROUNDWATCH_PROXY", "http://a\udcff:9"),
    (SERVED, "GROUNDWATCH_JUDGE", "http://a\udcff"),
    (SERVED + " --judge http://a..b", "--judge", None),
    (CHECKED + " --checker http://a..b", "--checker", None),
    (WATCHED, "PUBSUB_EMULATOR_HOST", "a\udcff:1"),
    (WATCHED + " --pubsub_address h:1 --alert_webhook slack:HOOK", "HOOK", "https://a/\udcff"),
]


@pytest.mark.parametrize("case", UNDECODED, ids=itemgetter(1))
def test_a_variable_that_is_not_utf_8_is_named(
    case: tuple[str, str, str | None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_enriched(tmp_path / "records", [an_enriched(trace_id="0" * 31 + "1")])
    command, name, value = case
    if value:
        monkeypatch.setenv(name, value)
    assert main([each.format(folder=tmp_path) for each in command.split()]) == 2
    printed = capsys.readouterr().err
    assert name in printed
    assert "UTF-8" in printed or "must be" in printed
