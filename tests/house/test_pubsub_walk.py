"""The walk of docs/operations.md: a Pub/Sub server, a worker, and what it has written."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from groundwatch.launch.cli.main import main
from groundwatch.launch.cli.paths import default_run_id, default_work_folder
from groundwatch.pipeline.settings.config import Destination
from tests.support.commands import WITHOUT_EXTRAS
from tests.support.documented_commands import read_page
from tests.support.outputs import record_ids_in
from tests.support.pubsub_servers import GoogleEmulator, find_emulator, free_port
from tests.support.repository import ROOT, python_path
from tests.support.waiting import wait_until
from tests.support.watched import ledger_of, total

WALK = read_page(ROOT / "docs" / "operations.md")
SAMPLE = ROOT / "launch" / "cli" / "samples" / "answers-2026-03-02.jsonl"
RUN = [command.text for command in WALK.commands if not command.only_parsed_for]
ACTIVATE, SERVER, EXPORT, WATCH, *AFTER = RUN
START = f"{SERVER}\n{EXPORT}\n{WATCH}"
PORT = "8085"
# Google's emulator starts without topics.
PUBLISH = f"""from pathlib import Path

from google.cloud.pubsub import PublisherClient, SubscriberClient

TOPIC, SUBSCRIPTION = "projects/local/topics/answers", "projects/local/subscriptions/answers"
publisher, subscriber = PublisherClient(), SubscriberClient()
publisher.create_topic(name=TOPIC)
subscriber.create_subscription(name=SUBSCRIPTION, topic=TOPIC)
for line in Path("{SAMPLE.relative_to(ROOT)}").read_bytes().splitlines():
    publisher.publish(TOPIC, line).result()
"""


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone with an activated environment, in which no extra is installed."""
    for name in ("launch", "tests"):
        (tmp_path / name).symlink_to(ROOT / name)
    program = f"{WITHOUT_EXTRAS}\nfrom groundwatch.launch.cli.main import main\nsys.exit(main())"
    commands = {"groundwatch": f"-c '{program}'", "python": ""}
    for name, arguments in commands.items():
        path = tmp_path / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f'#!/bin/sh\nexec {sys.executable} {arguments} "$@"\n')
        path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", python_path())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read_by_worker(output: Path) -> int:
    """Count the messages that the worker has finished."""
    run = default_run_id(["pubsub://projects/local/subscriptions/answers"])
    work_folder = default_work_folder(Destination(root=str(output), run=run))
    return total(ledger_of(work_folder))["read"]


def watch(script: str, output: Path, messages: int) -> str:
    """Run a script whose last command watches, until messages are read; return what it printed."""
    *others, last = script.splitlines()
    command = ["bash", "-c", "\n".join([*others, f"exec {last}"])]
    # A pipe would stay open until background jobs end.
    printed = output.parent / "printed"
    output.parent.mkdir()
    with printed.open("w") as stream:
        process = subprocess.Popen(  # noqa: S603 - the page's own commands
            command, stdout=stream, stderr=stream, start_new_session=True
        )
        try:
            wait_until(lambda: process.poll() is not None or read_by_worker(output) >= messages, 60)
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 0, printed.read_text()
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
    return printed.read_text()


def test_the_walk_with_the_bundled_server(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = SAMPLE.read_bytes().splitlines()
    script = START.replace(PORT, str(free_port()))
    printed = watch(script, clone / "out" / "live", len(lines))
    assert "apitools" not in printed
    assert "every message is accounted for" in printed
    for command in AFTER[:2]:
        assert main(command.split()[1:]) == 0, (command, capsys.readouterr())
    assert len(record_ids_in(clone / "out" / "live")) > 0.8 * len(lines)


def test_the_readme_activates_as_this_walk_does() -> None:
    assert ACTIVATE in [command.text for command in read_page(ROOT / "README.md").commands]


def test_the_walk_with_googles_emulator(clone: Path, pytestconfig: pytest.Config) -> None:
    path = find_emulator(pytestconfig.getoption("--pubsub-emulator"))
    if path is None:
        pytest.skip("Google's emulator was not found")
    (clone / "publish.py").write_text(PUBLISH)
    messages = len(SAMPLE.read_bytes().splitlines())
    with GoogleEmulator(path) as emulator:
        export = EXPORT.replace(f"127.0.0.1:{PORT}", emulator.address)
        script = f"{export}\npython publish.py || exit\n{WATCH}"
        assert "accounted for" in watch(script, clone / "out" / "live", messages)
