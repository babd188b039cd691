"""Forecasts of checks, held to the checks themselves."""

import asyncio
from contextlib import aclosing
from functools import partial
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from groundwatch.schemas.answer import Answer
from groundwatch.schemas.checked_answer import CheckedAnswer
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.grounding.check_session import check_answer
from groundwatch.transforms.grounding.client import GroundingClient
from groundwatch.transforms.grounding.embedded_service import LocalTransport
from groundwatch.transforms.grounding.planned_check import Forecast, forecast_check
from groundwatch.transforms.grounding.settings import DISCOVERY_ENGINE, CheckSettings
from groundwatch.transforms.rules.limits import CheckLimits
from tests.support.builders import a_fact, an_answer
from tests.support.texts import said_text

PAID: dict[str, Any] = {"checker": "http://checker", "endpoint": "http://checker"}
settings_of = st.builds(
    partial(CheckSettings, **PAID),
    limits=st.builds(
        CheckLimits,
        max_facts=st.integers(1, 4),
        max_fact_chars=st.integers(1, 30),
        max_answer_tokens=st.integers(1, 12),
    ),
    max_calls_per_answer=st.integers(1, 8),
)
answers_of = st.builds(
    lambda text, facts: an_answer(text, *facts),
    said_text,
    st.lists(said_text, min_size=1, max_size=6, unique=True),
)


def really(answer: Answer, settings: CheckSettings) -> CheckedAnswer:
    async def check() -> CheckedAnswer:
        # The embedded checker answers for a paid one, whose identical calls are paid for once.
        transport = LocalTransport()
        async with aclosing(GroundingClient(settings, transport=transport)) as client:
            return await check_answer(answer, client, settings)

    return asyncio.run(check())


def forecast(answer: Answer, **members: object) -> Forecast:
    found = forecast_check(answer, CheckSettings(**members))
    assert found is not None
    return found


@example(
    an_answer("0 1 0", "000"),
    CheckSettings(**PAID, limits=CheckLimits(max_facts=1, max_fact_chars=2, max_answer_tokens=2)),
)
@given(answers_of, settings_of)
def test_the_forecast_equals_the_calls_of_the_check(
    answer: Answer, settings: CheckSettings
) -> None:
    checked = really(answer, settings)
    found = forecast_check(answer, settings)
    if found is None:
        assert checked.decision is not None
        assert checked.decision.verdict is Verdict.UNSCORABLE
        return
    check = checked.check
    assert check is not None
    distinct = {call.key: call.characters for call in found}
    assert (check.calls, check.characters) == (len(distinct), sum(distinct.values()))


DIFFERENCES = {
    "the answer": an_answer("Lamps glow!"),
    "a fact": an_answer("Lamps glow.", "Lamps glow green."),
    "a fact more": an_answer("Lamps glow.", "Lamps glow red.", "Lamps hum."),
    "a fact's title": an_answer(facts=(a_fact(title="Lamps"),)),
    "a fact's attributes": an_answer(facts=(a_fact(attributes={"page": "1"}),)),
}


@pytest.mark.parametrize("other", DIFFERENCES.values(), ids=DIFFERENCES)
def test_other_content_is_another_call(other: Answer) -> None:
    assert forecast(other)[0].key != forecast(an_answer())[0].key


def test_the_same_content_under_another_name_is_the_same_call() -> None:
    other = an_answer(record_id="aa" * 32, answer_name="other", engine="help")
    assert forecast(other) == forecast(an_answer())


def test_discovery_engine_does_not_get_the_question() -> None:
    asked = an_answer(query="Why?")
    assert forecast(asked, checker=DISCOVERY_ENGINE) == forecast(
        an_answer(), checker=DISCOVERY_ENGINE
    )
    assert forecast(asked)[0].key != forecast(an_answer())[0].key


def test_other_settings_are_other_calls() -> None:
    other = forecast(an_answer(), citation_threshold=0.5)
    assert other[0].key != forecast(an_answer())[0].key
