"""When each answer of the sample was given: three days in March 2026, and one bad release."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import cycle
from random import Random

from groundwatch.schemas import Record
from groundwatch.schemas.verdict import Verdict
from tests.support.samples import (
    declined,
    discovery,
    envelopes,
    gemini,
    oversize,
    streaming,
    unchecked,
    unusual,
)
from tests.support.samples.articles import Conversation, Truth, read_conversations
from tests.support.samples.cases import Case, Write, about
from tests.support.samples.events import Event

FIRST_DAY = datetime(2026, 3, 2, tzinfo=UTC)
DAYS = 3
BAD_RELEASE = datetime(2026, 3, 3, 14, tzinfo=UTC)
BAD_RELEASE_ENGINE = "help-app"
_INVENTED_DURING_RELEASE = 16
_SUPPORTED_DURING_RELEASE = 8
_STEP = timedelta(minutes=5)  # 24 answers in two hours

_FIRST_OF_VOICE: tuple[Write, ...] = (
    envelopes.full,
    gemini.inline,
    gemini.candidate,
    envelopes.plain,
    gemini.content_response,
    gemini.retriever,
)
_LAST_OF_VOICE: tuple[Write, ...] = (
    gemini.inline_to_dict,
    gemini.bare_response,
    gemini.attributed_candidate,
    gemini.content_response_to_json,
)
WRITERS: dict[str, tuple[Write, ...]] = {
    "help-web": (
        discovery.v1,
        discovery.answer_query,
        discovery.wrapped,
        discovery.v1beta_to_json,
        discovery.answer_query_without_session,
        discovery.answer_query_to_json,
    ),
    "help-app": (
        discovery.v1beta,
        streaming.complete,
        discovery.v1beta_to_dict,
        discovery.v1alpha,
        discovery.v1beta_from_python,
    ),
    "help-voice": (
        *_FIRST_OF_VOICE,
        envelopes.logged,
        *_LAST_OF_VOICE,
        *_FIRST_OF_VOICE,
        envelopes.traced,
        *_LAST_OF_VOICE,
    ),
}
_VERDICTS = {
    Truth.SUPPORTED: Verdict.GROUNDED,
    Truth.INVENTED: Verdict.LOW_GROUNDED,
    Truth.UNSEEN: Verdict.GROUNDED,  # false, but a lexical checker cannot know
    Truth.CHANGED: Verdict.LOW_GROUNDED,  # it contradicts the article
    Truth.REWORDED: Verdict.LOW_GROUNDED,  # true, but a lexical checker cannot know
}
_CASES = (
    (Verdict.POLICY_SKIPPED, declined.POLICY),
    (Verdict.NOT_ANSWERED, declined.NOT_ANSWERED),
    (Verdict.LOW_GROUNDED, declined.WITHHELD_AS_LOW_GROUNDED),
    (Verdict.GROUNDED, unusual.CHECKED),
    (Verdict.UNSCORABLE, unchecked.UNSCORABLE),
    (Verdict.INCOMPLETE, unchecked.INCOMPLETE),
    (Verdict.GENERATION_FAILED, unchecked.FAILED),
)
_OVERSIZE = (
    (Verdict.GROUNDED, oversize.CHECKED),
    (Verdict.UNSCORABLE, oversize.OVER_LIMIT),
)


class Planned(Record, frozen=True):
    """A message to be written: at what time, of which answer, how, and its meant verdict."""

    asked_at: datetime
    engine: str
    case: Case
    verdict: Verdict

    def event(self, number: int) -> Event:
        """Give the answer its number, from which its ids follow; visits are of two answers."""
        return Event(self.case.conversation, number, self.engine, number // 2, self.asked_at)


def ordinary_days() -> list[Planned]:
    """Plan the three days, in the order of time."""
    chance = Random(2026)  # noqa: S311 -- the same sample every time is the point
    conversations = read_conversations()
    chance.shuffle(conversations)
    invented = [each for each in conversations if each.truth is Truth.INVENTED]
    supported = [each for each in conversations if each.truth is Truth.SUPPORTED]
    during = invented[:_INVENTED_DURING_RELEASE] + supported[:_SUPPORTED_DURING_RELEASE]
    chance.shuffle(during)
    rest = [each for each in conversations if each not in during]
    plan = [*_release(during), *_traffic(rest, chance), *_particular(_CASES, chance)]
    return sorted(plan, key=lambda planned: planned.asked_at)


def oversize_answers() -> list[Planned]:
    """Plan the answers that exceed some limit."""
    return list(_particular(_OVERSIZE, Random(4096)))  # noqa: S311 -- as above


def reserve_answers(count: int) -> list[Planned]:
    """Plan answers for lines that will be broken."""
    case = Case(about("support"), discovery.v1)
    chance = Random(count)  # noqa: S311 -- as above
    return sorted(
        (Planned(_moment(chance), "help-web", case, Verdict.GROUNDED) for _ in range(count)),
        key=lambda planned: planned.asked_at,
    )


def _release(conversations: list[Conversation]) -> Iterator[Planned]:
    writers = cycle(WRITERS[BAD_RELEASE_ENGINE])
    for index, conversation in enumerate(conversations):
        case = Case(conversation, next(writers))
        asked_at = BAD_RELEASE + index * _STEP
        yield Planned(asked_at, BAD_RELEASE_ENGINE, case, _VERDICTS[conversation.truth])


def _traffic(conversations: list[Conversation], chance: Random) -> Iterator[Planned]:
    writers = {engine: cycle(choices) for engine, choices in WRITERS.items()}
    engines = cycle(("help-web", "help-app", "help-voice"))
    for conversation, engine in zip(conversations, engines, strict=False):
        case = Case(conversation, next(writers[engine]))
        yield Planned(_moment(chance), engine, case, _VERDICTS[conversation.truth])


def _particular(cases: tuple[tuple[Verdict, list[Case]], ...], chance: Random) -> Iterator[Planned]:
    for verdict, listed in cases:
        for engine, case in zip(cycle(("help-web", "help-app")), listed, strict=False):
            yield Planned(_moment(chance), engine, case, verdict)


def _moment(chance: Random) -> datetime:
    """Some second between 6 and 22 o'clock of one of the days."""
    day = FIRST_DAY + timedelta(days=chance.randrange(DAYS), hours=6)
    return day + timedelta(seconds=chance.randrange(16 * 3600))
