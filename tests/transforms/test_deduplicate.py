"""Each record id passes once, on one machine and on many."""

from pathlib import Path

import apache_beam as beam
import pytest
from apache_beam.testing.util import assert_that, equal_to

from groundwatch.schemas.answer import Answer
from groundwatch.transforms.deduplicate import Deduplicate, in_file, in_groups
from groundwatch.transforms.runtime import counters
from tests.support.builders import a_message, an_answer
from tests.support.metrics import counted
from tests.support.pipelines import local_pipeline


def delivered(number: int, place: str) -> Answer:
    return an_answer(record_id=f"{number:02x}" * 32, message=a_message(place=place))


def place_of(answer: Answer) -> str:
    return answer.message.place


FIRST = [delivered(1, "a.jsonl#9"), delivered(2, "a.jsonl#11"), delivered(3, "b.jsonl#1")]
AGAIN = [delivered(1, "a.jsonl#10"), delivered(3, "b.jsonl#2"), delivered(1, "b.jsonl#7")]


@pytest.mark.parametrize("is_here", [True, False], ids=["on one machine", "on many"])
def test_the_first_of_each_record_id_passes_and_the_others_are_counted(
    tmp_path: Path, *, is_here: bool
) -> None:
    root = local_pipeline()
    answers = root | beam.Create([*FIRST, *AGAIN])
    passed = answers | Deduplicate(in_file(str(tmp_path / "seen")) if is_here else in_groups)
    assert_that(passed | beam.Map(place_of), equal_to(["a.jsonl#9", "a.jsonl#11", "b.jsonl#1"]))
    assert counted(root.run(), counters.DUPLICATES_SEEN) == 3


def test_grouping_keeps_the_first_answer_of_the_archive() -> None:
    with local_pipeline() as root:
        answers = root | beam.Create([*AGAIN, *FIRST])
        passed = answers | Deduplicate(in_groups)
        assert_that(passed | beam.Map(place_of), equal_to(["a.jsonl#9", "a.jsonl#11", "b.jsonl#1"]))


def test_grouping_keeps_the_first_answer_of_a_message() -> None:
    same = [
        an_answer(message=a_message(place="a.jsonl#1", element=element)) for element in (10, 9, 11)
    ]
    with local_pipeline() as root:
        passed = root | beam.Create(same) | Deduplicate(in_groups)
        elements = passed | beam.Map(lambda answer: answer.message.element)
        assert_that(elements, equal_to([9]))


def test_ids_are_remembered_in_the_next_batch_of_a_run(tmp_path: Path) -> None:
    for expected in (FIRST, []):
        with local_pipeline() as root:
            passed = root | beam.Create(FIRST) | Deduplicate(in_file(str(tmp_path / "seen")))
            assert_that(passed, equal_to(expected))


@pytest.mark.parametrize("payload_bytes", [10, 200_000], ids=["small", "large"])
def test_of_many_answers_the_first_of_each_id_passes_in_order(
    tmp_path: Path, payload_bytes: int
) -> None:
    # Repeated nearby, and further away than one transaction reaches.
    numbers = [place % 7 if place < 20 else place * 11 % 170 for place in range(230)]
    payload = b" " * payload_bytes
    answers = [
        an_answer(
            record_id=f"{number:02x}" * 32, message=a_message(payload=payload, place=f"#{place}")
        )
        for place, number in enumerate(numbers)
    ]
    first = [place for place, number in enumerate(numbers) if number not in numbers[:place]]
    root = local_pipeline()
    passed = root | beam.Create([0]) | beam.FlatMap(lambda _: answers)
    places = passed | Deduplicate(in_file(str(tmp_path / "seen"))) | beam.Map(place_of)
    assert_that(places, equal_to([f"#{place}" for place in first]))
    assert counted(root.run(), counters.DUPLICATES_SEEN) == len(numbers) - len(first)
