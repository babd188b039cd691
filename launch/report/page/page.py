"""Render the report as one HTML page."""

import base64
import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from importlib.resources import files
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from launch.report.counts.comparison import Comparison
from launch.report.counts.tally import Findings
from launch.report.counts.timeline import OTHERS
from launch.report.counts.worst_answers import AnswerExcerpt
from launch.report.page import charts, presentation
from launch.terminal import figures
from schemas import Record
from transforms.rules.record_urls import record_url

_MAX_ENGINES = 20
_TREND_COLUMNS = 28
_UNKNOWN = "unknown"


def source_hash(source: str) -> str:
    """Compute the hash that lets a Content-Security-Policy allow one style sheet or script."""
    return f"sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}"


_ENVIRONMENT = Environment(
    loader=PackageLoader(__package__),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    # Applied to everything a template prints, so that no untrusted text is missed.
    finalize=presentation.visible,
)
_ENVIRONMENT.globals["counted"] = figures.counted
for _filter in (
    *(figures.count, figures.percent, figures.points, figures.score, figures.drift),
    *(figures.duration, figures.moment),
    *(presentation.document, presentation.web_host, source_hash),
):
    _ENVIRONMENT.filters[_filter.__name__] = _filter


def render(
    findings: Findings,
    title: str,
    price_per_1k_chars: float | None = None,
    url_template: str | None = None,
) -> str:
    """Render the report as a page that loads nothing; the price, if given, replaces the cost.

    With a template, each record that is shown has a link to its address.
    """
    tally = findings.tally
    answers = tally.worst.answers()
    return _render(
        "report.html",
        title=title,
        tally=tally,
        thresholds=tally.thresholds,
        answers=answers,
        filters=filters_of(answers),
        summary=findings.summary,
        unreadable=findings.unreadable,
        price_per_1k_chars=price_per_1k_chars,
        record_url=partial(record_url, url_template),
        verdicts=presentation.verdict_styles(tally.verdicts),
        columns=tally.timeline.columns(),
        trends=tally.timeline.by_engine(_TREND_COLUMNS),
        others=OTHERS,
    )


def render_comparison(
    found: Comparison, folders: Sequence[str], url_template: str | None = None
) -> str:
    """Render the differences between two folders as a page that loads nothing."""
    findings = (found.before, found.after)
    return _render(
        "comparison.html",
        title=" → ".join(folders),
        record_url=partial(record_url, url_template),
        folders=list(zip(folders, findings, strict=True)),
        found=found,
        thresholds=found.after.tally.thresholds,
        filters=filters_of([each.excerpt for each in found.answers]),
        verdicts=presentation.verdict_styles(
            name for each in findings for name in each.tally.verdicts
        ),
        max_engines=_MAX_ENGINES,
    )


def _render(template: str, **context: Any) -> str:
    return _ENVIRONMENT.get_template(template).render(
        style=_own("style.css"),
        script=_own("filter.js"),
        screen_accuracy=figures.SCREEN_ACCURACY,
        charts=charts,
        **context,
    )


def _own(name: str) -> Markup:
    source = files(__package__).joinpath("templates", name).read_text(encoding="utf-8")
    return Markup(source)  # noqa: S704 - our own source, without any record's text


class Option(NamedTuple):
    """The number of an option in its list, which stands for its text, and its answers."""

    number: int
    answers: int


class Filters(Record, frozen=True, kw_only=True):
    """The engines, verdicts and tags of answers, in alphabetical order."""

    engines: dict[str, Option]
    verdicts: dict[str, Option]
    tags: dict[str, Option]

    @staticmethod
    def engine_of(excerpt: AnswerExcerpt) -> str:
        """Name the engine of an answer."""
        return excerpt.answer.engine or _UNKNOWN


def filters_of(answers: Sequence[AnswerExcerpt]) -> Filters:
    """List what the answers can be filtered by."""
    return Filters(
        engines=_options(map(Filters.engine_of, answers)),
        verdicts=_options(each.answer.verdict for each in answers),
        tags=_options(tag for each in answers for tag in set(each.answer.tags)),
    )


def _options(names: Iterable[str]) -> dict[str, Option]:
    counts = sorted(Counter(names).items())
    return {name: Option(number, count) for number, (name, count) in enumerate(counts)}
