"""Messages that run into a defect, or end nowhere: they become failures, and no neighbour does."""

import json

import pytest

from groundwatch.schemas.checked_answer import CheckedAnswer
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.transforms import tag_answers
from groundwatch.transforms.persistence.database import StatementFailed
from groundwatch.transforms.rules.thresholds import Thresholds
from groundwatch.transforms.runtime import counters
from tests.support.archives import an_envelope
from tests.support.outputs import failures_in, original_bytes
from tests.support.watched import ALERTS, Watched, total

POISON = "Lamps glow blue at noon."


def poisoned(
    monkeypatch: pytest.MonkeyPatch, *poisons: str, defect: type[Exception] = ZeroDivisionError
) -> None:
    """Let a step run into a defect with some answers."""
    tag = tag_answers.tag_answer

    def tag_or_raise(checked: CheckedAnswer, thresholds: Thresholds) -> EnrichedAnswer:
        if checked.answer.answer_text in poisons:
            raise defect(f"with {checked.answer.answer_text}")
        return tag(checked, thresholds)

    monkeypatch.setattr(tag_answers, "tag_answer", tag_or_raise)


@pytest.mark.parametrize(
    ("place", "defect"),
    [
        pytest.param(0, ZeroDivisionError, id="first"),
        pytest.param(7, ZeroDivisionError, id="midway"),
        pytest.param(12, ZeroDivisionError, id="last"),
        pytest.param(5, StatementFailed, id="a statement that no disk lets succeed"),
        pytest.param(5, MemoryError, id="too large for the memory"),
    ],
)
def test_a_message_that_runs_into_a_defect_takes_no_neighbour_along(
    watched: Watched,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    place: int,
    defect: type[Exception],
) -> None:
    poisoned(monkeypatch, POISON, defect=defect)
    messages = list(map(an_envelope, range(12)))
    messages.insert(place, an_envelope(99, answer=POISON))
    watched.publish(*messages)
    watched.drain()
    assert len(watched.record_ids()) == 12
    (failure,) = failures_in(watched.output)
    assert json.loads(original_bytes(failure))["answer"] == POISON
    assert (failure["error_class"], failure["retryable"]) == ("Defect", True)
    assert total(watched.ledger())["gap"] == 0
    reported = caplog.text + json.dumps({**failure, "payload_base64": ""})
    assert defect.__name__ in reported
    assert POISON not in reported


def test_a_message_that_ran_into_a_defect_is_processed_when_it_is_replayed(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as defect:
        poisoned(defect, POISON)
        watched.publish(an_envelope(1, answer=POISON))
        watched.drain()
    watched.publish(an_envelope(1, answer=POISON))
    watched.drain()
    assert len(watched.record_ids()) == 1


def test_a_message_that_ends_nowhere_becomes_a_failure_and_raises_an_alert(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched.publish(*map(an_envelope, range(6)))
    watched.drain()
    # A step that leaves messages out without a word, after their ids were noted.
    monkeypatch.setattr(counters.DUPLICATES_SEEN, "inc", lambda *_: None)
    watched.publish(*map(an_envelope, range(5, 9)))
    watched.drain(alert_topic=ALERTS)
    assert len(watched.record_ids()) == 9
    (failure,) = failures_in(watched.output)
    assert json.loads(original_bytes(failure))["id"] == "answer-5"
    assert [alert["kind"] for alert in watched.published(ALERTS)] == ["ledger"]
    assert total(watched.ledger()) == {
        "read": 10,
        "enriched": 9,
        "failures": 1,
        "duplicates": 0,
        "sampled_out": 0,
        "gap": 0,
    }
