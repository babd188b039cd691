"""Answer the requests of the review: pages, labels and a calibration."""

import asyncio
import hmac
import logging
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from pathlib import Path
from typing import Annotated
from urllib.parse import parse_qsl, urlsplit

import msgspec

from groundwatch.launch.http_server import HttpRequest, Page, RequestRefused
from groundwatch.launch.quality.evaluate.calibrate_thresholds import thresholds_file
from groundwatch.launch.quality.evaluate.choose_thresholds import ChosenThresholds, calibrate
from groundwatch.launch.quality.evaluate.find_thresholds import Goal
from groundwatch.launch.quality.evaluate.labelled_answers import label_answer
from groundwatch.launch.quality.evaluate.labels import DECISIONS, UNSUPPORTED, UnreadableLabels
from groundwatch.launch.quality.evaluate.strata import find_quality
from groundwatch.pipeline import storage
from groundwatch.pipeline.sources.output_folder import UnreadableFile
from groundwatch.schemas.enriched_answer import AnswerRow
from .answer_index import AnswerIndex, Query
from .label_files import LabelFiles
from .review_pages import POLICY, ReviewPages

_HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cache-Control": "no-store",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
_HTML = "text/html; charset=utf-8"
_RESAMPLES = 200
_DRAWN = {"sample": "drawn"}
_THRESHOLDS = "thresholds.yaml"  # beside the labels: the file that a calibration writes
_Share = Annotated[float, msgspec.Meta(gt=0, le=1)]
_log = logging.getLogger(__name__)


class Routes:
    """Answer requests, one at a time, if their path begins with the token.

    Args:
      token: the secret part of the address.
      index: the answers.
      labels: their labels.
      pages: renders the pages.
    """

    def __init__(
        self, token: str, index: AnswerIndex, labels: LabelFiles, pages: ReviewPages
    ) -> None:
        self._token, self._index, self._labels, self._pages = token, index, labels, pages
        self._thresholds_path = str(Path(labels.path).with_name(_THRESHOLDS))
        self._drawn: str | None = None  # waits for a label of the person who labels now
        self._thread = ThreadPoolExecutor(1, "review")

    async def answer(self, request: HttpRequest) -> Page:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._answer_or_refuse, request)

    def _answer_or_refuse(self, request: HttpRequest) -> Page:
        try:
            return self._answer(request)
        except RequestRefused as refused:
            return self._refusal(str(refused), refused.status)
        except (OSError, UnreadableFile, UnreadableLabels) as error:
            return self._refusal(str(error), 500)
        except Exception as error:  # noqa: BLE001 - a defect; its text could quote an answer
            _log.error("a page of the review failed: %s", type(error).__name__)
            return self._refusal("This page has failed.", 500)

    def _refusal(self, sentence: str, status: int) -> Page:
        return self._html(self._pages.refusal(HTTPStatus(status).phrase, sentence), status)

    def _answer(self, request: HttpRequest) -> Page:
        _, token, *path = request.path.split("/")
        if not hmac.compare_digest(token.encode(), self._token.encode()):
            raise RequestRefused(403, "The address is not the one that was printed at the start.")
        filters = dict(parse_qsl(request.query))
        # Others may label in the same files.
        self._labels.read_new()
        self._update_index()
        match request.method, path:
            case "GET", [] | [""]:
                number = _whole(filters.get("page"))
                listing = self._index.page(_query(filters), number, self._drawn)
                is_drawing = bool(self._drawn)
                return self._html(self._pages.list_page(listing, filters, is_drawing=is_drawing))
            case "GET", ["record", record_id]:
                return self._html(self._record(record_id, filters))
            case "GET", ["draw"]:
                return self._redirect("record", self._draw(), _DRAWN)
            case "GET", ["labels"]:
                return self._html(self._labels_page(filters))
            case "POST", [action]:
                self._require_same_origin(request)
                return self._change(action, dict(parse_qsl(request.body.decode(errors="replace"))))
        raise RequestRefused(404, "The page does not exist.")

    def _record(self, record_id: str, filters: Mapping[str, str]) -> str:
        row = self._row(record_id)
        number = _claim_number(filters, row)
        if filters.get("sample") and record_id in self._index.waiting().values():
            self._drawn = record_id
        kept = _DRAWN if record_id == self._drawn else _kept(filters)
        is_blind = "sample" in kept and not self._is_labelled(row)
        before = behind = None
        if "sample" not in kept:
            query = _query(filters)
            before = self._neighbour(query, record_id, is_next=False)
            behind = self._neighbour(query, record_id, is_next=True)
        around = before, behind
        return self._pages.record_page(row, number, kept, around, is_blind=is_blind)

    def _neighbour(self, query: Query, record_id: str, *, is_next: bool) -> str | None:
        return self._index.neighbour(query, record_id, is_next=is_next, without=self._drawn)

    def _is_labelled(self, row: AnswerRow) -> bool:
        """Return whether the person who labels now has done with an answer.

        One unsupported claim makes an answer unsupported, but the others are to be labelled blind.
        """
        own = self._labels.decisions(row.record_id, self._labels.labeller)
        claims = [own.get((claim.start, claim.end)) for claim in row.claims]
        return None in own or (all(claims) and UNSUPPORTED in claims)

    def _row(self, record_id: str) -> AnswerRow:
        for row in self._index.read([record_id]):
            return row
        raise RequestRefused(404, "No answer has this record id.")

    def _draw(self) -> str:
        self._drawn = self._index.draw()
        if self._drawn is None:
            raise RequestRefused(404, "All scored answers are labelled.")
        return self._drawn

    def _change(self, action: str, form: Mapping[str, str]) -> Page:
        filters = _kept(form)
        if action == "undo":
            record_id = self._labels.undo()
            if record_id is None:
                raise RequestRefused(404, "Nothing was labelled since the start.")
            return self._redirect("record", record_id, filters)
        if action == "label":
            return self._label(form, filters)
        if action == "calibrate":
            found = self._calibration(form)
            failure = found.failure() if found else "name a goal"
            if found and not failure:
                storage.write_whole(self._thresholds_path, thresholds_file(found))
                return self._redirect("labels", "", {**form, "written": "1"})
            raise RequestRefused(400, f"No thresholds: {failure}.")
        raise RequestRefused(404, "This change does not exist.")

    def _label(self, form: Mapping[str, str], filters: dict[str, str]) -> Page:
        label, record_id = form.get("label"), form.get("record_id", "")
        if label not in DECISIONS:
            raise RequestRefused(400, f"A label is one of {', '.join(DECISIONS)}.")
        row = self._row(record_id)
        number = _claim_number(form, row)
        if "claim" in form and not number:
            raise RequestRefused(400, f"The answer has {len(row.claims)} claims, numbered from 1.")
        claim = row.claims[number - 1] if number else None
        # An answer that a person chose is not of a sample, whatever the address says.
        is_drawn, index = record_id == self._drawn, self._index
        sample = index.stratum(record_id) if is_drawn else self._labels.sample(record_id)
        span = (claim.start, claim.end) if claim else None
        self._labels.add(record_id, label, span, sample)
        self._update_index()
        if record_id == self._drawn and self._is_labelled(row):
            self._drawn = None
        if claim:
            following = {"claim": str(number + 1)} if number < len(row.claims) else {}
            return self._redirect("record", record_id, {**filters, **following})
        if filters.get("sample"):
            return self._redirect("draw", "", filters)
        following_id = self._neighbour(_query(filters), record_id, is_next=True)
        return self._redirect("record", following_id or record_id, filters)

    def _update_index(self) -> None:
        labels = self._labels
        for record_id in labels.take_changed():
            self._index.set_label(record_id, labels.word(record_id), labels.sample(record_id))
        if self._drawn and None in labels.decisions(self._drawn, labels.labeller):
            self._drawn = None  # by another process of the same person

    def _labels_page(self, filters: Mapping[str, str]) -> str:
        index = self._index
        by_engine, by_reason = index.samples_by("engine"), index.samples_by("reason")
        findings = find_quality(index.samples(), by_engine, by_reason)
        written = self._thresholds_path if filters.get("written") else None
        return self._pages.labels_page(findings, self._calibration(filters), written)

    def _calibration(self, form: Mapping[str, str]) -> ChosenThresholds | None:
        goal, labels = _goal(form), self._labels
        if goal is None:
            return None
        known = {each: label for each in labels.record_ids() if (label := labels.label(each))}
        answers = [label_answer(row, known[row.record_id]) for row in self._index.read([*known])]
        return calibrate(answers, goal, _RESAMPLES, self._index.unlabelled())

    def _require_same_origin(self, request: HttpRequest) -> None:
        """Refuse a change that another page asks for."""
        origin = urlsplit(request.headers.get("Origin", ""))
        host = request.headers.get("Host", "")
        if not host or origin.netloc != host:
            raise RequestRefused(403, "Only a page of this review can change labels.")

    def _redirect(self, page: str, name: str, filters: Mapping[str, str]) -> Page:
        address = self._pages.address(page, *([name] if name else []), **filters)
        return Page(303, _HTML, b"", {**_HEADERS, "Location": address})

    def _html(self, text: str, status: int = 200) -> Page:
        return Page(status, _HTML, text.encode(errors="replace"), _HEADERS)


def _kept(filters: Mapping[str, str]) -> dict[str, str]:
    """Return what stays in the address from page to page."""
    if filters.get("sample"):
        return dict(_DRAWN)  # without its stratum, which is a verdict
    return {name: filters[name] for name in Query.__struct_encode_fields__ if filters.get(name)}


def _query(filters: Mapping[str, str]) -> Query:
    try:
        return msgspec.convert(_kept(filters), Query, strict=False)
    except msgspec.ValidationError as error:
        raise RequestRefused(400, f"A filter cannot be read: {error}.") from None


def _whole(text: str | None) -> int:
    """Read a number, which is 0 if there is none."""
    return int(text) if text and text.isdecimal() else 0


def _claim_number(filters: Mapping[str, str], row: AnswerRow) -> int:
    """Return the number of the selected claim, from 1; 0 for the whole answer."""
    number = _whole(filters.get("claim"))
    return number if number <= len(row.claims) else 0


def _goal(form: Mapping[str, str]) -> Goal | None:
    if form.get("goal") not in {"precision", "recall"}:
        return None
    try:
        value = msgspec.convert(form.get("value"), _Share, strict=False)
    except msgspec.ValidationError:
        raise RequestRefused(
            400, "A wanted precision or recall is above 0 and at most 1."
        ) from None
    return Goal(value, form["goal"] == "recall")
