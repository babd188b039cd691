"""The records of an output folder, as far as the report and the evaluation read them."""

from schemas import Record
from schemas.enriched_answer import AnswerRow
from schemas.verdict import Verdict
from transforms.rules.redaction import is_hashed
from transforms.rules.tagging import Thresholds

# The verdicts that say whether an answer is supported; low-grounded shares are of these.
ASSESSED = frozenset({str(Verdict.GROUNDED), str(Verdict.LOW_GROUNDED)})
_MAX_CHARACTERS = 300


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


def sources_of(answer: AnswerRow) -> dict[str, str | None]:
    """Map the documents of the facts, by resource name, URI or kept title, to their titles."""
    sources: dict[str, str | None] = {}
    for fact in answer.facts:
        key = cut_name(fact.document or fact.uri) or kept_title(fact.title)
        if key:
            sources.setdefault(key, fact.title)
    return sources


def kept_title(title: str | None) -> str | None:
    """Return a title cut to the length of a table cell; None if only its hash was kept."""
    return None if not title or is_hashed(title) else cut_name(title)


def cut_name(name: str | None, max_characters: int = _MAX_CHARACTERS) -> str | None:
    """Cut an untrusted name to a length that a table can show."""
    return name and name[:max_characters]
