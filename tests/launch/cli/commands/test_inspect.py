"""`groundwatch inspect`: how the messages of a file are read."""

import json
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from groundwatch.launch.cli.main import main
from tests.support.archives import an_envelope, lines_of

TRACE: dict[str, Any] = {
    "id": "t1",
    "timestamp": "2026-03-03T12:00:00Z",
    "input": "Who feeds the cat?",
    "output": "Ada feeds the cat.",
    "metadata": {"contexts": ["Ada feeds the cat at noon."]},
}
ROW = {"said": {"reply": "Ada feeds the cat."}, "excerpts": [{"chunk": "Ada has a cat to feed."}]}


def inspect(path: Path, value: object, *flags: str) -> int:
    path.write_bytes(value if isinstance(value, bytes) else lines_of(json.dumps(value).encode()))
    return main(["inspect", str(path), *flags])


def test_an_answer_is_shown_with_its_format_and_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "traces.jsonl"
    assert inspect(path, TRACE) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(f"{path}#1: langfuse.trace\nfields: id, timestamp, input, output, ")
    for words in ("GROUNDED", "Who feeds the cat?", "Ada feeds the cat at noon."):
        assert words in printed
    given = ["--answer", TRACE["output"], "--fact", TRACE["metadata"]["contexts"][0]]
    assert main(["check", *given, "--query", TRACE["input"]]) == 0
    checked = capsys.readouterr().out
    for found in (r"checker +local\+small .*", r"GROUNDED .*support.*"):
        assert re.findall(found, printed) == re.findall(found, checked) != []


def test_a_carrier_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    entry = {"logName": "projects/p/logs/chat", "insertId": "i", "jsonPayload": TRACE}
    assert inspect(tmp_path / "a.jsonl", entry) == 0
    assert "a.jsonl#1: langfuse.trace in LogEntry\n" in capsys.readouterr().out


def test_what_is_not_understood_comes_with_a_map_that_reads_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.jsonl"
    assert inspect(path, ROW) == 1
    flags = ["--map", "answer=$.said.reply", "facts=$.excerpts[*].chunk"]
    printed = capsys.readouterr()
    assert f"{path}#1: not read\n" in printed.out
    assert f"Try --map '{flags[1]}' --map '{flags[2]}'\n" in printed.out
    assert "none of these messages could be read" in printed.err
    assert inspect(path, ROW, *flags) == 0
    assert "a.jsonl#1: field_map.custom\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.csv", b"question,answer\nWho?,Ada.\n", "UNSCORABLE  NO_FACTS"),
        ("a.jsonl", b"question,answer\nWho?,Ada.\n", "let its name end in .csv"),
        ("a.jsonl", json.dumps(TRACE).encode("utf-16"), "looks like UTF-16"),
        ("a.jsonl", json.dumps(TRACE, indent=2).encode(), "a.jsonl#1: langfuse.trace"),
        ("a.jsonl", json.dumps([TRACE, TRACE]).encode(), "a.jsonl#1#1: langfuse.trace"),
        ("a.csv", b"a,b\n1,2\n", "fields: a, b\nThe message is not recognised"),
        ("a.csv", b'a,b\nWho?,"Ada\nWho?,Bob\n', "A quote that opens in it is not closed."),
        ("a.jsonl", b'{"question": "Who?", "answer": null}', "fields: question, answer\n"),
        ("a.jsonl", b'{"answer": null, "facts": ["Ada."]}', "Its field answer is null.\n\n"),
        ("a.jsonl", b'{"anwser": "Ada.", "facts": ["Ada."]}', "Did you mean answer by anwser?"),
        (
            "a.jsonl",
            b'{"answer": "Ada.", "facst": ["Ada fed it."]}',
            "Did you mean facts by facst?",
        ),
        ("a.jsonl", b"", "no message in it"),
        ("a.avro", b"Obj\x01", "cannot be read: its Avro header is damaged"),
    ],
)
def test_other_files_are_shown_or_explained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, content: bytes, words: str
) -> None:
    inspect(tmp_path / name, content)
    printed = capsys.readouterr()
    assert words in printed.out + printed.err
    assert not (name == "a.csv" and "let its name end" in printed.err)


FACT = "The warranty covers defects for twenty-four months from the purchase."
QUERY, TEXT = "How long is the warranty?", "The warranty lasts twenty-four months."
UNKNOWN = {
    "a bot": {"User": QUERY, "Bot": TEXT, "KBArticles": [{"Heading": "W", "Paragraph": FACT}]},
    "a table": {"Prompt": QUERY, "Assistant Reply": TEXT, "Retrieved Docs": [FACT]},
    "JSON in a cell": {"customer_question": QUERY, "bot_reply": TEXT, "kb": json.dumps([FACT])},
    "names with an apostrophe": {"user's text": QUERY, "bot's reply": TEXT, "it's docs": [FACT]},
    "columns": {"Asked": QUERY, "Said": TEXT, "Source 1": FACT},
    "a document": {"Asked": QUERY, "Bot reply": TEXT, "Source text": FACT, "Source document": "a"},
    "a chat": {
        "messages": [{"role": "user", "content": QUERY}, {"role": "assistant", "content": TEXT}],
        "grounding_docs": [{"passage_text": FACT}],
    },
    "nested": {
        "event": {
            "chat": {"input": {"utterance": QUERY}, "output": {"utterance": TEXT}},
            "retrieval": {"hits": [{"score": 0.4, "_source": {"chunk_body": FACT}}]},
        }
    },
    "parts": {
        "question": QUERY,
        "reply": {"parts": [{"markdown": TEXT}]},
        "knowledge": {"articles": [{"fullText": FACT}]},
    },
    "JSON in a log": {
        "payload": json.dumps(
            {"req": {"user_query": QUERY}, "res": {"final_answer": TEXT}, "ctx": [{"t": FACT}]}
        )
    },
    "names with endings": {
        "input_text": QUERY,
        "answer_type": "generated",
        "assistant_message": TEXT,
        "search": {"results": {"items": [{"excerpt": FACT, "link": "https://x"}]}},
    },
    "an evaluation": {"prompt": QUERY, "prediction_text": TEXT, "gold_passage": FACT},
    "a source beside the answer in a list": {
        "question": QUERY,
        "reply": TEXT,
        "steps": [{"out": {"answer": TEXT}}, {"out": [{"page_content": FACT}]}],
    },
}


@pytest.mark.parametrize("row", UNKNOWN.values(), ids=UNKNOWN)
def test_a_suggestion_works_as_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], row: dict[str, object]
) -> None:
    path = tmp_path / "a.jsonl"
    row = row | {"createdAt": "2026-05-01T10:00:00Z", "conversationId": "c1"}
    assert inspect(path, row) == 1
    suggested = capsys.readouterr().out.partition("Try ")[2].splitlines()[0]
    script = f"printf '%s\\n' {suggested}"
    # A shell expands more than shlex does, such as $['A'] within double quotes.
    words = subprocess.run(["bash", "-c", script], check=True, capture_output=True, text=True)  # noqa: S603, S607 - our own
    assert inspect(path, row, *words.stdout.splitlines()) == 0
    printed = " ".join(capsys.readouterr().out.split())
    for words in (f"query {QUERY}", TEXT, FACT, "time 1 May 2026, 10:00 UTC", "session c1"):
        assert words in printed


@pytest.mark.parametrize("place", ["the environment", "a file", "a list in a file"])
@pytest.mark.parametrize("row", UNKNOWN.values(), ids=UNKNOWN)
def test_a_suggestion_works_as_a_setting(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    row: dict[str, object],
    place: str,
) -> None:
    path, config, flags = tmp_path / "a.jsonl", tmp_path / "config.yaml", list[str]()
    assert inspect(path, row) == 1
    quoted = capsys.readouterr().out.partition("Try ")[2].splitlines()[0]
    found = [each for each in shlex.split(quoted) if each != "--map"]
    if place == "the environment":
        monkeypatch.setenv("GROUNDWATCH_MAP", " ".join(found))
    elif place == "a file":
        lines = (f"  {each.replace('=', ': ', 1)}" for each in found)
        config.write_text("\n".join(["map:", *lines]))
    else:
        lines = (f"- '{each.replace(chr(39), chr(39) * 2)}'" for each in found)
        config.write_text("\n".join(["map:", *lines]))
    if config.exists():
        flags = ["--config", str(config)]
    assert inspect(path, row, *flags) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert f"query {QUERY}" in printed
    assert TEXT in printed
    assert FACT in printed


def test_a_file_has_one_suggestion_of_all_its_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    passages = [f"passage_{number}" for number in range(1, 5)]
    short = {"question": QUERY, "reply": TEXT, passages[0]: FACT}
    whole = short | dict.fromkeys(passages, FACT)
    rows = *[short] * 5, whole  # more than are shown
    lines = lines_of(*(json.dumps(each).encode() for each in rows))
    assert inspect(tmp_path / "a.jsonl", lines) == 1
    printed = capsys.readouterr().out
    assert printed.count("Try ") == 1
    assert printed.count("The message is not recognised") == 1
    assert printed.count(": not read\n") == 1
    assert printed.count(": not read, for the same reason\n") == 2
    assert [name for name in passages if f"--map 'facts=$.{name}'" in printed] == passages


def test_the_same_reason_is_that_of_the_message_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    unread, read = {"question": QUERY, "reply": TEXT}, {"answer": TEXT, "facts": [FACT]}
    lines = lines_of(*(json.dumps(each).encode() for each in (unread, read, unread)))
    assert inspect(tmp_path / "a.jsonl", lines) == 0
    assert capsys.readouterr().out.count("The message is not recognised") == 2


@pytest.mark.parametrize(("reply", "status"), [("answer", 0), ("said", 1)])
def test_what_is_not_shown_is_no_reason_to_fail(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], reply: str, status: int
) -> None:
    lines = [json.dumps({reply: TEXT, "facts": [FACT]}).encode()] * 3
    (tmp_path / "a.jsonl").write_bytes(lines_of(*lines))
    (tmp_path / "b.avro").write_bytes(b"Obj\x01 damaged")
    assert main(["inspect", f"{tmp_path}/*"]) == status
    screen = capsys.readouterr()
    assert "cannot be read" not in screen.err
    assert ("Try --map" in screen.out) == (status == 1)


@pytest.mark.parametrize(
    ("facts", "unread"),
    [
        (FACT, ""),
        ([{"content": FACT}], ""),
        ([{"page_content": FACT, "metadata": {"title": "All about lamps."}}], ""),
        ([{"text": "Lamps.", "content": FACT}], "facts[].content"),
        ([{"content": FACT, "context": "No."}], ""),
        ([FACT, {"body_text": "Lamps are sent within three days."}], "facts[].body_text"),
    ],
    ids=[
        "one text",
        "another name",
        "a document",
        "one of two texts",
        "both texts",
        "an unknown name",
    ],
)
def test_facts_under_another_name_are_not_named_as_unread(
    facts: object, unread: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert inspect(tmp_path / "a.jsonl", {"answer": TEXT, "facts": facts}) == 0
    named = [line for line in capsys.readouterr().out.splitlines() if "not read" in line]
    assert named == ([f"texts that are not read: {unread}"] if unread else [])


def test_texts_that_are_left_over_beside_the_facts_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = "Lamps are sent within three days of the order."
    row = {"reply": TEXT, "docs": [{"text": FACT}, {"passage_body": other}]}
    path = tmp_path / "a.jsonl"
    assert inspect(path, row, "--map", "answer=$.reply", "facts=$.docs[*].text") == 0
    assert "texts that are not read: docs[].passage_body\n" in capsys.readouterr().out
    paths = "facts=$.docs[*].text", "facts=$.docs[*].passage_body"
    assert inspect(path, row) == 1
    printed = capsys.readouterr().out
    assert all(f"--map '{each}'" in printed for each in paths)
    assert inspect(path, row, "--map", "answer=$.reply", *paths) == 0
    assert "not read" not in capsys.readouterr().out


def test_the_question_is_no_fact_where_a_path_finds_it_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = ("user", QUERY), ("tool", FACT), ("assistant", TEXT)
    row = {"turns": [{"role": role, "content": text} for role, text in said]}
    paths = [
        'query=$.turns[?(@.role=="user")].content',
        'answer=$.turns[?(@.role=="assistant")].content',
        'facts=$.turns[?(@.role!="assistant")].content',
    ]
    assert inspect(tmp_path / "a.jsonl", row, "--map", *paths) == 0
    facts = capsys.readouterr().out.partition("\nFacts\n")[2]
    assert "[1]  The warranty covers" in facts
    assert QUERY not in facts
    row["turns"].pop(1)
    assert inspect(tmp_path / "a.jsonl", row, "--map", *paths) == 0
    assert "UNSCORABLE  NO_FACTS" in capsys.readouterr().out


def test_a_map_that_finds_an_empty_answer_has_no_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {"Bot": "", "Docs": [FACT]}
    assert inspect(tmp_path / "a.jsonl", row, "--map", "answer=$.Bot", "facts=$.Docs") == 0
    assert "UNSCORABLE  NO_TEXT" in capsys.readouterr().out


@pytest.mark.parametrize(("name", "is_read"), [("source_system", True), ("evidence", False)])
def test_a_short_text_is_refused_only_under_the_whole_name_of_facts(
    tmp_path: Path, name: str, *, is_read: bool
) -> None:
    row = {"question": QUERY, "answer": TEXT, name: "crm"}
    assert inspect(tmp_path / "a.jsonl", row, "--map", "answer=$.answer", "facts=$.x") != is_read


def test_only_the_first_messages_are_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = lines_of(*map(an_envelope, range(9)))
    assert inspect(tmp_path / "a.jsonl", content, "--messages", "2") == 0
    assert capsys.readouterr().out.count("groundwatch.envelope") == 2
