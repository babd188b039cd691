"""`groundwatch show`: one record of a folder."""

import json
from pathlib import Path

import pytest

from groundwatch import check
from groundwatch.launch.cli.main import main
from groundwatch.transforms.rules.redaction import TextMode, redact
from tests.support.builders import a_check, a_fact, a_screen, an_enriched
from tests.support.reports import a_low, write_enriched, write_summary

LOW = "a" * 64


@pytest.fixture
def output(tmp_path: Path) -> str:
    """A folder with three answers, one of them low."""
    others = [an_enriched(record_id=f"b{name}" + "0" * 62) for name in "12"]
    write_enriched(tmp_path, [a_low(record_id=LOW, answer_name="answers/7"), *others])
    write_summary(tmp_path)
    return str(tmp_path)


@pytest.mark.parametrize("named", [LOW, "aaaaaaaaaaaa", "answers/7"])
def test_a_record_is_found_by_its_id_or_its_name(
    named: str, output: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", named, output]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("LOW_GROUNDED")
    assert LOW in printed
    for fact in a_low().facts:
        assert fact.text.split()[0] in printed


def test_a_whole_name_wins_over_the_beginning_of_ids(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    others = [an_enriched(record_id=f"17{number}" + "0" * 61) for number in range(3)]
    write_enriched(tmp_path, [*others, a_low(record_id=LOW, answer_name="17")])
    write_summary(tmp_path)
    assert main(["show", "17", str(tmp_path)]) == 0
    assert LOW in capsys.readouterr().out


def test_the_checker_and_the_screen_before_it_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check = a_check(checker="http://judge", revision="small, prompt 1")
    screen = a_screen(verdict="UNSCORABLE", verdict_reason="NO_CLAIMS", support_score=None)
    write_enriched(tmp_path, [a_low(record_id=LOW, check=check, screen=screen)])
    write_summary(tmp_path)
    assert main(["show", LOW, str(tmp_path)]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "checker http://judge (small, prompt 1) screen UNSCORABLE by local (words-1)" in printed


@pytest.mark.parametrize(("mode", "count"), [("full", 1), ("none", 0), ("hash", 0)])
def test_what_a_claim_contradicts_is_quoted_where_texts_were_kept(
    tmp_path: Path, mode: str, count: int, capsys: pytest.CaptureFixture[str]
) -> None:
    record = check("The warranty is 3 years.", ["Lamps glow. The warranty is 2 years."])
    write_enriched(tmp_path, [redact(record, TextMode(mode))])
    write_summary(tmp_path)
    assert main(["show", record.record_id, str(tmp_path)]) == 0
    assert capsys.readouterr().out.count("[1] “The warranty is 2 years.”") == count


def test_a_claim_without_a_quote_has_the_nearest_passage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_enriched(tmp_path, [a_low(record_id=LOW, facts=(a_fact("It is red. Kettles boil."),))])
    write_summary(tmp_path)
    assert main(["show", LOW, str(tmp_path)]) == 0
    assert capsys.readouterr().out.count("nearest: [1] “Kettles boil.”") == 1


def test_a_record_is_printed_as_json(output: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", LOW, output, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["record_id"] == LOW


@pytest.mark.parametrize(
    ("named", "reason"), [("b", "can mean 2 records: b1000"), ("c", "has the id or the name 'c'")]
)
def test_an_id_that_is_not_one_record_is_explained(
    named: str, reason: str, output: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", named, output]) == 1
    assert reason in capsys.readouterr().err


def test_a_folder_is_not_an_id(output: str, capsys: pytest.CaptureFixture[str]) -> None:
    for folder in (output, "gs://bucket/out"):
        assert main(["show", folder]) == 2
        sentence = f"ID {folder}: is a folder; give the id of a record before it"
        assert sentence in capsys.readouterr().err


def test_a_damaged_file_is_a_sentence(output: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = next(Path(output).rglob("*.avro"))
    path.write_bytes(path.read_bytes()[:-5])
    assert main(["show", LOW, output]) == 1
    assert "is damaged" in capsys.readouterr().err
