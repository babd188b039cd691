"""Render the report as one HTML page."""

import base64
import hashlib
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from launch.report.counts.tally import Findings
from launch.report.counts.timeline import Columns
from launch.report.page import charts, text
from launch.report.page.headline import headline, notices, run_counts
from launch.report.page.styles import STYLES, claim_style, styles_of
from launch.terminal import figures

_MAX_GROUPS = 12
_MAX_NAMES = 16
_OPEN_ANSWERS = 3


def render(findings: Findings, title: str, price_per_1k_chars: float | None = None) -> str:
    """Render the report.

    Args:
      findings: the content of an output folder.
      title: such as the folder.
      price_per_1k_chars: of checked characters; None for the cost in the summary, if any.

    Returns:
      A self-contained HTML page without scripts, fonts or pictures from elsewhere.
    """
    tally = findings.tally
    columns = tally.timeline.columns()
    style = files(__package__).joinpath("templates/style.css").read_text(encoding="utf-8")
    return (
        _environment()
        .get_template("report.html")
        .render(
            title=title,
            style=Markup(style),  # noqa: S704 - our own style sheet, without any record's text
            style_hash=_csp_hash(style),
            headline=headline(tally),
            run_counts=run_counts(findings.summary),
            notices=notices(findings),
            tally=tally,
            summary=findings.summary,
            cost=_cost(findings, price_per_1k_chars),
            verdicts=styles_of({*tally.verdicts, *(known.verdict for known in STYLES)}),
            columns=columns,
            span=_span(columns),
            charts=charts,
            max_groups=_MAX_GROUPS,
            max_names=_MAX_NAMES,
            open_answers=_OPEN_ANSWERS,
        )
    )


def _cost(findings: Findings, price_per_1k_chars: float | None) -> float | None:
    if price_per_1k_chars is not None:
        return findings.tally.characters / 1000 * price_per_1k_chars
    return findings.summary.cost if findings.summary else None


def _span(columns: Columns) -> str | None:
    if not columns.columns:
        return None
    first, last = columns.columns[0].start_us, columns.columns[-1].start_us + columns.width_us
    return f"{text.moment(first)} to {text.moment(last)} UTC"


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # Applied to everything a template prints, so that no untrusted text is missed.
        finalize=text.visible,
    )
    environment.filters |= {
        "count": figures.count,
        "percent": figures.percent,
        "score": figures.score,
        "drift": figures.drift,
        "duration": figures.duration,
        "moment": text.moment,
        "document": text.document,
        "claim_style": claim_style,
    }
    environment.globals["counted"] = figures.counted
    return environment


def _csp_hash(style: str) -> str:
    """Name a style sheet for a Content-Security-Policy that allows no other."""
    digest = hashlib.sha256(style.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
