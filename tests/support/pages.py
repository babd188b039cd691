"""An HTML page taken apart by the standard library's parser."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = frozenset({"meta", "br", "img", "base", "link", "input", "hr", "wbr"})


@dataclass
class Element:
    """One element: its attributes, and the text below it."""

    tag: str
    attributes: dict[str, str]
    text: str = ""


@dataclass
class Page:
    """A page's elements in the order of their start tags, and the tags never closed or opened."""

    elements: list[Element] = field(default_factory=list)
    astray: list[str] = field(default_factory=list)

    def all(self, tag: str, css: str = "") -> list[Element]:
        """The elements of a name, and of a class where one is given."""
        return [
            element
            for element in self.elements
            if element.tag == tag
            and (not css or css in element.attributes.get("class", "").split())
        ]

    @property
    def tags(self) -> set[str]:
        """The names of all elements."""
        return {element.tag for element in self.elements}

    @property
    def text(self) -> str:
        """All text of the body, style sheet and title left out."""
        return self.all("body")[0].text


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.page = Page()
        self._open: list[Element] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.page.elements.append(element)
        if tag not in _VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.page.elements.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if self._open and self._open[-1].tag == tag:
            self._open.pop()
        else:
            self.page.astray.append(tag)

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.text += data

    def handle_comment(self, data: str) -> None:
        self.page.astray.append(f"comment {data[:20]}")

    def close(self) -> None:
        super().close()
        self.page.astray += [element.tag for element in self._open]


def parse_page(html: str) -> Page:
    """Take a page apart."""
    parser = _Parser()
    parser.feed(html)
    parser.close()
    return parser.page
