"""`groundwatch report DIR`."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from groundwatch.launch.cli.main import main
from groundwatch.launch.results.report.write_report import write_report
from tests.support.builders import an_enriched
from tests.support.outputs import visible_files
from tests.support.pages import parse_page
from tests.support.reports import a_low, write_enriched, write_summary

KILLED_WRITER = """
import os, signal, sys
from groundwatch.launch.results.report.write_report import write_report
from groundwatch.pipeline import storage

storage.publish = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
write_report(sys.argv[1])
"""


@pytest.fixture
def output(tmp_path: Path) -> Path:
    """A folder with two answers, one of them low."""
    folder = tmp_path / "out"
    write_enriched(folder, [a_low(record_id="a" * 64), an_enriched(record_id="b" * 64)])
    write_summary(folder)
    return folder


def headline_of(path: Path) -> str:
    return parse_page(path.read_text(encoding="utf-8")).all("h1")[0].text


def test_the_page_is_written_and_its_path_is_printed(
    output: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = visible_files(output)
    assert main(["report", str(output)]) == 0
    assert capsys.readouterr().out == f"{output}/report.html\n"
    assert visible_files(output) == sorted([*before, "report.html"])
    assert headline_of(output / "report.html").startswith("1 of 2 scored answers is flagged")


def test_what_a_killed_run_leaves_of_its_page_is_replaced(output: Path) -> None:
    before = set(output.iterdir())
    killed = subprocess.run(  # noqa: S603 - our own source
        [sys.executable, "-c", KILLED_WRITER, str(output)], check=False, timeout=60
    )
    assert killed.returncode == -signal.SIGKILL
    [unfinished] = {*output.iterdir()} - before
    assert unfinished.name.startswith(".")
    write_report(str(output))
    assert {*output.iterdir()} - before == {output / "report.html"}


def test_the_page_is_written_to_the_given_path(output: Path, tmp_path: Path) -> None:
    path = tmp_path / "elsewhere" / "page.html"
    assert main(["report", str(output), "--output", str(path)]) == 0
    assert headline_of(path)
    assert not (output / "report.html").exists()
    assert [each.name for each in path.parent.iterdir()] == ["page.html"]


def thresholds_of(folder: Path) -> list[list[str]]:
    """The rows of the tables of other thresholds, for a threshold of .4 or .05."""
    page = parse_page((folder / "report.html").read_text(encoding="utf-8"))
    rows = [row.text.split() for row in page.all("tr")]
    return [row for row in rows if row[:1] in (["0.4"], ["0.05"])]


def test_other_thresholds_have_their_alerts(output: Path) -> None:
    assert main(["report", str(output), "--claim_threshold", "0.05"]) == 0
    assert thresholds_of(output) == [
        ["0.4", "0", "0"],
        ["0.05", "in", "force", "1", "1"],
        ["0.4", "1", "1"],
    ]


def test_a_damaged_file_is_reported_and_the_page_is_written(
    output: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damaged = write_enriched(output, [an_enriched()], run="z")
    damaged.write_bytes(damaged.read_bytes()[:-9])
    assert main(["report", str(output)]) == 1
    assert f"{damaged}: is damaged" in capsys.readouterr().err
    page = parse_page((output / "report.html").read_text(encoding="utf-8"))
    assert "Not read to the end" in page.all("p", "notice")[0].text


def test_an_output_that_cannot_be_written_is_reported(
    output: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = f"{output}/summary.json/page.html"
    assert main(["report", str(output), "--output", path]) == 1
    printed = capsys.readouterr()
    assert f"{path} cannot be written" in printed.err
    assert printed.out == ""


def test_as_many_answers_are_shown_as_asked_for(tmp_path: Path) -> None:
    write_enriched(tmp_path, [a_low(f"Lamps {n}.", record_id=f"{n:064}") for n in range(6)])
    for shown in (4, 5):
        assert main(["report", str(tmp_path), "--answers", str(shown)]) == 0
        page = parse_page((tmp_path / "report.html").read_text(encoding="utf-8"))
        assert len(page.all("details", "answer")) == shown


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Another folder: one answer became low-grounded, and one is new."""
    folder = tmp_path / "other"
    answers = [
        an_enriched(record_id="a" * 64, min_claim_score=0.9),
        a_low(record_id="b" * 64),
        an_enriched(record_id="c" * 64),
    ]
    write_enriched(folder, answers)
    write_summary(folder, checker="discoveryengine")
    return folder


def test_two_folders_are_compared(
    output: Path, other: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(output), str(other)]) == 0
    assert capsys.readouterr().out == f"{other}/comparison.html\n"
    assert headline_of(other / "comparison.html") == (
        "2 of 2 answers in both folders have another verdict:"
        " 1 became low-grounded, 1 no longer is."
    )
    assert not (output / "comparison.html").exists()


def test_a_comment_has_the_name_of_the_page_with_another_ending(
    output: Path, other: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(output), "--format", "markdown"]) == 0
    assert main(["report", str(output), str(other), "--format", "markdown"]) == 0
    assert capfd.readouterr().out == f"{output}/report.md\n{other}/comparison.md\n"
    assert "became low-grounded" in (other / "comparison.md").read_text(encoding="utf-8")
    assert main(["report", str(output), "--format", "markdown", "--output", "-"]) == 0
    assert capfd.readouterr().out == (output / "report.md").read_text(encoding="utf-8")


def test_damage_in_either_folder_is_reported(
    output: Path, other: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damaged = write_enriched(output, [an_enriched()], run="z")
    damaged.write_bytes(damaged.read_bytes()[:-9])
    assert main(["report", str(output), str(other)]) == 1
    assert f"{damaged}: is damaged" in capsys.readouterr().err
    page = parse_page((other / "comparison.html").read_text(encoding="utf-8"))
    assert "Not read to the end" in page.all("p", "notice")[0].text


@pytest.mark.parametrize(("allowed", "status"), [("0.49", 4), ("0.5", 0)])
def test_too_large_a_share_of_low_grounded_answers_fails_after_the_page_is_written(
    output: Path, capsys: pytest.CaptureFixture[str], allowed: str, status: int
) -> None:
    assert main(["report", str(output), "--fail_above", allowed]) == status
    assert (output / "report.html").is_file()
    assert ("50.0% of the scored answers" in capsys.readouterr().err) == bool(status)


def test_a_folder_without_a_scored_answer_is_not_allowed_by_any_share(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "out"
    write_enriched(folder, [an_enriched(verdict="UNSCORABLE", verdict_reason="NO_FACTS")])
    assert main(["report", str(folder)]) == 0
    assert main(["report", str(folder), "--fail_above", "1"]) == 4
    assert "no answer was scored (1 UNSCORABLE)" in capsys.readouterr().err


LABELS = {"labels.jsonl": '{"record_id": "%s", "label": "%s"}\n', "labels.csv": "%s,%s\n"}


def labels_of(folder: Path, name: str, **labels: str) -> Path:
    """A file of labels by the letter that the record ids consist of."""
    path = folder / name
    head = "record_id,label\n" if name.endswith(".csv") else ""
    rows = (LABELS[name] % (letter * 64, label) for letter, label in labels.items())
    path.write_text(head + "".join(rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", LABELS)
def test_labels_of_ones_own_give_precision_and_recall(
    output: Path, tmp_path: Path, name: str
) -> None:
    gold = labels_of(tmp_path, name, a="unsupported", b="unsupported", c="supported")
    assert main(["report", str(output), "--gold", str(gold)]) == 0
    page = parse_page((output / "report.html").read_text(encoding="utf-8")).text
    assert (
        "By your labels of 2 answers, 1 of 1 that are flagged are unsupported. 1 of 2 that are"
        " unsupported are flagged."
    ) in page
    assert "RAGTruth" not in page
    low = "--claim_threshold", "0", "--low_grounded_threshold", "0"
    assert main(["report", str(output), "--gold", str(gold), *low]) == 0
    page = parse_page((output / "report.html").read_text(encoding="utf-8")).text
    assert "0 of 0 that are flagged" in page


def test_labels_that_do_not_show_the_recall_say_so(output: Path, tmp_path: Path) -> None:
    gold = labels_of(tmp_path, "labels.jsonl", a="supported")
    assert main(["report", str(output), "--gold", str(gold), "--format", "markdown"]) == 0
    comment = (output / "report.md").read_text(encoding="utf-8")
    assert "0 of 1 that are flagged are unsupported. Recall is unknown: 1 LOW_GROUNDED" in comment


@pytest.mark.parametrize("kind", ["html", "markdown"])
def test_a_comparison_has_the_precision_of_both_folders(
    output: Path, tmp_path: Path, kind: str
) -> None:
    other = tmp_path / "other"
    write_enriched(other, [an_enriched(record_id="a" * 64), a_low(record_id="b" * 64)])
    write_summary(other)
    gold = labels_of(tmp_path, "labels.jsonl", a="supported", b="unsupported")
    page = tmp_path / "page"
    given = "--gold", str(gold), "--format", kind, "--output", str(page)
    assert main(["report", str(output), str(other), *given]) == 0
    text = page.read_text(encoding="utf-8")
    assert "Before: By your labels of 2 answers, 0 of 1 that are flagged" in text
    assert "After: By your labels of 2 answers, 1 of 1 that are flagged" in text


def test_labels_of_other_answers_are_named_on_the_page(output: Path, tmp_path: Path) -> None:
    gold = labels_of(tmp_path, "labels.jsonl", c="supported")
    assert main(["report", str(output), "--gold", str(gold)]) == 0
    assert "No label of --gold belongs to an answer" in (output / "report.html").read_text()


def test_a_file_that_holds_no_labels_is_refused(
    output: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = tmp_path / "gold.jsonl"
    gold.write_text('{"record_id": "a"}\n', encoding="utf-8")
    assert main(["report", str(output), "--gold", str(gold)]) == 2
    assert "does not say whether the answer is supported" in capsys.readouterr().err
