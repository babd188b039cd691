"""A model of the embedded checker, which works on a processor for each call."""

import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from groundwatch.schemas.checked_answer import CheckedAnswer
from groundwatch.schemas.wire.grounding_check import CheckRequest, CheckResponse
from groundwatch.transforms.check_one import check_answers
from groundwatch.transforms.grounding import transport
from groundwatch.transforms.grounding.embedded_service import EmbeddedChecker
from groundwatch.transforms.grounding.settings import CheckSettings, OutagePolicy, RetrySettings
from groundwatch.transforms.lexical.check_claims import check_grounding
from tests.support.builders import an_answer
from tests.support.entailment_models import write_model

_TAKES_S = 0.05


class Busy:
    """A checker that takes its time, and knows how many of its calls ran at once."""

    def __init__(self) -> None:
        self.calls = self.most_at_once = self._running = 0
        self._lock = threading.Lock()

    def check(self, request: CheckRequest) -> CheckResponse:
        with self._lock:
            self.calls += 1
            self._running += 1
            self.most_at_once = max(self.most_at_once, self._running)
        time.sleep(_TAKES_S)
        with self._lock:
            self._running -= 1
        return check_grounding(request)


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch) -> Busy:
    """The model of any folder, on a machine with two processors."""
    made = Busy()
    monkeypatch.setattr(transport, "usable_processors", lambda: 2)
    monkeypatch.setattr(transport, "load_checker", lambda *_: EmbeddedChecker(made.check, "busy"))
    return made


def checked(settings: CheckSettings, count: int) -> Sequence[object]:
    answers = [CheckedAnswer(answer=an_answer(f"Lamp {n} glows.", "Lamps.")) for n in range(count)]
    return list(check_answers(answers, settings))


@pytest.mark.parametrize("outage", OutagePolicy)
@pytest.mark.parametrize(("in_flight", "at_once"), [(128, 2), (1, 1)])
def test_no_more_calls_run_at_once_than_there_are_processors_and_none_is_late(
    busy: Busy, in_flight: int, at_once: int, outage: OutagePolicy
) -> None:
    # Eight calls in turn take far longer than one may.
    settings = CheckSettings(
        scorer="model",
        max_in_flight=in_flight,
        outage=outage,
        retries=RetrySettings(timeout_s=2 * _TAKES_S, total_s=60.0),
    )
    outcomes = checked(settings, 8)
    assert [type(each) for each in outcomes] == [CheckedAnswer] * 8
    assert (busy.calls, busy.most_at_once) == (8, at_once)


def test_a_model_that_works_longer_than_the_deadline_of_a_call_is_not_asked_again(
    busy: Busy,
) -> None:
    retries = RetrySettings(timeout_s=_TAKES_S / 10, total_s=60.0)
    [outcome] = checked(CheckSettings(scorer="model", retries=retries), 1)
    assert isinstance(outcome, CheckedAnswer)
    assert busy.calls == 1


def test_a_real_model_is_run_on_a_thread_for_each_processor(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(transport, "usable_processors", lambda: 2)
    names = set[str]()
    run = transport.load_checker

    def noting(folder: str | None, weight: float) -> EmbeddedChecker:
        check, revision = run(folder, weight)

        def note(request: CheckRequest) -> CheckResponse:
            names.add(threading.current_thread().name)
            return check(request)

        return EmbeddedChecker(note, revision)

    monkeypatch.setattr(transport, "load_checker", noting)
    outcomes = checked(CheckSettings(scorer=write_model(tmp_path)), 20)
    assert [type(each) for each in outcomes] == [CheckedAnswer] * 20
    assert 1 <= len(names) <= 2


def test_words_start_no_thread() -> None:
    before = threading.active_count()
    transport.open_transport(CheckSettings())
    assert threading.active_count() == before
