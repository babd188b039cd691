"""Make the summary of a run, of its counts or of all that a database has committed."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import asdict, replace

from groundwatch.pipeline.settings.config import Config
from groundwatch.schemas.summary import RunCounts, Summary
from groundwatch.schemas.verdict import ESCALATION_TAGS, Verdict
from groundwatch.transforms.grounding.reply_cache import read_spent
from groundwatch.transforms.rules.thresholds import Thresholds
from groundwatch.transforms.runtime import clock
from .journal import Journal


def summary_of(
    config: Config,
    counts: RunCounts,
    rows: Mapping[str, int],
    *,
    started_at_us: int,
    deferred: int = 0,
) -> Summary:
    """Make the summary of a run that ends now; `rows` are those in the output's files, by kind."""
    price = config.price_per_1k_chars
    verdicts = {verdict.value: counts.verdicts.get(verdict, 0) for verdict in Verdict}
    if config.check.screen:
        found = {tag.value: counts.escalations.get(tag, 0) for tag in ESCALATION_TAGS}
        counts = replace(counts, escalations=found)
    fields: dict[str, Any] = {**asdict(counts), "verdicts": verdicts}
    latency_ms, max_latency_ms = fields.pop("latency_ms"), fields.pop("max_latency_ms")
    return Summary(
        **{**fields, **rows, "deferred": deferred},
        run=config.run,
        source=config.source,
        checker=config.check.names,
        cost=None if price is None else counts.characters / 1000 * price,
        mean_latency_ms=round(latency_ms / counts.timed, 1) if counts.timed else None,
        max_latency_ms=max_latency_ms if counts.timed else None,
        started_at_us=started_at_us,
        finished_at_us=clock.now_us(),
        thresholds=_used_thresholds(config.thresholds),
        settings=config.settings,
    )


def summary_of_journal(
    config: Config, journal: Journal, *, started_at_us: int, deferred: int = 0
) -> Summary:
    """Make the summary of all that a database has committed, published or not."""
    rows, counts = rows_committed(journal), journal.totals()
    if config.check.reply_store:
        # Those of unfinished batches and killed processes count, too.
        calls, characters = read_spent(config.check.reply_store)
        counts = replace(counts, calls=calls, characters=characters)
    summary = summary_of(config, counts, rows, started_at_us=started_at_us, deferred=deferred)
    waiting = journal.undelivered()
    return replace(
        summary,
        journal=journal.database.identity,
        unpublished=waiting.pop("enriched", 0),
        published=journal.published_to_topics(),
        waiting=waiting,
    )


def rows_committed(journal: Journal) -> dict[str, int]:
    """Count all rows that a database has committed, by kind."""
    hours = journal.ledger()
    return {
        "enriched": sum(hour.enriched for hour in hours),
        "failures": sum(hour.failures for hour in hours),
        "alerts": journal.alerts_raised(),
    }


def _used_thresholds(used: Thresholds) -> dict[str, float | dict[str, Any]]:
    shown: dict[str, Any] = {"low_grounded": used.low_grounded, "claim": used.claim}
    engines = {name: _used_thresholds(own) for name, own in used.engines.items()}
    return shown | ({"engines": engines} if engines else {})
