"""The index of answers: filters, pages, neighbours, and files that come, go or are damaged."""

import tracemalloc
from collections.abc import Iterator
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.launch.quality.evaluate.strata import Stratum
from groundwatch.launch.quality.review.answer_index import AnswerIndex, Query
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.schemas.quantities import DAY_US
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.rules.thresholds import Thresholds
from tests.support.builders import NOON_US, a_fact, an_enriched
from tests.support.reports import a_low, hostile_answers, write_enriched

ANSWERS = [
    a_low("Lamps glow in Peru.", record_id="a" * 64, engine="shop", event_time_us=NOON_US),
    a_low("Kettles vote. Crème brûlée.", record_id="b" * 64, engine="help", min_claim_score=0.3),
    an_enriched(record_id="c" * 64, engine="shop", tags=("LATE",), event_time_us=NOON_US + DAY_US),
    an_enriched(
        record_id="d" * 64,
        answer_name="T-47",
        engine=None,
        event_time_us=None,
        facts=(a_fact(uri="u:1"),),
    ),
    an_enriched(
        record_id="e" * 64,
        engine="faq",
        verdict=Verdict.NOT_ANSWERED,
        support_score=None,
        min_claim_score=None,
        claims=(),
    ),
]


def index_of(folder: Path, cache: Path | None = None) -> AnswerIndex:
    return AnswerIndex({str(folder): Thresholds()}, cache or folder / "cache")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AnswerIndex]:
    """An index of a few answers."""
    folder = tmp_path_factory.mktemp("answers")
    write_enriched(folder, ANSWERS[:3], "first")
    write_enriched(folder, ANSWERS[2:], "second")
    made = index_of(folder)
    assert made.add_new_files() == 2
    yield made
    made.close()


def letters(index: AnswerIndex, **filters: Any) -> str:
    return "".join(each[0] for each in index.page(Query(**filters), 0).record_ids)


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, "abcde"),
        ({"verdict": "LOW_GROUNDED"}, "ab"),
        ({"verdict": "SUNNY"}, ""),
        ({"reason": "CLAIM_SCORE", "engine": "help"}, "b"),
        ({"engine": "shop"}, "ac"),
        ({"tag": "LATE"}, "c"),
        ({"document": "u:1"}, "d"),
        ({"words": "lamps peru"}, "a"),
        ({"words": "creme"}, "b"),
        ({"words": "KETTLE"}, "b"),
        ({"words": "t-47"}, "d"),
        ({"words": 'names: "n1" OR *'}, ""),
        ({"since": date(2026, 3, 4)}, "c"),
        ({"until": date(2026, 3, 3), "since": date(2026, 3, 3), "engine": "shop"}, "a"),
        ({"score_from": 0.2, "score_to": 0.3}, "b"),
        ({"score_to": 1.0}, "abcd"),
        ({"order": "newest", "engine": "shop"}, "ca"),
        ({"order": "oldest", "engine": "shop"}, "ac"),
    ],
)
def test_filters_and_orders(index: AnswerIndex, filters: dict[str, Any], expected: str) -> None:
    assert letters(index, **filters) == expected


def test_labels_are_a_filter(index: AnswerIndex) -> None:
    index.set_label("a" * 64, "unsupported", "flagged")
    index.set_label("c" * 64, "supported", None)
    index.set_label("f" * 64, "supported", None)
    assert letters(index, labelled="any") == "ac"
    assert index.count_labelled() == 2
    assert letters(index, labelled="none") == "bde"
    assert letters(index, labelled="unsupported") == "a"
    assert index.waiting() == {Stratum.FLAGGED: "b" * 64, Stratum.OTHER: "d" * 64}
    assert letters(index, labelled="any") == "ac"
    for record_id in ("a", "c"):
        index.set_label(record_id * 64, None, None)
    assert letters(index, labelled="any") == ""


def test_samples_count_the_labels_of_answers_that_were_drawn_from_their_stratum(
    index: AnswerIndex,
) -> None:
    index.set_label("a" * 64, "unsupported", "flagged")
    index.set_label("b" * 64, "unsure", "flagged")
    index.set_label("d" * 64, "unsupported", "flagged")  # by other thresholds
    index.set_label("f" * 64, "supported", "flagged")  # in another folder
    assert index.samples() == {Stratum.FLAGGED: (2, 1, 1), Stratum.OTHER: (2, 0, 0)}
    assert index.samples_by("engine") == {
        "shop": {Stratum.FLAGGED: (1, 1, 1), Stratum.OTHER: (1, 0, 0)},
        "help": {Stratum.FLAGGED: (1, 0, 0)},
        "": {Stratum.OTHER: (1, 0, 0)},
    }
    assert index.samples_by("reason")["CLAIM_SCORE"] == {Stratum.FLAGGED: (2, 1, 1)}
    assert index.draw() == "c" * 64
    index.set_label("c" * 64, "supported", None)  # chosen
    assert (index.waiting(), index.draw()) == ({}, None)
    # All are labelled: none could have been chosen instead.
    assert index.samples() == {Stratum.FLAGGED: (2, 1, 1), Stratum.OTHER: (2, 2, 1)}
    for record_id in "abcdf":
        index.set_label(record_id * 64, None, None)


def test_an_answer_is_read_from_its_file_and_counts_once(index: AnswerIndex) -> None:
    assert index.count() == len(ANSWERS)
    wanted = [each.record_id for each in reversed(ANSWERS)]
    assert [each.record_id for each in index.read([*wanted, "unknown"])] == wanted
    [row] = index.read(["a" * 64])
    assert row.answer_text == ANSWERS[0].answer_text
    assert dict(index.names("engine")) == {"shop": 2, "help": 1, "faq": 1}


def test_pages_and_neighbours_go_through_all_answers_once(tmp_path: Path) -> None:
    answers = [
        an_enriched(record_id=f"{number:064x}", event_time_us=NOON_US + number % 7)
        for number in range(60)
    ]
    write_enriched(tmp_path, answers)
    index = index_of(tmp_path)
    index.add_new_files()
    for order in ("score", "newest", "oldest"):
        query = Query(order=order)
        pages = [index.page(query, number) for number in range(3)]
        listed = [record_id for page in pages for record_id in page.record_ids]
        assert sorted(listed) == [each.record_id for each in answers]
        for before, behind in pairwise(listed):
            assert index.neighbour(query, before, is_next=True) == behind
            assert index.neighbour(query, behind, is_next=False) == before
        assert index.neighbour(query, listed[-1], is_next=True) is None
    assert index.neighbour(Query(), "unknown", is_next=True) is None
    assert index.page(Query(), 99).number == 2


@given(words=st.text(max_size=30))
def test_no_search_is_an_error(index: AnswerIndex, words: str) -> None:
    assert set(letters(index, words=words, tag='"', document=words)) <= set("abcde")


def test_a_second_process_uses_the_index_and_new_files_are_added(tmp_path: Path) -> None:
    write_enriched(tmp_path, ANSWERS[:2], "first")
    first = index_of(tmp_path)
    assert first.add_new_files() == 1
    second = index_of(tmp_path)
    assert (second.count(), second.add_new_files()) == (2, 0)
    write_enriched(tmp_path, ANSWERS[2:], "second")
    assert second.add_new_files() == 1
    assert (first.add_new_files(), first.count()) == (0, 5)


def test_an_index_of_files_that_are_gone_is_made_again(tmp_path: Path) -> None:
    write_enriched(tmp_path, ANSWERS[:2], "first")
    index = index_of(tmp_path)
    index.add_new_files()
    (tmp_path / "enriched" / "event_date=2026-03-03" / "first-batch-0-00000.avro").unlink()
    write_enriched(tmp_path, ANSWERS[2:], "second")
    assert index.add_new_files() == 1
    assert letters(index) == "cde"


def test_labels_stay_with_their_answers_when_a_file_leaves(tmp_path: Path) -> None:
    gone = write_enriched(tmp_path, ANSWERS[:2], "first")
    write_enriched(tmp_path, ANSWERS[2:4], "second")
    first = index_of(tmp_path)
    first.add_new_files()
    second = index_of(tmp_path)
    for index in (first, second):
        index.set_label("a" * 64, "unsupported", "flagged")
        index.set_label("d" * 64, "supported", "other")
    gone.unlink()
    first.add_new_files()
    for index in (first, second):
        assert index.add_new_files() == 0
        assert letters(index, labelled="any") == letters(index, labelled="supported") == "d"
        assert index.samples() == {Stratum.OTHER: (2, 1, 0)}
        assert index.draw() == "c" * 64


def test_a_label_is_counted_when_its_answer_comes(tmp_path: Path) -> None:
    write_enriched(tmp_path, ANSWERS[:1], "first")
    index = index_of(tmp_path)
    index.add_new_files()
    index.set_label("b" * 64, "unsupported", None)
    assert letters(index, labelled="any") == ""
    write_enriched(tmp_path, ANSWERS[1:], "second")
    index.add_new_files()
    assert letters(index, labelled="any") == "b"


def test_a_damaged_index_is_made_again(tmp_path: Path) -> None:
    write_enriched(tmp_path, ANSWERS)
    index = index_of(tmp_path)
    index.close()
    index.path.write_bytes(b"SQLite format 3\0" + b"x" * 5_000)
    again = index_of(tmp_path)
    assert (again.add_new_files(), again.count()) == (1, 5)


def test_answers_before_damage_are_kept_and_the_damage_is_said(tmp_path: Path) -> None:
    path = write_enriched(tmp_path, _many())
    content = path.read_bytes()
    path.write_bytes(content[: len(content) - 100])
    index = index_of(tmp_path)
    index.add_new_files()
    assert 0 < index.count() < len(_many())
    [damage] = index.damaged()
    assert str(path) in damage


def test_a_file_that_was_read_while_it_was_copied_is_read_again(tmp_path: Path) -> None:
    path = write_enriched(tmp_path, [a_low(record_id=f"{n:064x}") for n in range(3)])
    whole = path.read_bytes()
    index = index_of(tmp_path)
    for copied, count in ((0, 0), (len(whole) // 2, 0), (len(whole), 3)):
        path.write_bytes(whole[:copied])
        assert index.add_new_files() == 1
        assert (index.count(), bool(index.damaged())) == (count, not count)
        assert index.add_new_files() == 0


def test_a_damaged_file_that_is_deleted_is_left_out(tmp_path: Path) -> None:
    path = write_enriched(tmp_path, ANSWERS)
    path.write_bytes(b"")
    index = index_of(tmp_path)
    assert (index.add_new_files(), len(index.damaged())) == (1, 1)
    path.unlink()
    assert (index.add_new_files(), index.damaged()) == (0, [])


def test_the_texts_of_one_block_at_a_time_are_held(tmp_path: Path) -> None:
    text = "Lamps glow. " * 100_000
    made = [an_enriched(record_id=f"{number:064x}", answer_text=text) for number in range(20)]
    write_enriched(tmp_path, made)
    index = index_of(tmp_path)
    tracemalloc.start()
    try:
        index.add_new_files()
        _, greatest_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert index.count() == len(made)
    assert greatest_bytes < 10 * len(text)


def test_hostile_records_are_found(tmp_path: Path) -> None:
    write_enriched(tmp_path, hostile_answers())
    index = index_of(tmp_path)
    index.add_new_files()
    assert index.count() == len(hostile_answers())
    for answer in hostile_answers():
        assert index.page(Query(engine=answer.engine, tag=answer.tags[0]), 0).matching == 1


def _many() -> list[EnrichedAnswer]:
    return [a_low(f"Lamps {'glow ' * 50}{n}.", record_id=f"{n:064x}") for n in range(1_000)]
