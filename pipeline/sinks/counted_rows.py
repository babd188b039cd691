"""Keep what a report counts of each enriched record, so that it need not read the files back."""

import heapq
from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import Any

import msgspec
from msgspec.structs import replace

from pipeline.sinks.ranking import SHOWN_ANSWERS, Badness, badness
from pipeline.sinks.row_formats import EnrichedFiles, RowFormat
from schemas.answer import Fact
from schemas.enriched_answer import AnswerRow, CheckUsage, EnrichedAnswer
from schemas.quantities import to_datetime
from transforms.rules.redaction import TextMode, redact

_COUNTED = (
    *("record_id", "engine", "session", "verdict", "verdict_reason", "tags", "skip_reasons"),
    *("support_score", "min_claim_score", "score_drift", "citation_precision", "citation_recall"),
)
_SHOWN = ("answer_name", "query", "answer_text", "claims", "facts", "mismatches", "trace_id")
_USAGE = ("checker", "calls", "attempts", "characters", "latency_ms", "cached")

_counted, _usage = attrgetter(*_COUNTED), attrgetter(*_USAGE)


class _CountedRow(AnswerRow, frozen=True, kw_only=True, omit_defaults=True):
    """A row whose fields are written only if they differ from their defaults."""


class CountedRows(RowFormat):
    """Lines of JSON, each an `AnswerRow`; only the worst ones have texts."""

    kind = "counted"

    def __init__(self, enriched: EnrichedFiles) -> None:
        self._enriched = enriched
        self.start()

    def start(self) -> None:
        """Begin without answers."""
        self._worst: list[Badness] = []  # a heap, whose first is the best of them

    def folder(self, row: EnrichedAnswer) -> str:
        """Return the folder of the record, so that both have the same order."""
        return self._enriched.folder(row)

    def encode(self, row: EnrichedAnswer) -> bytes:
        """Return the line."""
        mode = self._enriched.text_mode
        if self._is_among_worst(row):
            kept = redact(row, mode)
            texts: dict[str, Any] = {name: getattr(kept, name) for name in _SHOWN}
        else:
            texts = {
                "facts": tuple(_sources(row.facts, has_titles=mode is TextMode.FULL)),
                "claims": tuple(
                    replace(claim, text="")
                    for claim in row.claims
                    if claim.generator_score is not None
                ),
            }
        check, time_us = row.check, row.event_time_us
        counted = _CountedRow(
            **dict(zip(_COUNTED, _counted(row), strict=True)),
            event_time=None if time_us is None else to_datetime(time_us),
            check=CheckUsage(**dict(zip(_USAGE, _usage(check), strict=True))) if check else None,
            **texts,
        )
        return msgspec.json.encode(counted) + b"\n"

    def _is_among_worst(self, row: EnrichedAnswer) -> bool:
        """Return whether fewer than `SHOWN_ANSWERS` records so far are worse."""
        rank = badness(row)
        if len(self._worst) < SHOWN_ANSWERS:
            heapq.heappush(self._worst, rank)
            return True
        is_bad = rank >= self._worst[0]
        heapq.heappushpop(self._worst, rank)
        return is_bad


def _sources(facts: Iterable[Fact], *, has_titles: bool) -> Iterator[Fact]:
    for fact in facts:
        title = fact.title if has_titles else None
        yield Fact(text="", uri=fact.uri, title=title, document=fact.document)
