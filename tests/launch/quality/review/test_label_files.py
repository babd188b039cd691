"""The labels of a review: what decisions say together, and the files that hold them."""

import json
import logging
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from groundwatch.launch.quality.evaluate.labels import (
    ReviewDecision,
    UnreadableLabels,
    answer_label,
    read_labels,
)
from groundwatch.launch.quality.review.label_files import LabelFiles

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
        ReviewDecision(record_id="a", span=span, label=word, labeller="ada", time="")
        for span, word in decisions
    )
    assert (label and label.is_unsupported) == is_unsupported
    if label:
        found = None if label.spans is None else [(each.start, each.end) for each in label.spans]
        assert found == spans


@pytest.mark.parametrize(
    ("decisions", "first", "second"),
    [
        ([(None, "supported")], False, False),
        ([(None, "unsupported")], None, None),
        ([(None, "not_a_claim")], None, None),
        ([(FIRST, "unsupported")], True, None),
        ([(FIRST, "unsupported"), (SECOND, "supported")], True, False),
        ([(FIRST, "unsupported"), (SECOND, "unsure")], True, None),
        ([(FIRST, "supported"), (None, "unsupported")], False, None),
        ([(FIRST, "unsupported"), (None, "supported")], True, False),
    ],
)
def test_of_a_claim_without_a_decision_nobody_knows_unless_the_answer_is_supported(
    decisions: list[tuple[tuple[int, int] | None, str]], first: bool | None, second: bool | None
) -> None:
    label = answer_label(
        ReviewDecision(record_id="a", span=span, label=word, labeller="ada", time="")
        for span, word in decisions
    )
    assert label
    assert label.is_unsupported_at(*FIRST) is first
    assert label.is_unsupported_at(*SECOND) is second


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
    assert read_labels("gold", [str(path)], [])["a" * 64].is_unsupported


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


@contextmanager
def full_disk_at(size_bytes: int) -> Iterator[None]:
    """Let no file of this process grow beyond a size; the write that would takes what fits."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_label_that_a_full_disk_cuts_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    labels = label_files(path)
    labels.add("a", "supported")
    with full_disk_at(path.stat().st_size + 20):
        with pytest.raises(OSError, match=r"cannot write .*labels.jsonl"):
            labels.add("b", "unsupported")
        with pytest.raises(OSError, match="cannot write"):
            labels.undo()
    assert labels.word("b") is None
    labels.add("c", "unsupported")
    assert [json.loads(line)["record_id"] for line in path.read_text().splitlines()] == ["a", "c"]
    # A label that could not be taken back can be later.
    assert [labels.undo(), labels.undo(), labels.undo()] == ["c", "a", None]


@pytest.mark.parametrize("torn_bytes", [1, 5, 40, 110])
def test_a_torn_line_is_named_and_costs_no_other_label(
    tmp_path: Path, torn_bytes: int, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "labels.jsonl"
    earlier = label_files(path, labeller="Zo\u00eb")
    for record_id in "abc":
        earlier.add(record_id, "supported")
    first, second, third = path.read_bytes().splitlines(keepends=True)
    # 2.0.0 wrote the next label behind the torn one.
    path.write_bytes(first + second[:torn_bytes] + third + second[:torn_bytes])
    caplog.set_level(logging.WARNING)
    labels = label_files(path)
    named = [f"{path}, line {number}: was written only in part" for number in (2, 3)]
    assert [message.rpartition(":")[0] for message in caplog.messages] == named
    labels.add("d", "unsupported")
    for again in (labels, label_files(path)):
        assert [again.word(each) for each in "abcd"] == ["supported", None, None, "unsupported"]
    assert read_labels("gold", [str(path)], []).keys() == {"a", "d"}


def test_two_processes_on_one_file_see_each_others_labels(tmp_path: Path) -> None:
    path, other = tmp_path / "labels.jsonl", tmp_path / "theirs.jsonl"
    label_files(other).add("c", "supported")
    ada, bob = label_files(path, other), label_files(path, labeller="bob")
    ada.take_changed()
    bob.add("a", "unsupported")
    label_files(other).add("d", "supported")
    assert ada.word("a") is None
    ada.read_new()
    assert ada.take_changed() == {"a", "d"}
    assert ada.word("a") == "unsupported"
    ada.add("a", "supported")
    bob.add("b", "supported")
    assert [bob.word("a"), bob.word("b")] == ["supported", "supported"]
    assert len(path.read_text().splitlines()) == 3


def test_a_file_that_a_person_has_edited_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    labels = label_files(path)
    for record_id in "ab":
        labels.add(record_id, "supported")
    _, second = path.read_text().splitlines(keepends=True)
    edited = tmp_path / "edited"
    edited.write_text(second)
    edited.replace(path)
    labels.take_changed()
    labels.read_new()
    assert labels.take_changed() == {"a", "b"}
    assert [labels.word("a"), labels.word("b")] == [None, "supported"]
    path.unlink()
    labels.add("c", "supported")
    assert labels.record_ids() == ["c"]


EARLY, LATE = "2026-03-03T12:00:00.5+00:00", "2026-03-03T13:00:01+01:00"


@pytest.mark.parametrize("is_late_first", [True, False])
def test_the_last_label_by_time_counts_in_whichever_file_it_is(
    tmp_path: Path, is_late_first: bool
) -> None:
    decisions = [("supported", EARLY), ("unsupported", LATE), ("supported", "yesterday")]
    paths = []
    for number, (word, time) in enumerate(decisions[:: 1 if is_late_first else -1]):
        decision = {"record_id": "a", "span": None, "label": word, "labeller": "ada", "time": time}
        paths.append(tmp_path / f"{number}.jsonl")
        paths[-1].write_text(json.dumps(decision) + "\n")
    problems: list[str] = []
    by_evaluate = read_labels("gold", [str(path) for path in paths], problems)["a"]
    assert label_files(*paths).word("a") == "unsupported"
    assert (by_evaluate.is_unsupported, problems) == (True, [])
