"""The command in a message works where it is pasted."""

import html
import json
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from groundwatch.launch.cli.main import main
from groundwatch.launch.watch.alerts.alert_notices import AlertPlace, describe_group
from groundwatch.launch.watch.alerts.webhook_payloads import google_chat_message, slack_message
from groundwatch.launch.watch.destinations import alert_place
from tests.launch.watch.alerts.test_alert_notices import a_ledger, an_alert
from tests.support.archives import an_envelope
from tests.support.reports import a_low, write_enriched, write_summary
from tests.support.watched import Watched

ID = "a" * 64
NAMES = [
    "out",
    "my live answers",
    "it's",
    "a&b <c> &amp;",
    "`id`",
    'say "yes" $HOME; echo no',
    "-flag",
    "*_bold_*",
]


def command_in(message: dict[str, Any]) -> str:
    """What a person copies out of a message of Slack: the text of its only piece of code."""
    text = message["blocks"][1]["text"]
    assert text["verbatim"]  # nothing becomes a link
    [(fence, code)] = re.findall(r"^(```|`)(.+)\1$", text["text"], re.MULTILINE)
    assert "`" not in code or fence == "```"
    assert not re.search("[<>]", code)
    return html.unescape(code)


@pytest.mark.parametrize("name", NAMES)
def test_the_command_of_an_answer_shows_its_record(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / name
    write_enriched(folder, [a_low(record_id=ID)])
    write_summary(folder)
    monkeypatch.chdir(tmp_path)
    place = alert_place(name, str(folder / ".groundwatch-live"))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    group = describe_group([an_alert(record_id=ID)], place)
    command = command_in(slack_message(group))
    program, *words = shlex.split(command)
    assert program == "groundwatch"
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["record_id"] == ID
    # A shell reads it in the same way.
    shell = f'groundwatch() {{ printf "%s\\0" "$@"; }}; {command}'
    read = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=True)  # noqa: S603, S607
    assert read.stdout.split("\0")[:-1] == words
    [_, widget] = google_chat_message(group)["cardsV2"][0]["card"]["sections"][0]["widgets"][0][
        "textParagraph"
    ]["text"].split("<br>groundwatch ")
    assert shlex.split(html.unescape(widget)) == words


@pytest.mark.parametrize(
    ("work_folder", "is_named"), [("out/.groundwatch-r1", False), ("elsewhere", True)]
)
def test_a_broken_ledger_names_the_command_that_finds_the_work_folder(
    watched: Watched,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    work_folder: str,
    is_named: bool,
) -> None:
    monkeypatch.chdir(watched.output.parent)
    watched.work_folder = work_folder
    watched.publish(an_envelope(1))
    watched.drain()
    message = slack_message(describe_group([a_ledger()], alert_place("out", work_folder)))
    command = command_in(message)
    monkeypatch.chdir("/")
    assert ("--work_folder" in command) == is_named
    assert main(shlex.split(command)[1:]) == 0
    assert "Verified" in capsys.readouterr().out


def test_the_folder_of_a_bucket_stays_an_address(tmp_path: Path) -> None:
    place = alert_place("gs://b/live", str(tmp_path))
    assert place == AlertPlace("gs://b/live", str(tmp_path))


@pytest.mark.parametrize("bad", ["two\nlines", "escape\x1b[31m"])
def test_a_path_that_no_line_can_hold_is_no_command(bad: str) -> None:
    message = slack_message(describe_group([an_alert(record_id=ID)], AlertPlace(f"/{bad}")))
    assert message["blocks"][1]["text"]["text"].endswith(f"record {ID}")


def test_an_id_cannot_add_words_to_the_command() -> None:
    group = describe_group([an_alert(record_id="x; rm -r /")], AlertPlace("/out"))
    command = command_in(slack_message(group))
    assert shlex.split(command) == ["groundwatch", "show", "x; rm -r /", "/out"]
