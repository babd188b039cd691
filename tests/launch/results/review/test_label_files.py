"""The labels of a review: what decisions say together, and the files that hold them."""

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from groundwatch.launch.cli.main import main
from groundwatch.launch.results.evaluate.labels import (
    Decision,
    UnreadableLabels,
    answer_label,
    read_labels,
)
from groundwatch.launch.results.review.label_files import LabelFiles
from tests.support.reports import a_low, write_enriched

FIRST, SECOND = (0, 6), (6, 25)


def clock() -> Iterator[str]:
    """Times that rise."""
    return (f"2026-03-03T12:00:{second:02d}.000000+00:00" for second in count())


def label_files(*paths: Path, labeller: str = "ada") -> LabelFiles:
    times = clock()
    return LabelFiles([str(path) for path in paths], labeller, lambda: next(times))


@pytest.mark.parametrize(
    ("decisions", "is_unsupported", "spans"),
    [
        ([(None, "supported")], False, None),
        ([(None, "not_a_claim")], False, None),
        ([(None, "unsure")], None, None),
        ([(None, "supported"), (None, "unsupported")], True, None),
        ([(None, "unsupported"), (None, None)], None, None),
        ([(FIRST, "unsupported")], True, [FIRST]),
        ([(FIRST, "supported")], None, None),
        ([(FIRST, "unsupported"), (FIRST, "supported")], None, None),
        ([(None, "supported"), (FIRST, "unsupported")], True, [FIRST]),
        ([(None, "supported"), (FIRST, "unsupported"), (FIRST, None)], False, None),
        ([(FIRST, "unsupported"), (SECOND, "unsupported")], True, [FIRST, SECOND]),
        ([(FIRST, "supported"), (None, "supported")], False, []),
    ],
)
def test_the_last_decisions_say_what_an_answer_is(
    decisions: list[tuple[tuple[int, int] | None, str | None]],
    is_unsupported: bool | None,
    spans: list[tuple[int, int]] | None,
) -> None:
    label = answer_label(
        Decision(record_id="a", span=span, label=word, labeller="ada", time="")
        for span, word in decisions
    )
    assert (label and label.is_unsupported) == is_unsupported
    if label:
        found = None if label.spans is None else [(each.start, each.end) for each in label.spans]
        assert found == spans


def test_a_label_is_a_line_and_survives(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    labels = label_files(path)
    labels.add("a" * 64, "unsupported", FIRST)
    labels.add("b" * 64, "supported", sample="near")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines[0]["span"] == [0, 6]
    assert (lines[1]["labeller"], lines[1]["sample"]) == ("ada", "near")
    again = label_files(path)
    assert [again.word(each * 64) for each in "abc"] == ["unsupported", "supported", None]
    assert read_labels(str(path))["a" * 64].is_unsupported


def test_undo_takes_back_what_was_labelled_since_the_start(tmp_path: Path) -> None:
    labels = label_files(tmp_path / "labels.jsonl")
    for word in ("supported", "unsupported"):
        labels.add("a", word)
    words = []
    while labels.undo():
        words.append(labels.word("a"))
    assert words == ["supported", None]
    assert label_files(tmp_path / "labels.jsonl").word("a") is None


def test_two_people_are_compared(tmp_path: Path) -> None:
    other = tmp_path / "bob.jsonl"
    theirs = label_files(other, labeller="bob")
    for record_id, word in (("a", "supported"), ("b", "unsupported"), ("c", "unsupported")):
        theirs.add(record_id, word)
    labels = label_files(tmp_path / "labels.jsonl", other)
    for record_id, word in (("a", "supported"), ("b", "supported"), ("c", "unsupported")):
        labels.add(record_id, word)
    [(first, second, agreement, differing)] = labels.agreements()
    assert (first, second, differing) == ("ada", "bob", ["b"])
    assert agreement.share == pytest.approx(2 / 3)
    assert agreement.kappa == pytest.approx(0.4)


def test_a_file_that_is_no_labels_is_named(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text('{"record_id": "a"}\n')
    with pytest.raises(UnreadableLabels, match=r"labels.jsonl, line 1: is no label"):
        label_files(path)


def test_evaluate_and_calibrate_read_the_labels(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = [a_low(record_id=f"{number:064x}") for number in range(4)]
    path = write_enriched(tmp_path, answers)
    labels = label_files(tmp_path / "labels.jsonl")
    for number, word in enumerate(("unsupported", "unsupported", "supported", "unsure")):
        labels.add(answers[number].record_id, word)
    given = ["--answers", str(path), "--gold", labels.path]
    assert main(["evaluate", *given]) == 0
    assert "3" in capsys.readouterr().out
    assert main(["calibrate", *given, "--recall", "0.5"]) == 0
