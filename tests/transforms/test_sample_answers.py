"""The answers that are looked at, and the count of the others."""

import apache_beam as beam
from apache_beam.testing.util import assert_that, equal_to

from groundwatch.schemas.answer import Answer
from groundwatch.transforms.rules.sampling import SamplingRule
from groundwatch.transforms.runtime import counters
from groundwatch.transforms.sample_answers import SampleAnswers
from tests.support.builders import an_answer
from tests.support.metrics import counted
from tests.support.pipelines import local_pipeline

LOW, HIGH = "1" * 64, "e" * 64


def answers() -> list[Answer]:
    return [
        an_answer(record_id=record_id, engine=engine)
        for engine in ("shop", "help", None)
        for record_id in (LOW, HIGH)
    ]


def name_of(answer: Answer) -> tuple[str | None, str]:
    return answer.engine, answer.record_id


def test_what_is_not_in_the_sample_is_left_out_and_counted() -> None:
    root = local_pipeline()
    rule = SamplingRule(rate=0.5, engine_rates={"shop": 1.0})
    kept = root | beam.Create(answers()) | SampleAnswers(rule)
    expected = [("shop", LOW), ("shop", HIGH), ("help", LOW), (None, LOW)]
    assert_that(kept | beam.Map(name_of), equal_to(expected))
    assert counted(root.run(), counters.SAMPLED_OUT) == 2
