"""Render the report as one HTML page."""

import base64
import hashlib
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from launch.report.counts.tally import Findings
from launch.report.counts.timeline import Columns
from launch.report.page import charts, presentation
from launch.terminal import figures

_MAX_GROUPS = 12
_MAX_NAMES = 16
_MAX_CLAIMS = 40
_OPEN_ANSWERS = 3


def render(findings: Findings, title: str, price_per_1k_chars: float | None = None) -> str:
    """Render the report as a page without scripts, fonts or pictures from elsewhere.

    Args:
      findings: the content of an output folder.
      title: such as the folder.
      price_per_1k_chars: of checked characters; None for the cost in the summary, if any.
    """
    tally, summary = findings.tally, findings.summary
    columns = tally.timeline.columns()
    cost = summary.cost if summary else None
    if price_per_1k_chars is not None:
        cost = tally.characters / 1000 * price_per_1k_chars
    style = files(__package__).joinpath("templates/style.css").read_text(encoding="utf-8")
    # For a Content-Security-Policy that allows no other style sheet.
    style_hash = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return (
        _environment()
        .get_template("report.html")
        .render(
            title=title,
            style=Markup(style),  # noqa: S704 - our own style sheet, without any record's text
            style_hash=f"sha256-{style_hash}",
            unreadable=findings.unreadable,
            tally=tally,
            summary=summary,
            cost=cost,
            verdicts=presentation.verdict_styles(tally.verdicts),
            columns=columns,
            span=_span(columns),
            charts=charts,
            max_groups=_MAX_GROUPS,
            max_names=_MAX_NAMES,
            max_claims=_MAX_CLAIMS,
            open_answers=_OPEN_ANSWERS,
        )
    )


def _span(columns: Columns) -> str | None:
    if not columns.verdicts:
        return None
    first, last = min(columns.verdicts), max(columns.verdicts) + columns.width_us
    return f"{presentation.moment(first)} to {presentation.moment(last)} UTC"


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # Applied to everything a template prints, so that no untrusted text is missed.
        finalize=presentation.visible,
    )
    for module, names in (
        (figures, ("count", "percent", "score", "drift", "duration")),
        (presentation, ("moment", "document", "claim_style")),
    ):
        environment.filters |= {name: getattr(module, name) for name in names}
    environment.globals["counted"] = figures.counted
    return environment
