"""Bars side by side: a row for each contender, a panel for each measure.

GitHub shows a picture on light and on dark pages, and the picture knows which only by the
reader's own preference; so it brings its background along, and reads well on either.
"""

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape

from groundwatch.schemas import Record

_NAMES_PX = 216
_PANEL_PX = 162
_BAR_PX = 96
_ROW_PX = 30
_HEAD_PX = 84
_MARGIN_PX = 20
_THINNEST_PX = 1.5

_STYLE = """
svg { --paper: #ffffff; --ink: #1f2328; --pale: #59636e; --bar: #9aa4ae; --own: #0969da;
      --rule: #d1d9e0; font: 13px -apple-system, "Segoe UI", Helvetica, Arial, sans-serif }
@media (prefers-color-scheme: dark) {
  svg { --paper: #0d1117; --ink: #f0f6fc; --pale: #9198a1; --bar: #656c76; --own: #4493f8;
        --rule: #3d444d }
}
.paper { fill: var(--paper); stroke: var(--rule) }
text { fill: var(--ink) }
.pale { fill: var(--pale); font-size: 11px }
.title, .own { font-weight: 600 }
rect.bar { fill: var(--bar) }
rect.own { fill: var(--own) }
line { stroke: var(--rule) }
"""


class Panel(Record, frozen=True, kw_only=True):
    """A measure, with its number and its text for each row."""

    title: str
    detail: str
    better: str
    values: Sequence[float]
    texts: Sequence[str]


def chart(names: Sequence[str], panels: Sequence[Panel]) -> str:
    """Draw an SVG; the first row is the one that is brought out.

    Args:
      names: of the rows.
      panels: as many values as names in each; bars of a panel start at 0, and its longest is full.
    """
    width = 2 * _MARGIN_PX + _NAMES_PX + _PANEL_PX * len(panels)
    height = _HEAD_PX + _ROW_PX * len(names) + _MARGIN_PX
    title = f"{names[0]} and others: " + ", ".join(panel.title for panel in panels)
    parts = [
        _head(width, height),
        f"<title>{escape(title)}</title>",
        f"<style>{_STYLE}</style>",
        f'<rect class="paper" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="6"/>',
        *_names(names),
        *(part for at, panel in enumerate(panels) for part in _panel(at, panel)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _head(width: int, height: int) -> str:
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}>'


def _names(names: Sequence[str]) -> Iterator[str]:
    for row, name in enumerate(names):
        yield _text(_MARGIN_PX, _baseline_px(row), name, _kind(row, "name"))


def _panel(at: int, panel: Panel) -> Iterator[str]:
    left_px = _MARGIN_PX + _NAMES_PX + at * _PANEL_PX
    yield _text(left_px, 30, panel.title, "title")
    yield _text(left_px, 46, panel.detail or f"{panel.better} is better", "pale")
    if panel.detail:
        yield _text(left_px, 60, f"{panel.better} is better", "pale")
    bottom_px = _HEAD_PX + _ROW_PX * len(panel.values)
    yield f'<line x1="{left_px}" y1="{_HEAD_PX - 6}" x2="{left_px}" y2="{bottom_px}"/>'
    longest = max(panel.values) or 1.0
    for row, (value, text) in enumerate(zip(panel.values, panel.texts, strict=True)):
        bar_px = max(_BAR_PX * value / longest, _THINNEST_PX)
        yield (
            f'<rect class="{_kind(row, "bar")}" x="{left_px}" y="{_baseline_px(row) - 14}"'
            f' width="{bar_px:.1f}" height="18" rx="1.5"/>'
        )
        yield _text(left_px + bar_px + 6, _baseline_px(row), text, _kind(row, "value"))


def _kind(row: int, other: str) -> str:
    return f"{other} own" if row == 0 else other


def _baseline_px(row: int) -> int:
    return _HEAD_PX + _ROW_PX * row + 18


def _text(left_px: float, baseline_px: float, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{left_px:.1f}" y="{baseline_px}">{escape(text)}</text>'
