"""docs/benchmarks.md and its picture, made of what a run found.

python -m tests.benchmarks.peers.page

draws both again from docs/benchmarks.json, without measuring anything.
"""

from pathlib import Path

import jinja2
import msgspec

from groundwatch.schemas import Record
from tests.benchmarks.peers.chart import Panel, chart
from tests.benchmarks.peers.contenders import BASELINE, CONTENDERS, GROUNDWATCH, Contender
from tests.benchmarks.peers.measures import MEASURES
from tests.benchmarks.peers.results import Measured, Results
from tests.support.repository import ROOT

DOCS = ROOT / "docs"
_TEMPLATES = Path(__file__).parent / "templates"


class Line(Record, frozen=True, kw_only=True):
    """A contender, with what was measured of it."""

    contender: Contender
    measured: Measured


def write(results: Results, folder: Path = DOCS) -> None:
    """Write the page, the picture, and what both are made of."""
    found = msgspec.json.format(msgspec.json.encode(results), indent=1) + b"\n"
    (folder / "benchmarks.json").write_bytes(found)
    (folder / "benchmarks.md").write_text(page(results), encoding="utf-8")
    (folder / "benchmarks.svg").write_text(picture(results), encoding="utf-8")


def read(folder: Path = DOCS) -> Results:
    """Read what the last run found."""
    return msgspec.json.decode((folder / "benchmarks.json").read_bytes(), type=Results)


def page(results: Results) -> str:
    """Write the page."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=False,  # noqa: S701 - it is Markdown, of our own words
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    lines = _lines(results)
    by_key = {measured.key: measured for measured in results.measured}
    return environment.get_template("benchmarks.md").render(
        results=results,
        setting=results.setting,
        lines=lines,
        measures=MEASURES,
        own=by_key[GROUNDWATCH],
        baseline=by_key[BASELINE],
        fastest_peer=max(
            (line for line in lines if line.contender.is_peer),
            key=lambda line: line.measured.speed.per_s,
        ),
    )


def picture(results: Results) -> str:
    """Draw the picture."""
    lines = _lines(results)
    panels = [
        Panel(
            title=measure.title,
            detail=measure.detail(results.setting),
            better=measure.better,
            values=[measure.value(line.measured) for line in lines],
            texts=[measure.text(line.measured) for line in lines],
        )
        for measure in MEASURES
    ]
    return chart([line.contender.name for line in lines], panels)


def _lines(results: Results) -> list[Line]:
    contenders = {contender.key: contender for contender in CONTENDERS}
    return [Line(contender=contenders[one.key], measured=one) for one in results.measured]


if __name__ == "__main__":
    write(read())
