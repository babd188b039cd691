"""The steps without Beam give the records of the pipeline's steps."""

from functools import partial
from pathlib import Path

import apache_beam as beam
from apache_beam.testing.util import assert_that, equal_to
from msgspec.structs import replace

from groundwatch import CheckGrounding, ParseAnswers, RouteAnswers, SampleAnswers, TagAnswers
from groundwatch.launch.cli import samples
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.schemas.message import ParseOptions
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.check_one import check_answers
from groundwatch.transforms.formats.parser import ParseFailure
from groundwatch.transforms.grounding.settings import LOCAL, settings_for
from groundwatch.transforms.rules.sampling import SamplingRule
from groundwatch.transforms.rules.thresholds import Thresholds
from groundwatch.transforms.step_order import SampledOut, enrich_answers, route_answers
from tests.support.builders import a_message
from tests.support.pipelines import local_pipeline

LINES = Path(samples.__path__[0], "answers-2026-03-02.jsonl").read_bytes().splitlines()
MESSAGES = [
    a_message(payload=line, place=f"a.jsonl#{number}")
    for number, line in enumerate([*LINES[:80], b"no answer"], 1)
]
SAMPLING = SamplingRule(rate=0.5)
MOVED = {"NO_RELEVANT_CONTENT": Verdict.UNSCORABLE}
THRESHOLDS = Thresholds(low_grounded=0.9, claim=0.8)


def timeless(enriched: EnrichedAnswer) -> EnrichedAnswer:
    check = enriched.check and replace(enriched.check, latency_ms=0, checked_at_us=0)
    return replace(enriched, check=check)


def test_the_records_are_those_of_the_pipeline() -> None:
    check = partial(check_answers, settings=settings_for(LOCAL))
    routed = [
        each
        for message in MESSAGES
        for each in route_answers(message, ParseOptions(), SAMPLING, MOVED)
    ]
    outcomes = list(enrich_answers(routed, check, THRESHOLDS))
    enriched = [timeless(each) for each in outcomes if isinstance(each, EnrichedAnswer)]
    assert sum(isinstance(each, SampledOut) for each in outcomes) > 10
    assert sum(isinstance(each, ParseFailure) for each in outcomes) > 1
    assert len({each.verdict for each in enriched}) > 2
    with local_pipeline() as root:
        parsed = root | beam.Create(MESSAGES) | ParseAnswers()
        sampled = parsed.answers | SampleAnswers(SAMPLING) | RouteAnswers(MOVED)
        tagged = (sampled | CheckGrounding()).checked | TagAnswers(THRESHOLDS)
        assert_that(tagged | beam.Map(timeless), equal_to(enriched))
