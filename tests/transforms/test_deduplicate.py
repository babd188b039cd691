import apache_beam as beam
import pytest
from apache_beam.testing.util import assert_that, equal_to

from schemas.answer import Answer
from tests.support.builders import a_message, an_answer
from tests.support.metrics import counted
from tests.support.pipelines import local_pipeline
from transforms import counters
from transforms.deduplicate import Deduplicate


def delivered(number: int, place: str) -> Answer:
    return an_answer(record_id=f"{number:064x}", message=a_message(place=place))


def place_of(answer: Answer) -> str:
    return answer.message.place


FIRST = [delivered(1, "a.jsonl#9"), delivered(2, "a.jsonl#11"), delivered(3, "b.jsonl#1")]
AGAIN = [delivered(1, "a.jsonl#10"), delivered(3, "b.jsonl#2"), delivered(1, "b.jsonl#7")]


@pytest.mark.parametrize("in_one_process", [True, False], ids=["in one process", "on many"])
def test_the_first_of_each_record_id_passes_and_the_others_are_counted(
    *, in_one_process: bool
) -> None:
    root = local_pipeline()
    answers = root | beam.Create([*FIRST, *AGAIN])
    passed = answers | Deduplicate(in_one_process=in_one_process)
    assert_that(passed | beam.Map(place_of), equal_to(["a.jsonl#9", "a.jsonl#11", "b.jsonl#1"]))
    assert counted(root.run(), counters.DUPLICATES_SEEN) == 3


def test_on_many_workers_the_first_is_the_one_that_stands_first_whatever_comes_first() -> None:
    with local_pipeline() as root:
        answers = root | beam.Create([*AGAIN, *FIRST])
        passed = answers | Deduplicate(in_one_process=False)
        assert_that(passed | beam.Map(place_of), equal_to(["a.jsonl#9", "a.jsonl#11", "b.jsonl#1"]))


def test_a_run_knows_nothing_of_the_run_before() -> None:
    for _ in range(2):
        with local_pipeline() as root:
            passed = root | beam.Create(FIRST) | Deduplicate(in_one_process=True)
            assert_that(passed, equal_to(FIRST))
