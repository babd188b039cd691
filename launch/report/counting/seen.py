"""What the report looks at in an answer, an alert, a failure and a summary."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from schemas import Record
from schemas.quantities import to_us
from schemas.verdict import Verdict
from transforms.rules.redaction import is_hashed
from transforms.rules.tagging import Thresholds

JUDGED = frozenset({Verdict.GROUNDED, Verdict.LOW_GROUNDED})
"""The verdicts that say whether an answer is supported; shares of low-grounded are of these."""

_MOST_CHARACTERS = 300
_MOST_IN_A_RESOURCE_NAME = 1_000


class Source(Record, frozen=True, kw_only=True):
    """A document that facts came from.

    Attributes:
      key: its resource name, else its address, else its title.
      title: None when unknown, or not kept.
    """

    key: str
    title: str | None


class SeenAnswer(Record, frozen=True, kw_only=True):
    """The fields of an enriched record that are counted; named as there.

    Attributes:
      score_drift, citation_precision, citation_recall: as there; None where nothing is compared.
      claim_drifts: the generator's own score minus the check's, for each claim that has both.
      sources: the distinct documents of its facts.
      calls, attempts, characters, latency_ms: of its check; 0 where there was none.
      cached: whether the check was paid for before.
    """

    record_id: str
    answer_name: str | None = None
    engine: str | None = None
    session: str | None = None
    event_time_us: int | None = None
    verdict: str
    verdict_reason: str
    tags: tuple[str, ...] = ()
    skip_reasons: tuple[str, ...] = ()
    support_score: float | None = None
    min_claim_score: float | None = None
    score_drift: float | None = None
    citation_precision: float | None = None
    citation_recall: float | None = None
    claim_drifts: tuple[float, ...] = ()
    sources: tuple[Source, ...] = ()
    calls: int = 0
    attempts: int = 0
    characters: int = 0
    latency_ms: int = 0
    cached: bool = False


class SeenRate(Record, frozen=True, kw_only=True):
    """What the report tells of an episode of a rate alert; named as in `alert.avsc`."""

    signal: str = ""
    state: str = ""
    share: float = 0.0
    burn_rate: float = 0.0
    answers: int = 0


class SeenAlert(Record, frozen=True, kw_only=True):
    """The members of an alert that are counted; named as in `alert.avsc`."""

    kind: str = ""
    severity: str = ""
    engine: str | None = None
    event_time: str | None = None
    rate: SeenRate | None = None


class SeenFailure(Record, frozen=True, kw_only=True):
    """The members of a failure that are counted; named as in `failure.avsc`."""

    record_id: str | None = None
    step: str = ""
    error_class: str = ""
    error: str = ""
    retryable: bool = False


class SeenSummary(Record, frozen=True, kw_only=True):
    """The members of `summary.json` that the report tells; None where it does not say."""

    checker: str | None = None
    read: int | None = None
    enriched: int | None = None
    failures: int | None = None
    duplicates: int | None = None
    sampled_out: int | None = None
    cost: float | None = None
    closes: bool | None = None
    thresholds: Thresholds | None = None


def answer_from_row(row: Mapping[str, Any]) -> SeenAnswer:
    """Take from a row of `enriched_answer.avsc` what is counted.

    Args:
      row: as fastavro reads it, times as datetimes; fields of later versions may be absent.

    Returns:
      The answer as it is counted.
    """
    check = row.get("check") or {}
    event_time = row.get("event_time")
    return SeenAnswer(
        record_id=row["record_id"],
        answer_name=cut_name(row.get("answer_name"), _MOST_IN_A_RESOURCE_NAME),
        engine=cut_name(row.get("engine")),
        session=cut_name(row.get("session")),
        event_time_us=None if event_time is None else to_us(event_time),
        verdict=row["verdict"],
        verdict_reason=row["verdict_reason"][:_MOST_CHARACTERS],
        tags=tuple(tag[:_MOST_CHARACTERS] for tag in row.get("tags", ())),
        skip_reasons=tuple(reason[:_MOST_CHARACTERS] for reason in row.get("skip_reasons", ())),
        support_score=row.get("support_score"),
        min_claim_score=row.get("min_claim_score"),
        score_drift=row.get("score_drift"),
        citation_precision=row.get("citation_precision"),
        citation_recall=row.get("citation_recall"),
        claim_drifts=tuple(_claim_drifts(row.get("claims", ()))),
        sources=_sources(row.get("facts", ())),
        calls=check.get("calls", 0),
        attempts=check.get("attempts", 0),
        characters=check.get("characters", 0),
        latency_ms=check.get("latency_ms", 0),
        cached=check.get("cached", False),
    )


def _claim_drifts(claims: Iterable[Mapping[str, Any]]) -> Iterator[float]:
    for claim in claims:
        own, score = claim.get("generator_score"), claim.get("score")
        if own is not None and score is not None:
            yield own - score


def _sources(facts: list[Mapping[str, Any]]) -> tuple[Source, ...]:
    """Name the documents of facts, each once; a fact without any name has none."""
    found: dict[str, Source] = {}
    for fact in facts:
        title = kept_title(fact.get("title"))
        key = cut_name(fact.get("document") or fact.get("uri") or title)
        if key and key not in found:
            found[key] = Source(key=key, title=cut_name(title))
    return tuple(found.values())


def kept_title(title: str | None) -> str | None:
    """A title as it may be shown: None where only its hash, or nothing, was kept."""
    return None if not title or is_hashed(title) else title


def cut_name(name: str | None, most: int = _MOST_CHARACTERS) -> str | None:
    """Keep of a stranger's name no more than a table can show."""
    return name and name[:most]
