"""The page from a RAG service to alerts: what it logs or publishes is read, and reaches Slack.

tests/integrations/rag_services.py runs its snippets with LangChain and LlamaIndex.
"""

import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from groundwatch.launch.cli.main import main
from tests.integrations.rag_services import ANSWER, FACT, PAGE, QUESTION, snippets
from tests.support.documented_commands import read_page
from tests.support.fake_pubsub.server import FakePubSub, ServerSettings
from tests.support.outputs import records_in
from tests.support.repository import ROOT, python_path
from tests.support.results_server import results_server
from tests.support.waiting import wait_until

TO_FILE, TO_TOPIC = snippets("Plain logging")
CALL = f"record_answer({QUESTION!r}, {ANSWER!r}, [{{'text': {FACT!r}, 'title': 'Warranty'}}])"
COMMANDS = [command.text for command in read_page(ROOT / "docs" / "rag_service.md").commands]
[BACKFILL] = [each for each in COMMANDS if "backfill" in each]
[NOTE] = [each for each in COMMANDS if "--format note" in each]
[WATCH] = [each for each in COMMANDS if "projects/local" in each]


def run_service(*programs: str) -> None:
    """Run a service that records one answer, and ends at once."""
    program = "\n".join([*programs, CALL])
    subprocess.run([sys.executable, "-c", program], check=True)  # noqa: S603 - the page's own


def test_a_model_is_asked_again_with_the_note_that_the_page_shows(
    capsys: pytest.CaptureFixture[str],
) -> None:
    section = PAGE.partition("\n## Ask the model again\n")[2].partition("\n## ")[0]
    program, note = (
        re.search(rf"^```{language}\n(.*?)^```", section, re.DOTALL | re.MULTILINE)
        for language in ("python", "text")
    )
    assert program
    assert note
    ran = subprocess.run(  # noqa: S603 - the page's own
        [sys.executable, "-c", program[1]], capture_output=True, check=True, text=True
    )
    assert ran.stdout == "The warranty is 2 years.\n"
    assert main(shlex.split(NOTE)[1:]) == 4
    assert capsys.readouterr().out == note[1]


def test_what_is_logged_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_service(TO_FILE)
    assert main(BACKFILL.split()[1:]) == 0
    [record] = records_in(Path("out/answers"))
    assert (record["verdict"], record["query"]) == ("LOW_GROUNDED", QUESTION)
    assert record["facts"][0]["title"] == "Warranty"


def test_an_answer_that_cannot_be_published_is_named_and_is_in_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PUBSUB_EMULATOR_HOST", "127.0.0.1:9")
    assert TO_TOPIC.count("Retry(timeout=20)") == 1
    program = "\n".join([TO_FILE, TO_TOPIC.replace("timeout=20", "timeout=1"), CALL])
    ran = subprocess.run(  # noqa: S603 - the page's own
        [sys.executable, "-c", program], capture_output=True, check=True, text=True, timeout=60
    )
    assert "an answer was not published to projects/local/topics/answers" in ran.stderr
    assert ANSWER in Path("answers.jsonl").read_text()


def test_what_is_published_reaches_slack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    settings = ServerSettings(empty_pull_s=0.2)
    with FakePubSub(settings) as pubsub, results_server() as slack:
        pubsub.create("projects/local/topics/answers", "projects/local/subscriptions/answers")
        monkeypatch.setenv("PUBSUB_EMULATOR_HOST", pubsub.address)
        monkeypatch.setenv("SLACK_WEBHOOK", f"{slack.url}/services/T0")
        run_service(TO_FILE, TO_TOPIC)
        command = [sys.executable, "-m", "groundwatch", *WATCH.split()[1:]]
        environment = os.environ | {"PYTHONPATH": python_path()}
        with subprocess.Popen(command, env=environment) as worker:  # noqa: S603 - the page's own
            try:
                wait_until(lambda: bool(slack.received) or worker.poll() is not None, 60)
            finally:
                worker.send_signal(signal.SIGINT)
        assert worker.returncode == 0
    [message] = slack.bodies()
    assert message["text"] == "groundwatch: LOW_GROUNDED"
    lines = message["blocks"][1]["text"]["text"].splitlines()
    [show] = [line.strip("`").split() for line in lines if "groundwatch show" in line]
    assert main(show[1:]) == 0
