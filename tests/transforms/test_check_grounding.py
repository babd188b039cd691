"""CheckGrounding in a pipeline, against a server on this machine."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import apache_beam as beam
import pytest
import stamina
from apache_beam.metrics.metric import MetricsFilter
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from apache_beam.runners.runner import PipelineResult
from apache_beam.testing.util import assert_that, equal_to
from apache_beam.transforms.window import FixedWindows, TimestampedValue

from groundwatch.schemas.answer import Answer
from groundwatch.schemas.checked_answer import CheckedAnswer, Decision
from groundwatch.schemas.failure import Failure
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.check_grounding import CHECKED, CheckGrounding
from groundwatch.transforms.grounding.errors import Misconfigured, Unavailable
from groundwatch.transforms.grounding.settings import CheckSettings, OutagePolicy, RetrySettings
from groundwatch.transforms.runtime.failures import FAILURES
from tests.support import wire_faults
from tests.support.builders import a_fact, an_answer
from tests.support.fault_server import FaultServer, always, by_answer

SKIPPED = Decision(verdict=Verdict.NOT_ANSWERED, reason="NO_RELEVANT_CONTENT")

Compare = Callable[[Any], None]


@pytest.fixture(autouse=True)
def without_waits() -> Iterator[None]:
    """Retries follow at once; their number is still the settings'."""
    with stamina.set_testing(True, attempts=1_000, cap=True):
        yield


def numbered(count: int, text: str = "Lamp {} glows.") -> list[Answer]:
    return [an_answer(text.format(number), record_id=f"{number:04}") for number in range(count)]


def settings_for(server: FaultServer, **members: Any) -> CheckSettings:
    given = {
        "checker": server.address,
        "endpoint": server.address,
        "cache_bytes": 0,
        "max_in_flight": 16,
        "retries": RetrySettings(timeout_s=5, max_attempts=2),
    }
    return CheckSettings(**given | members)


def run(
    answers: Sequence[Answer | CheckedAnswer],
    settings: CheckSettings,
    checked: Compare,
    failures: Compare | None = None,
) -> PipelineResult:
    """Run the step over the answers, and compare what came out with what should."""
    routed = [CheckedAnswer(answer=a) if isinstance(a, Answer) else a for a in answers]
    pipeline = beam.Pipeline(runner=FnApiRunner())
    outputs = pipeline | beam.Create(routed, reshuffle=False) | CheckGrounding(settings)
    assert_that(outputs[CHECKED], checked, label="checked")
    assert_that(outputs[FAILURES], failures or equal_to([]), label="failures")
    result = pipeline.run()
    result.wait_until_finish()
    return result


def each(describe: Callable[[Any], Any], expected: Sequence[Any]) -> Compare:
    """Compare descriptions of what came out, in any order."""

    def compare(actual: Sequence[Any]) -> None:
        equal_to(list(expected))([describe(element) for element in actual])

    return compare


def id_of(checked: CheckedAnswer) -> str:
    return checked.answer.record_id


def described(failure: Failure) -> tuple[str | None, str, str, bool, int]:
    """Describe the failure of a message, whose error has no text of the answer."""
    assert failure.message == an_answer().message
    assert "glows" not in failure.error
    kind = failure.error_class
    return failure.record_id, failure.step, kind, failure.retryable, failure.attempts


def test_a_decided_answer_passes_without_a_call() -> None:
    routed = CheckedAnswer(answer=an_answer(), decision=SKIPPED)
    with FaultServer() as server:
        run(
            [routed],
            settings_for(server),
            equal_to([CheckedAnswer(answer=an_answer(), decision=SKIPPED)]),
        )
    assert server.connections == 0


def test_window_and_timestamp_are_kept_also_of_failures() -> None:
    answers = [*numbered(6), an_answer("Refused.", record_id="refused")]
    refusal = by_answer({"Refused.": wire_faults.REFUSALS["400"]})
    with FaultServer(refusal) as server, beam.Pipeline(runner=FnApiRunner()) as pipeline:
        stamped = pipeline | beam.Create(list(enumerate(answers))) | beam.MapTuple(_stamped)
        windowed = stamped | beam.WindowInto(FixedWindows(60))
        outputs = windowed | CheckGrounding(settings_for(server))
        places = {
            tag: outputs[tag] | f"Where {tag}" >> beam.ParDo(_Where())
            for tag in (CHECKED, FAILURES)
        }
        expected = [
            (answer.record_id, 100.0 * place, 100 * place // 60 * 60.0)
            for place, answer in enumerate(answers)
        ]
        assert_that(places[CHECKED], equal_to(expected[:-1]), label="checked")
        assert_that(places[FAILURES], equal_to(expected[-1:]), label="failures")


def _stamped(place: int, answer: Answer) -> CheckedAnswer:
    return TimestampedValue(CheckedAnswer(answer=answer), 100 * place)


class _Where(beam.DoFn):
    def process(
        self,
        element: CheckedAnswer | Failure,
        timestamp: Any = beam.DoFn.TimestampParam,
        window: Any = beam.DoFn.WindowParam,
    ) -> Iterator[tuple[str | None, float, float]]:
        is_checked = isinstance(element, CheckedAnswer)
        record_id = element.answer.record_id if is_checked else element.record_id
        yield record_id, float(timestamp), float(window.start)


def test_an_answer_that_fails_does_not_fail_others() -> None:
    faults = {
        "Lamp 3 glows.": wire_faults.REFUSALS["400"],
        "Lamp 7 glows.": wire_faults.UNAVAILABLE["503"],
        "Lamp 11 glows.": wire_faults.BAD_REPLIES["cut JSON"],
        "Lamp 15 glows.": wire_faults.TRANSPORT["reset"],
    }
    answers = numbered(40)
    survivors = [a.record_id for a in answers if a.answer_text not in faults]
    with FaultServer(by_answer(faults)) as server:
        run(
            answers,
            settings_for(server),
            each(id_of, survivors),
            each(
                described,
                [
                    ("0003", "CheckGrounding", "Rejected", False, 1),
                    ("0007", "CheckGrounding", "Unavailable", True, 2),
                    ("0011", "CheckGrounding", "BadReply", True, 2),
                    ("0015", "CheckGrounding", "Unavailable", True, 2),
                ],
            ),
        )
    assert server.requests == 40 + 3


def test_a_misconfigured_checker_fails_the_run_without_text_of_the_answer() -> None:
    answers = numbered(20, "The SECRET lamp {}.")
    with (
        FaultServer(always(wire_faults.NOT_SET_UP["403"])) as server,
        pytest.raises(Misconfigured, match="HTTP 403") as failed,
    ):
        run(answers, settings_for(server), equal_to([]))
    assert "SECRET" not in repr(failed.value)


# In a stream each call that is refused when no other is under way asks again.
@pytest.mark.parametrize(
    ("outage", "most_asked"), [(OutagePolicy.FAIL, 1), (OutagePolicy.REDELIVER, 3)]
)
def test_a_bundle_of_refused_answers_is_no_misconfigured_checker(
    outage: OutagePolicy, most_asked: int
) -> None:
    answers = numbered(3)
    plan = by_answer({a.answer_text: wire_faults.NOT_SET_UP["403"] for a in answers})
    with FaultServer(plan) as server:
        failures = [(f"000{n}", "CheckGrounding", "AnswerRefused", True, 1) for n in range(3)]
        settings = settings_for(server, outage=outage)
        run(answers, settings, equal_to([]), each(described, failures))
    assert 1 <= server.requests - len(answers) <= most_asked


def test_an_outage_fails_the_bundle_where_the_backlog_is_kept() -> None:
    with (
        FaultServer(always(wire_faults.UNAVAILABLE["503"])) as server,
        pytest.raises(Unavailable, match="HTTP 503"),
    ):
        run(numbered(3), settings_for(server, outage=OutagePolicy.REDELIVER), equal_to([]))


def test_a_bad_reply_is_one_answers_failure_also_where_the_backlog_is_kept() -> None:
    plan = by_answer({"Lamp 1 glows.": wire_faults.BAD_REPLIES["HTML"]})
    with FaultServer(plan) as server:
        run(
            numbered(3),
            settings_for(server, outage=OutagePolicy.REDELIVER),
            each(id_of, ["0000", "0002"]),
            each(described, [("0001", "CheckGrounding", "BadReply", True, 2)]),
        )


@pytest.mark.parametrize("max_in_flight", [1, 8])
def test_the_number_of_concurrent_calls_reaches_its_limit_and_never_exceeds_it(
    max_in_flight: int,
) -> None:
    answers = numbered(5 * max_in_flight)
    with FaultServer(always(wire_faults.together(max_in_flight))) as server:
        run(
            answers,
            settings_for(server, max_in_flight=max_in_flight),
            each(id_of, [answer.record_id for answer in answers]),
        )
    assert server.most_at_once == max_in_flight
    assert server.requests == len(answers)


def test_calls_and_outcomes_are_counted() -> None:
    faults = {"Lamp 1 glows.": wire_faults.UNAVAILABLE["503"]}
    with FaultServer(by_answer(faults)) as server:
        result = run(
            [*numbered(40), an_answer("Lamps glow.", "a " * 6_000)],
            settings_for(server),
            each(lambda _: 1, [1] * 40),
            each(described, [("0001", "CheckGrounding", "Unavailable", True, 2)]),
        )
    found = result.metrics().query(MetricsFilter().with_namespace("grounding"))
    counted = {counter.key.metric.name: counter.committed for counter in found["counters"]}
    [latency] = [one for one in found["distributions"] if one.key.metric.name == "call_ms"]
    assert latency.committed.count == 40
    names = ("checks_ok", "checks_failed", "failures_retryable", "calls", "retries")
    assert {name: counted[name] for name in names} == {
        "checks_ok": 40,
        "checks_failed": 1,
        "failures_retryable": 1,
        "calls": 42,
        "retries": 1,
    }
    assert a_fact().text not in str(counted)
