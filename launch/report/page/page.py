"""The page: the counts through the templates."""

import base64
import hashlib
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from launch.report.counting.findings import Findings
from launch.report.counting.timeline import Columns
from launch.report.page import charts, words
from launch.report.page.claims import claim_style
from launch.report.page.headline import account, headline, notices
from launch.report.page.verdicts import STYLES, styles_of
from launch.terminal import figures

_MOST_GROUPS = 12
_MOST_NAMES = 16
_OPEN_ANSWERS = 3


def render(findings: Findings, title: str, price_per_1k_chars: float | None = None) -> str:
    """Draw the report.

    Args:
      findings: what was read of an output folder.
      title: what the report is about, such as the folder.
      price_per_1k_chars: what 1,000 checked characters cost; None for the cost that the summary
        tells, if it does.

    Returns:
      One HTML page that needs nothing else: no script, no font, no picture from elsewhere.
    """
    tally = findings.tally
    columns = tally.timeline.columns()
    style = _style()
    return (
        _environment()
        .get_template("report.html")
        .render(
            title=title,
            style=Markup(style),  # noqa: S704 - our own style sheet, which no record reaches
            style_hash=_csp_hash(style),
            headline=headline(tally),
            account=account(findings.summary),
            notices=notices(tally, findings.summary, findings.unreadable),
            tally=tally,
            summary=findings.summary,
            cost=_cost(findings, price_per_1k_chars),
            verdicts=styles_of({*tally.verdicts, *(known.verdict for known in STYLES)}),
            columns=columns,
            span=_span(columns),
            charts=charts,
            most_groups=_MOST_GROUPS,
            most_names=_MOST_NAMES,
            open_answers=_OPEN_ANSWERS,
        )
    )


def _cost(findings: Findings, price_per_1k_chars: float | None) -> float | None:
    if price_per_1k_chars is not None:
        return findings.tally.characters / 1000 * price_per_1k_chars
    return findings.summary.cost if findings.summary else None


def _span(columns: Columns) -> str | None:
    """When the first and the last stretch begin and end, in words."""
    if not columns.columns:
        return None
    first, last = columns.columns[0].start_us, columns.columns[-1].start_us + columns.width_us
    return f"{words.moment(first)} to {words.moment(last)} UTC"


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # Whatever a template prints goes through it, so that no text of a stranger's is forgotten.
        finalize=words.visible,
    )
    environment.filters |= {
        "count": figures.count,
        "percent": figures.percent,
        "score": figures.score,
        "drift": figures.drift,
        "duration": figures.duration,
        "moment": words.moment,
        "document": words.document,
        "claim_style": claim_style,
    }
    environment.globals["counted"] = figures.counted
    return environment


def _style() -> str:
    return files(__package__).joinpath("templates/style.css").read_text(encoding="utf-8")


def _csp_hash(style: str) -> str:
    """Name a style sheet as a Content-Security-Policy does, so that no other one counts."""
    digest = hashlib.sha256(style.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
