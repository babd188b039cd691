"""The examples of docs/extending.md, applied to a copy of the source."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import GROUNDWATCH, run, start
from tests.support.outputs import failures_in, records_in
from tests.support.repository import FOLDERS, ROOT

PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
FACT = "Lamps glow red."
ANSWERS = {"a": FACT, "b": "Kettles vote.", "c": "Do lamps glow?"}


def parts() -> list[tuple[str, list[tuple[str, str]]]]:
    """Each part of the page as its title, and its blocks with the file that stands before each."""
    found = []
    for part in re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]:
        blocks = []
        for text, language, block in re.findall(
            r"(.*?)^```(python|diff)\n(.*?)^```", part, re.DOTALL | re.MULTILINE
        ):
            named = re.findall(r"`([\w/]+\.(?:py|toml))`", text)
            blocks.append((named[0] if named else blocks[-1][0], f"{language}\n{block}"))
        found.append((part.partition(":")[0], blocks))
    return found


def apply(block: str, path: Path) -> None:
    """Write a new file, or change one by a diff, whose other lines must stand there once."""
    language, _, text = block.partition("\n")
    if language == "python":
        path.write_text(text, encoding="utf-8")
        return
    lines = text.splitlines(keepends=True)
    before = "".join(line[1:] for line in lines if not line.startswith("+"))
    after = "".join(line[1:] for line in lines if not line.startswith("-"))
    source = path.read_text(encoding="utf-8")
    assert source.count(before) == 1, f"{path.name} has changed; the page has not"
    path.write_text(source.replace(before, after), encoding="utf-8")


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the source with all that the page adds."""
    folder = tmp_path_factory.mktemp("extended")
    without_compiled = shutil.ignore_patterns("*.pyc")
    for name in FOLDERS:
        shutil.copytree(ROOT / name, folder / name, symlinks=True, ignore=without_compiled)
    for _, blocks in parts():
        for name, block in blocks:
            apply(block, folder / name)
    return folder


@pytest.fixture
def checker(extended: Path) -> Iterator[str]:
    """The address of the page's checker while it runs."""
    with start(str(extended / "my_checker.py"), "0") as process:
        assert process.stdout
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        process.terminate()


def chats(folder: Path) -> Path:
    path = folder / "chats.jsonl"
    lines = (
        {"ticket": ticket, "reply": reply, "passages": [{"body": FACT, "link": "lamps.example"}]}
        for ticket, reply in ANSWERS.items()
    )
    turn = {"zebra": "d", "asked": "Do they?", "said": FACT, "stripes": [{"text": FACT}]}
    exported = {"exportId": 7, "exportedAt": "2026-03-02T08:00:00Z", "trace": "t", "chat": turn}
    path.write_text("".join(json.dumps(line) + "\n" for line in (*lines, exported)))
    return path


def test_what_the_page_adds_takes_part_in_a_backfill(
    extended: Path, checker: str, tmp_path: Path
) -> None:
    archive = chats(tmp_path)
    flags = ["--input", str(archive), "--output", str(tmp_path / "out"), "--checker", checker]
    status, screen, complaint = run(*GROUNDWATCH, "backfill", *flags, source=extended)
    assert (status, complaint) == (0, "")
    assert "4 messages" in screen
    assert failures_in(tmp_path / "out") == []
    by_ticket: dict[str, Any] = {r["answer_name"]: r for r in records_in(tmp_path / "out")}
    assert {ticket: record["verdict"] for ticket, record in by_ticket.items()} == {
        "a": "GROUNDED",
        "b": "LOW_GROUNDED",
        "c": "LOW_GROUNDED",
        "d": "GROUNDED",
    }
    assert by_ticket["d"]["source_format"] == "zebra.turn"
    assert by_ticket["a"]["source_format"] == "acme.chat"
    assert (by_ticket["d"]["trace_id"], by_ticket["a"]["trace_id"]) == ("t", None)
    assert by_ticket["a"]["check"]["checker"] == checker
    assert by_ticket["a"]["facts"][0]["uri"] == "lamps.example"
    assert [ticket for ticket, r in by_ticket.items() if "ASKS_BACK" in r["tags"]] == ["c"]


def test_the_command_that_the_page_adds_runs(extended: Path) -> None:
    command = *GROUNDWATCH, "verdicts", "--containing", "GROUNDED"
    assert run(*command, source=extended) == (0, "GROUNDED\nLOW_GROUNDED\n", "")
    exit_status, printed, _ = run(*GROUNDWATCH, "verdicts", "--help", source=extended)
    assert exit_status == 0
    assert "Only list verdicts that contain this text." in " ".join(printed.split())
