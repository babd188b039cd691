"""The records of an output folder, as far as the report and the evaluation read them."""

from datetime import datetime

from schemas import Record
from schemas.answer import Fact
from schemas.checked_answer import Claim, Contradiction
from schemas.quantities import to_us
from schemas.verdict import Verdict
from transforms.rules.redaction import is_hashed
from transforms.rules.tagging import Thresholds

# The verdicts that say whether an answer is supported; low-grounded shares are of these.
ASSESSED = frozenset({Verdict.GROUNDED, Verdict.LOW_GROUNDED})
_MAX_CHARACTERS = 300


class CheckUsage(Record, frozen=True, kw_only=True):
    """What the check of an answer used; named as in `enriched_answer.avsc`."""

    checker: str | None = None
    calls: int = 0
    attempts: int = 0
    characters: int = 0
    latency_ms: int = 0
    cached: bool = False


class AnswerRow(Record, frozen=True, kw_only=True):
    """A row of `enriched_answer.avsc`; fields that a released schema lacks have defaults."""

    record_id: str
    answer_name: str | None = None
    engine: str | None = None
    session: str | None = None
    event_time: datetime | None = None
    query: str | None = None
    answer_text: str = ""
    verdict: str
    verdict_reason: str
    tags: tuple[str, ...] = ()
    skip_reasons: tuple[str, ...] = ()
    support_score: float | None = None
    min_claim_score: float | None = None
    score_drift: float | None = None
    citation_precision: float | None = None
    citation_recall: float | None = None
    claims: tuple[Claim, ...] = ()
    facts: tuple[Fact, ...] = ()
    mismatches: tuple[Contradiction, ...] = ()
    check: CheckUsage | None = None

    @property
    def event_time_us(self) -> int | None:
        """Microseconds since 1970 UTC."""
        return None if self.event_time is None else to_us(self.event_time)

    def sources(self) -> dict[str, str | None]:
        """Map the documents of the facts, by resource name, URI or title, to their kept titles."""
        sources: dict[str, str | None] = {}
        for fact in self.facts:
            title = kept_title(fact.title)
            key = cut_name(fact.document or fact.uri or title)
            if key:
                sources.setdefault(key, title)
        return sources


class RateState(Record, frozen=True, kw_only=True):
    """The state of a rate alert; named as in `alert.avsc`."""

    signal: str = ""
    state: str = ""
    share: float = 0.0
    burn_rate: float = 0.0
    answers: int = 0


class AlertLine(Record, frozen=True, kw_only=True):
    """A line of the alerts; named as in `alert.avsc`."""

    kind: str = ""
    severity: str = ""
    engine: str | None = None
    event_time: str | None = None
    rate: RateState | None = None


class FailureLine(Record, frozen=True, kw_only=True):
    """A line of the failures; named as in `failure.avsc`."""

    record_id: str | None = None
    source: str = ""
    step: str = ""
    error_class: str = ""
    error: str = ""
    retryable: bool = False


class RunSummary(Record, frozen=True, kw_only=True):
    """The fields of `summary.json` in the report; None where the summary lacks one."""

    checker: str | None = None
    read: int | None = None
    enriched: int | None = None
    failures: int | None = None
    duplicates: int | None = None
    sampled_out: int | None = None
    cost: float | None = None
    closes: bool | None = None
    thresholds: Thresholds | None = None


def kept_title(title: str | None) -> str | None:
    """Return a title cut to the length of a table cell; None if only its hash was kept."""
    return None if not title or is_hashed(title) else cut_name(title)


def cut_name(name: str | None, max_characters: int = _MAX_CHARACTERS) -> str | None:
    """Cut an untrusted name to a length that a table can show."""
    return name and name[:max_characters]
