"""Render the pages of the review: the list, one answer, and what the labels say."""

from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import quote, urlencode

from jinja2 import ChoiceLoader, PackageLoader
from msgspec.structs import replace

from groundwatch.launch.quality.evaluate.choose_thresholds import ChosenThresholds
from groundwatch.launch.quality.evaluate.labels import DECISIONS
from groundwatch.launch.quality.evaluate.strata import HALF_WIDTH, LabelFindings, Stratum
from groundwatch.launch.results.report.counts.excerpts import Limits, cut_answer
from groundwatch.launch.results.report.page import presentation
from groundwatch.launch.results.report.page.report_page import ENVIRONMENT, own_source, source_hash
from groundwatch.schemas.checked_answer import Claim
from groundwatch.schemas.enriched_answer import AnswerRow
from groundwatch.transforms.rules.record_urls import record_url
from .answer_index import NAME_KINDS, AnswerIndex, Listing
from .label_files import LabelFiles

_LIMITS = Limits(answer_bytes=200_000, facts=40, fact_bytes=20_000)
_REPORT = "groundwatch.launch.results.report.page"
# Those that are kept: a field that a later schema adds is left out.
_SHOWN_BLIND = (
    *("record_id", "answer_name", "engine", "session", "event_time", "query", "answer_text"),
    *("facts", "trace_id", "span_id", "response_id"),
)
_KEYS = dict(zip(("s", "u", "n", "x"), DECISIONS, strict=True))
_ENVIRONMENT = ENVIRONMENT.overlay(
    loader=ChoiceLoader([PackageLoader(__package__), PackageLoader(_REPORT)])
)
_STYLE = own_source(_REPORT, "style.css") + own_source(__package__, "review.css")
_SCRIPT = own_source(__package__, "keys.js")

POLICY = "; ".join(
    (
        *("default-src 'none'", f"style-src '{source_hash(_STYLE)}'"),
        *(f"script-src '{source_hash(_SCRIPT)}'", "base-uri 'none'", "form-action 'self'"),
        *("frame-ancestors 'none'", "require-trusted-types-for 'script'"),
    )
)


class ReviewPages:
    """Render pages of answers and their labels; links begin with `root`, such as ``/TOKEN``."""

    def __init__(
        self, root: str, index: AnswerIndex, labels: LabelFiles, url_template: str | None
    ) -> None:
        self._common = {
            "title": ", ".join(index.folders),
            "thresholds": next(iter(index.folders.values())),
            "record_url": partial(record_url, url_template),
            "verdicts": presentation.verdict_styles(()),
            "style": _STYLE,
            "script": _SCRIPT,
            "form_action": "'self'",
            "referrer": "same-origin",
            "keys": _KEYS,
            "address": self.address,
        }
        self._root, self._index, self._labels = root, index, labels

    def address(self, *path: str, **query: object) -> str:
        kept = {name: value for name, value in query.items() if value not in (None, "")}
        place = "/".join((self._root, *(quote(each, safe="") for each in path)))
        return f"{place}?{urlencode(kept)}" if kept else place

    def list_page(self, listing: Listing, filters: Mapping[str, str], *, is_drawing: bool) -> str:
        """Render a page of the list, which may lack an answer that is drawn and not labelled."""
        index, labels = self._index, self._labels
        rows = [cut_answer(row) for row in index.read(listing.record_ids)]
        names = {kind: index.names(kind) for kind in NAME_KINDS}
        if is_drawing:
            # The answer is in the numbers, and could be seen in the order by them.
            names = {kind: sorted(each) for kind, each in names.items()}
        return self._render(
            "list.html",
            answers=[(each, labels.word(each.answer.record_id)) for each in rows],
            listing=listing,
            filters=filters,
            names=names,
            total=index.count(),
            unread=index.unread,
            damaged=index.damaged(),
            labelled=index.count_labelled(),
            is_drawing=is_drawing,
            waiting=index.unpublished(),
        )

    def record_page(
        self,
        row: AnswerRow,
        number: int,
        filters: Mapping[str, str],
        around: tuple[str | None, str | None],
        *,
        is_blind: bool,
    ) -> str:
        """Render one answer, with one of its claims selected, from 1, or none (0).

        `around` are the records before and behind it in the list, if there are such. A blind page
        has nothing of the verdict, and no label of another person.
        """
        record_id, labels = row.record_id, self._labels
        row = _blind_answer(row) if is_blind else row
        decisions = labels.decisions(record_id, labels.labeller if is_blind else None)
        return self._render(
            "record.html",
            each=cut_answer(_of_claim(row, number) if number else row, _LIMITS),
            row=row,
            filters={name: value for name, value in filters.items() if name != "claim"},
            number=number,
            previous=around[0],
            following=around[1],
            word=None if is_blind else labels.word(record_id),
            is_blind=is_blind,
            own=decisions.get(None),
            decisions={
                place: decisions.get((claim.start, claim.end))
                for place, claim in enumerate(row.claims, 1)
            },
            labeller=labels.labeller,
        )

    def labels_page(
        self, findings: LabelFindings, calibration: ChosenThresholds | None, written: str | None
    ) -> str:
        """Render what the labels say, and thresholds, which were written to a file or not."""
        return self._render(
            "labels.html",
            findings=findings,
            labelled=self._index.count_labelled(),
            unscored=self._index.count() - sum(each.answers for each in findings.samples.values()),
            drawn=sum(each.labelled for each in findings.samples.values()),
            strata=list(Stratum),
            agreements=list(self._labels.agreements()),
            path=self._labels.path,
            half_width=HALF_WIDTH,
            calibration=calibration,
            written=written,
        )

    def refusal(self, title: str, sentence: str) -> str:
        return self._render("refusal.html", heading=title, sentence=sentence)

    def _render(self, template: str, **context: Any) -> str:
        return _ENVIRONMENT.get_template(template).render(**self._common, **context)


def _of_claim(row: AnswerRow, number: int) -> AnswerRow:
    """Leave out what the facts do to other claims than one."""
    claims = [replace(claim, citations=(), citation_starts=()) for claim in row.claims]
    claims[number - 1] = row.claims[number - 1]
    mismatches = tuple(each for each in row.mismatches if each.claim == number - 1)
    return replace(row, claims=tuple(claims), mismatches=mismatches)


def _blind_answer(row: AnswerRow) -> AnswerRow:
    """Return an answer with its claims and facts, and nothing that follows from the verdict."""
    claims = tuple(Claim(text=each.text, start=each.start, end=each.end) for each in row.claims)
    kept = {name: getattr(row, name) for name in _SHOWN_BLIND}
    return AnswerRow(**kept, verdict="", verdict_reason="", claims=claims)
