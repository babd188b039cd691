"""Read what a tag shows: line breaks, and the Markdown of lists, headings and tables."""

# ruff: noqa: SIM905 - a table of names reads best as text

import re

TAG = re.compile(
    r"""<(/?)([A-Za-z][A-Za-z0-9_-]{0,30})((?:[\s/](?:[^<>"']|"[^"<]*+"|'[^'<]*+')*+)?)>"""
)
"""A tag with its attributes; its groups are the slash that closes, the name and the attributes."""

_BLOCKS = frozenset(
    """
    p div section article header footer main aside nav ul ol dl dd dt table thead tbody tfoot
    caption figure figcaption blockquote pre hr br form fieldset details summary address html body
    head title
    """.split()
)
_INLINE = frozenset(
    """
    a abbr b bdi bdo cite code col colgroup del dfn em font i img input ins kbd label mark q s samp
    small span strike strong sub sup time tt u var wbr button picture svg path video audio iframe
    meta link
    """.split()
)
_OF_VENDORS = frozenset(
    """
    ref source sources citation citations co doc document think thinking reasoning answer
    final_answer response
    """.split()
)
_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
TAGS = _BLOCKS | _INLINE | _OF_VENDORS | _HEADINGS | {"li", "tr", "td", "th"}
"""The names of elements of HTML and of tags of vendors, in lower case."""

BOLD = frozenset("b strong".split())
HIDDEN = frozenset("script style tool_call tool_calls function_call".split())
"""Elements of which a reader does not see what they have: a script, a call of a function."""


class ShownTags:
    """Read tags in order; the row of a table depends on its cells."""

    def __init__(self) -> None:
        self._cells: set[str] = set()

    def show(self, name: str, *, is_closing: bool) -> str:
        """Return what a tag shows; a row of headings has a rule below it."""
        if name == "tr":
            is_heading = is_closing and self._cells == {"th"}
            self._cells = set()
            return "\n|---|" if is_heading else "" if is_closing else "\n| "
        if name in {"td", "th"}:
            self._cells.add(name)
            return " | " if is_closing else ""
        if name in _HEADINGS:
            return "\n" if is_closing else "\n# "
        if name == "li":
            return "\n" if is_closing else "\n- "
        return "\n" if name in _BLOCKS else ""
