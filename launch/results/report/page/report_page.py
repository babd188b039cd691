"""Render the report as one HTML page."""

import base64
import hashlib
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from importlib.resources import files
from typing import Any, NamedTuple

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from msgspec.structs import asdict, replace

from groundwatch.launch.cli.terminal import figures
from groundwatch.launch.results.report.counts.comparison import Change, Comparison, cautions
from groundwatch.launch.results.report.counts.tally import Findings
from groundwatch.launch.results.report.counts.timeline import OTHERS
from groundwatch.launch.results.report.counts.untrusted_names import Combination
from groundwatch.launch.results.report.counts.worst_answers import (
    ANSWERS_OF_A_VERDICT,
    WHOLE_ANSWERS,
)
from groundwatch.schemas import Record
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.rules.record_urls import record_url
from . import charts, presentation

_MAX_ENGINES = 20
_TREND_COLUMNS = 28
_PRICED_CHARACTERS = 1_000


def source_hash(source: str) -> str:
    """Compute the hash that lets a Content-Security-Policy allow one style sheet or script."""
    return f"sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}"


ENVIRONMENT = Environment(
    loader=PackageLoader(__package__),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    # Applied to everything a template prints, so that no untrusted text is missed.
    finalize=presentation.visible,
)
ENVIRONMENT.globals["counted"] = figures.counted
for _filter in (
    *(figures.count, figures.percent, figures.points, figures.score, figures.drift),
    *(figures.duration, figures.moment),
    *(presentation.breakable, presentation.document, presentation.marked),
    *(presentation.web_host, source_hash),
):
    ENVIRONMENT.filters[_filter.__name__] = _filter


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
    low, others = (
        [each for each in answers if (each.answer.verdict == Verdict.LOW_GROUNDED) is is_low]
        for is_low in (True, False)
    )
    return _render(
        "report.html",
        **asdict(findings),
        title=title,
        thresholds=tally.thresholds,
        of_all=findings.of_all,
        accuracy=findings.accuracy,
        answers=answers,
        low=low,
        others=others,
        whole_answers=WHOLE_ANSWERS,
        answers_of_a_verdict=ANSWERS_OF_A_VERDICT,
        omitted=max(tally.answers - sum(each.records for each in answers), 0),
        omitted_low=max(tally.low_grounded - sum(each.records for each in low), 0),
        folder=shlex.quote(title),
        filters=filters_of(tally.combinations),
        costs=costs_of(findings, price_per_1k_chars),
        record_url=partial(record_url, url_template),
        verdicts=presentation.verdict_styles(tally.verdicts),
        columns=tally.timeline.columns(),
        trends=tally.timeline.by_engine(_TREND_COLUMNS),
        other_engines=OTHERS,
    )


class Costs(NamedTuple):
    """What the calls cost, and would have cost for all answers of two checkers; None if unknown."""

    calls: float | None
    all_answers: float | None


def costs_of(findings: Findings, price_per_1k_chars: float | None) -> Costs:
    """Compute the costs at a price of 1,000 characters; without one, by those of the last run."""
    tally, summary = findings.tally, findings.summary
    for_all = tally.escalations.characters
    if price_per_1k_chars is not None:
        price = price_per_1k_chars / _PRICED_CHARACTERS
        return Costs(tally.characters * price, for_all * price)
    if summary is None or summary.cost is None:
        return Costs(None, None)
    each = summary.cost / summary.characters if summary.characters else None
    return Costs(summary.cost, None if each is None else for_all * each)


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
        cautions=[str(each) for each in cautions(*findings)],
        thresholds=found.after.tally.thresholds,
        Change=Change,
        filters=filters_of(
            Counter(
                each.excerpt.combination
                for change, listed in found.listed.items()
                for each in listed.answers
                if change is not Change.STILL_LOW
            )
        ),
        verdicts=presentation.verdict_styles(
            name for each in findings for name in each.tally.verdicts
        ),
        max_engines=_MAX_ENGINES,
    )


def _render(template: str, **context: Any) -> str:
    return ENVIRONMENT.get_template(template).render(
        style=own_source(__package__, "style.css"),
        script=own_source(__package__, "filter.js"),
        charts=charts,
        **context,
    )


def own_source(package: str, name: str) -> Markup:
    """Read a style sheet or script beside the templates of a package."""
    source = files(package).joinpath("templates", name).read_text(encoding="utf-8")
    return Markup(source)  # noqa: S704 - our own source, without any record's text


class Option(NamedTuple):
    """The number of an option in its list, which stands for its text, and its records."""

    number: int
    records: int


class Filters(Record, frozen=True, kw_only=True):
    """The engines, verdicts and tags of all records, in alphabetical order.

    `combinations` is JSON: the numbers of an engine, a verdict and the tags, and their records.
    """

    engines: dict[str, Option]
    verdicts: dict[str, Option]
    tags: dict[str, Option]
    combinations: str = ""

    def numbers_of(self, combination: Combination) -> tuple[int, int, list[int]]:
        engine, verdict, tags = combination
        engines, verdicts = self.engines, self.verdicts
        return (
            (engines.get(engine) or engines[OTHERS]).number,
            (verdicts.get(verdict) or verdicts[OTHERS]).number,
            [self.tags[tag].number for tag in tags if tag in self.tags],
        )


def filters_of(found: Mapping[Combination, int]) -> Filters:
    """List what records can be filtered by."""
    filters = Filters(
        engines=_options((engine, records) for (engine, _, _), records in found.items()),
        verdicts=_options((verdict, records) for (_, verdict, _), records in found.items()),
        tags=_options((tag, records) for (_, _, tags), records in found.items() for tag in tags),
    )
    rows = [(*filters.numbers_of(key), records) for key, records in found.items()]
    return replace(filters, combinations=msgspec.json.encode(rows).decode())


def _options(counts: Iterable[tuple[str, int]]) -> dict[str, Option]:
    totals: Counter[str] = Counter()
    for name, records in counts:
        totals[name] += records
    return {name: Option(number, totals[name]) for number, name in enumerate(sorted(totals))}
