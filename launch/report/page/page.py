"""Render the report as one HTML page."""

import base64
import hashlib
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from launch.report.counts.tally import Findings
from launch.report.page import charts, presentation
from launch.terminal import figures

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
for _filter in (figures.count, figures.percent, figures.score, figures.drift, figures.duration):
    _ENVIRONMENT.filters[_filter.__name__] = _filter
_ENVIRONMENT.filters |= {"moment": presentation.moment, "document": presentation.document}


def render(findings: Findings, title: str, price_per_1k_chars: float | None = None) -> str:
    """Render the report as a page that loads nothing; the price, if given, replaces the cost."""
    style = files(__package__).joinpath("templates/style.css").read_text(encoding="utf-8")
    # For a Content-Security-Policy that allows no other style sheet.
    style_hash = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return _ENVIRONMENT.get_template("report.html").render(
        title=title,
        style=Markup(style),  # noqa: S704 - our own style sheet, without any record's text
        style_hash=f"sha256-{style_hash}",
        tally=findings.tally,
        summary=findings.summary,
        unreadable=findings.unreadable,
        screen_accuracy=figures.SCREEN_ACCURACY,
        price_per_1k_chars=price_per_1k_chars,
        verdicts=presentation.verdict_styles(findings.tally.verdicts),
        columns=findings.tally.timeline.columns(),
        charts=charts,
    )
