"""Read HTML, XML and Markdown as the text that a reader sees, without citation marks."""

# ruff: noqa: SIM905 - a table of names reads best as text

import html
import re
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from groundwatch.transforms.lexical.language.phrases import OTHER_STOP_WORDS, STOP_WORDS
from .citation_marks import ADDRESS, SUPERSCRIPT_DIGITS, Sources
from .edited_text import EditedText
from .html_tags import BOLD, HIDDEN, TAG, TAGS, ShownTags
from .same_text import ESCAPED_LINE_BREAK

_PRIVATE = "\ue200-\ue20f"
_SIGNS = rf"[<&\\`*_~\[({{^\u3010\uff08{SUPERSCRIPT_DIGITS}{_PRIVATE}]"
_TURN = r"(?<![A-Za-z])(?:file)?(?:cite)?turn\d"
_SIGN, _TURNS = re.compile(_SIGNS), re.compile(r"turn\d")
_ANY_SIGN = re.compile(rf"{_SIGNS}|https?://|www\.|{_TURN}")

# Each expression is bounded, or stops at its own first sign, so that the time is linear.
_COMMENT = re.compile(r"<!--")
_AUTOLINK = re.compile(r"<(?:https?://|mailto:)[^\s<>]{1,2000}>")
_NUMBER_IN_ANGLES = re.compile(r"<(\d{1,3})>")
_VENDOR_TAG = re.compile(r"</?co:[^<>]{1,40}>|<\|[\w-]{1,40}\|>")
_CITED_IN_TAGS = re.compile(
    r"<(?:cite|ref|source|citation|sup|a)(?:\s[^<>]{0,2000})?>(?:\s?<a(?:\s[^<>]{0,2000})?>)?\s?"
    r"\[?([^<>\[\]]{1,120})\]?\s?(?:</a>\s?)?</(?:cite|ref|source|citation|sup|a)>",
    re.IGNORECASE,
)
_CHARACTER = re.compile(r"&(?:\#\d{1,7}|\#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_CODE = re.compile(r"(`{1,9})([^`\n]{1,1000})\1(?!`)")
_FENCE = re.compile(r"(?:`{3,99}|~{3,99})[ \t]*([\w+-]{0,40})[^`\n]{0,200}(?:\n|\Z)")
_FENCE_END = re.compile(r"^[ \t>]{0,9}(?:`{3,}|~{3,})[ \t]*$\n?", re.MULTILINE)
_RUN = re.compile(r"([*_~])\1*")
_BOX = re.compile(r"\[[ xX]\](?= )")
_DEFINITION = re.compile(r"\[(?:\^[^\[\]\n]{1,60}|[^\[\]\n]{1,20})\]:")
_BRACKET = re.compile(r"\[(?:\[([^\[\]]{0,300})\]|((?:[^\[\]\\]|\\.){0,1000}))\]")
_NO_MARK = re.compile(r"[^\s>*+\u2190-\u2bff\ufe0f\U0001f000-\U0001ffff-]")
# A line of texts in brackets and links, of at most four words each.
_CONTROLS = re.compile(
    r"(?:\[\w[^\[\]\n\d ]{0,30}(?: [^\[\]\n\d ]{1,30}){0,3}\]"
    r"(?:\([^()\s]{1,2000}\))?[^\w\n\[\]()]{0,9}){1,9}(?:\n|\Z)"
)
_TARGET = re.compile(
    r"""\(\s?<?[^\s()<>]{0,4000}(?:\([^\s()]{0,200}\)[^\s()<>]{0,400}){0,9}>?
    (?:\s+(?:"[^"\n]{0,300}"|'[^'\n]{0,300}'))?\s?\)""",
    re.VERBOSE,
)
_PARENTHESIS = re.compile(r"\(([^()]{0,300})\)|\uff08([^\uff08\uff09]{0,300})\uff09")
_LINK_ALONE = re.compile(r"\(\[[^\[\]\n]{1,200}\]\([^\s()]{1,2000}\)\)")
_BARE_INDICES = re.compile(r"[\s,;\u2013\d-]+")
_AT_END = re.compile(r"[\s(\d,;)]{0,60}[.!?]?\s{0,9}(?:\n|\Z)")
_BRACES = re.compile(r"\{\{?([^{}\n]{0,300})\}\}?")
_LENSES = re.compile(r"\u3010([^\u3010\u3011]{0,200})\u3011")
_VALUE = re.compile(
    r"[\[{<\u3010]{1,2}((?=[^\d\]}>\u3011]{0,60}\d)[\w .,%$\u20ac\u00a3-]{1,80})[\]}>\u3011]{1,2}"
    r"(?!\w)"
)
_RAISED = re.compile(r"\^{1,2}\[?(\d{1,3}(?:,\s?\d{1,3}){0,9})\]?(\^{0,2})")
_SUPERSCRIPT = re.compile(rf"[{SUPERSCRIPT_DIGITS}]+")
_VENDOR_MARK = re.compile(
    rf"[{_PRIVATE}]?(?:(?:file)?cite)?[{_PRIVATE}]?"
    rf"(?:turn\d{{1,4}}[a-z]{{3,12}}\d{{1,4}}[{_PRIVATE}]?)+"
)
_PRIVATE_SIGN = re.compile(rf"[{_PRIVATE}]")
_ADDRESS = re.compile(ADDRESS)

_BEHIND_ADDRESS = ".,;:!?\"'*_\u3002\uff0c\u3001"
_BEFORE_NAMED = re.compile(
    r"\b(?:is|are|at|on|to|ist|sind|unter|est|sur|es|en|\u00e8|su|\u00e9|em|op)\s?\Z"
)
_POWER = re.compile(r"(?:\d|\b(?:[cdkm]?m|ft|in|mi|yd|s)|\))\Z")
_AMOUNT = re.compile(r"(?:[$\u20ac\u00a3]\s?|(?<!\d)(?!10\Z)\d)[\d.,]*\d\Z")
_BEFORE_NOTE = re.compile(r"(?:[^\W\d_]{3}|[\d%.,;)!?]|\d\s?[$\u20ac\u00a3])\Z")
_CLAUSE_END = re.compile(r"\s{0,3}(?:[.,;:!?\[\u3010\u3002\uff0c\u3001]|\n|\Z)")
_LAST_WORD = re.compile(r"[^\W_]+(?=\s?\Z)")
_NOT_LAST = STOP_WORDS | OTHER_STOP_WORDS
_MARKDOWN = frozenset("markdown md html text txt plaintext".split())
_RAISE = str.maketrans("0123456789", SUPERSCRIPT_DIGITS)


class Markup(NamedTuple):
    """A text without its markup; the places are in that text, in characters.

    Attributes:
      edited: the text, and where it came from.
      bold: where bold begins or ends, in order.
      code: what stands in fences of code, in order.
      notes: lines that begin with the mark of a source or a footnote.
    """

    edited: EditedText
    bold: Sequence[int] = ()
    code: Sequence[tuple[int, int]] = ()
    notes: AbstractSet[int] = frozenset()

    @property
    def text(self) -> str:
        """The text."""
        return self.edited.text


def read_markup(text: str, sources: Sources) -> Markup:
    """Replace the markup of a text, in a time that is linear in its length.

    A tag loses its brackets, never what it encloses. Sources: the HTML Living Standard; CommonMark
    0.31.2; GitHub Flavored Markdown 0.29.
    """
    signs = _SIGN
    if "://" in text or "www." in text or _TURNS.search(text):
        signs = _ANY_SIGN
    if not signs.search(text):
        return Markup(EditedText(text))
    return _Reader(text, sources).read(signs)


class _Reader:
    """Read a text from one sign to the next.

    Each method for a sign replaces what its expression found, and returns where reading goes on;
    None if that is text.
    """

    def __init__(self, text: str, sources: Sources) -> None:
        self._text = text
        self._sources = sources
        self._edited = EditedText(text)
        self._tags = ShownTags()
        self._bold: list[int] = []
        self._code: list[tuple[int, int]] = []
        self._notes: set[int] = set()
        self._content = len(text) - len(text.lstrip()), len(text.rstrip())
        self._link_end: tuple[int, int] | None = None
        self._absent: set[str] = set()

    def read(self, signs: re.Pattern[str]) -> Markup:
        """Read the whole text."""
        place = 0
        while sign := signs.search(self._text, place):
            start = sign.start()
            if self._link_end and self._link_end[0] <= start:
                place = self._end_link(*self._link_end)
            else:
                place = self._read_sign(sign[0], start) or start + 1
        if self._link_end:
            self._end_link(*self._link_end)
        return Markup(self._edited, self._bold, self._code, self._notes)

    def _read_sign(self, sign: str, start: int) -> int | None:
        for expression, method in _READERS.get(sign, _OTHER_READERS):
            found = expression.match(self._text, start)
            end = method(self, found) if found else None
            if end:
                return end
        return None

    def _end_link(self, start: int, end: int) -> int:
        self._link_end = None
        if start < self._edited.behind:
            return self._edited.behind
        return self._replace(start, end, "")

    def _replace(self, start: int, end: int, text: str) -> int:
        """Replace markup; without a text it is a mark."""
        self._edited.replace(start, end, text, is_mark=not text)
        return end

    def _cut(self, start: int, end: int) -> int:
        self._edited.replace(start, end, "")
        return end

    def _leave_inside(self, found: re.Match[str], group: int) -> int:
        """Leave out what is around a group."""
        self._replace(found.start(), found.start(group), "")
        return self._replace(found.end(group), found.end(), "")

    def _begins_line(self, start: int) -> bool:
        """Return whether only white space, an emoji or a mark of a line is before a place."""
        _, line_break, marks = self._text[max(0, start - 6) : start].rpartition("\n")
        return not _NO_MARK.search(marks) and (bool(line_break) or start <= len(marks))

    def _is_item(self, start: int) -> bool:
        return self._text[max(0, start - 2) : start] in {"- ", "* ", "+ "}

    def _before(self, start: int) -> str:
        return self._text[start - 1] if start else ""

    def _leave_out(self, start: int, end: int) -> int:
        """Leave out a mark, with a space before it unless a word follows directly."""
        text = self._text
        if self._begins_line(start):
            self._notes.add(self._edited.place_of(start))
            behind = text[end : end + 3]
            return self._cut(start, end + len(behind) - len(behind.lstrip(" :")))
        if text[end : end + 1].isalnum():
            return self._replace(start, end, " ")
        if self._before(start) == " " and start > self._edited.behind:
            start -= 1
        return self._cut(start, end)

    def _ends_clause(self, start: int, end: int) -> bool:
        """Return whether a bracket ends a clause, and stands for no number in it: "is [9]"."""
        if self._before(start) in {".", "!", "?"}:
            return True
        if not _CLAUSE_END.match(self._text, end):
            return False
        if self._edited.behind == start:
            return True
        word = _LAST_WORD.search(self._text, max(0, start - 20), start)
        return word is None or word[0].lower() not in _NOT_LAST

    def tag(self, found: re.Match[str]) -> int | None:
        start, end = found.span()
        name, is_closing = found[2].lower(), bool(found[1])
        if name in HIDDEN and not is_closing:
            return self._hide(start, f"</{name}>") or end
        if name not in TAGS:
            return None
        if not is_closing and (cited := _CITED_IN_TAGS.match(self._text, start)):
            if name == "sup" and self._is_power(start):
                return self._replace(start, cited.end(), cited[1].translate(_RAISE))
            is_note = name == "sup" and _BEFORE_NOTE.search(self._text, max(0, start - 3), start)
            if self._sources.is_mark(cited[1], is_certain=is_note is not None):
                return self._leave_out(start, cited.end())
        if name in BOLD:
            self._bold.append(self._edited.place_of(start))
        return self._replace(start, end, self._tags.show(name, is_closing=is_closing))

    def comment(self, found: re.Match[str]) -> int | None:
        return self._hide(found.start(), "-->")

    def _hide(self, start: int, closing: str) -> int | None:
        """Leave out all up to a closing sign, if there is one, in upper or lower case."""
        if closing in self._absent:
            return None
        end = re.compile(re.escape(closing), re.IGNORECASE).search(self._text, start)
        if not end:
            self._absent.add(closing)
            return None
        return self._cut(start, end.end())

    def mark(self, found: re.Match[str]) -> int:
        return self._leave_out(*found.span())

    def address(self, found: re.Match[str]) -> int:
        """Leave out an address, unless the sentence names it: "Our shop is at www.shop.example"."""
        start = found.start()
        end = start + len(found[0].rstrip(_BEHIND_ADDRESS))
        if _BEFORE_NAMED.search(self._text, max(0, start - 8), start):
            return end
        return self._leave_out(start, end)

    def sign(self, found: re.Match[str]) -> int:
        return self._replace(*found.span(), "")

    def character(self, found: re.Match[str]) -> int | None:
        char = html.unescape(found[0]).replace("\xa0", " ")
        return None if char == found[0] else self._replace(*found.span(), char)

    def escape(self, found: re.Match[str]) -> int:
        return self._replace(*found.span(), found[1])

    def line_break(self, found: re.Match[str]) -> int:
        return self._replace(*found.span(), "\n")

    def code(self, found: re.Match[str]) -> int:
        return self._leave_inside(found, 2)

    def fence(self, found: re.Match[str]) -> int | None:
        """Drop the lines of fences; what they enclose is code, unless it is the whole answer."""
        text, start = self._text, found.start()
        if not self._begins_line(start):
            return None
        closing = _FENCE_END.search(text, found.end())
        end, behind = closing.span() if closing else (len(text), len(text))
        self._replace(start, found.end(), "")
        first, last = self._content
        is_whole = not found[1] and start <= first and last <= behind
        if is_whole or found[1].lower() in _MARKDOWN:
            return found.end()
        self._code.append((self._edited.place_of(found.end()), self._edited.place_of(end)))
        return self._replace(end, behind, "")

    def emphasis(self, found: re.Match[str]) -> int:
        """Read a run of signs; between spaces, digits or parts of a name they are text."""
        start, end = found.span()
        before, behind = self._before(start), self._text[end : end + 1]
        is_text = {
            "*": before.isdigit() and behind.isdigit(),
            "_": before.isalnum() and behind.isalnum(),
            "~": end - start == 1,
        }
        if is_text[found[1]] or not (before.strip() or behind.strip()):
            return end
        if end - start > 1 and found[1] != "~":
            self._bold.append(self._edited.place_of(start))
        return self._replace(start, end, "")

    def box(self, found: re.Match[str]) -> int | None:
        return self._replace(*found.span(), "") if self._is_item(found.start()) else None

    def definition(self, found: re.Match[str]) -> int | None:
        return self._leave_out(*found.span()) if self._begins_line(found.start()) else None

    def bracket(self, found: re.Match[str]) -> int | None:
        """Leave out a citation mark or an image; of a link the text stays."""
        start, end = found.span()
        group = 2 if found[1] is None else 1
        target = _TARGET.match(self._text, end)
        if target and self._before(start) == "!" and start > self._edited.behind:
            return self._cut(start - 1, target.end())
        is_certain = self._ends_clause(start, end) or self._begins_line(start)
        if self._sources.is_mark(found[group], is_certain=is_certain):
            return self._leave_out(start, target.end() if target else end)
        is_first = self._begins_line(start) and not self._is_item(start)
        if is_first and _CONTROLS.match(self._text, start):
            self._notes.add(self._edited.place_of(start))
        if not target or self._link_end:
            return None
        self._link_end = found.end(group), target.end()
        return self._replace(start, found.start(group), "")

    def parenthesis(self, found: re.Match[str]) -> int | None:
        content = found[1] or found[2] or ""
        is_text = content.isalpha() or (
            _BARE_INDICES.fullmatch(content) and not _AT_END.match(self._text, found.end())
        )
        if is_text or not self._sources.is_mark(content):
            return None
        return self._leave_out(*found.span())

    def number(self, found: re.Match[str]) -> int | None:
        return self._leave_out(*found.span()) if self._sources.is_mark(found[1]) else None

    def lenses(self, found: re.Match[str]) -> int | None:
        is_certain = self._ends_clause(*found.span())
        is_mark = self._sources.is_mark(found[1], is_certain=is_certain)
        return self._leave_out(*found.span()) if is_mark else None

    def value(self, found: re.Match[str]) -> int | None:
        """Take off the brackets around a value, which is text: "within [14] days"."""
        is_name = self._before(found.start()).isalnum()
        return None if is_name else self._leave_inside(found, 1)

    def raised(self, found: re.Match[str]) -> int | None:
        before = self._before(found.start())
        if before.isdigit() or (before.isalpha() and not found[2]):
            return None
        return self.number(found)

    def _is_power(self, start: int) -> bool:
        """Return whether raised digits are the power of a number or unit, and not of an amount."""
        is_power = _POWER.search(self._text, max(0, start - 4), start) is not None
        return is_power and not _AMOUNT.search(self._text, max(0, start - 16), start)

    def superscript(self, found: re.Match[str]) -> int:
        """Leave out raised indices; powers of numbers and units are text."""
        start, end = found.span()
        if self._is_power(start) or (
            self._before(start).isspace() and not self._sources.are_superscripts(found[0])
        ):
            return end
        return self._leave_out(start, end)


_Readers = Sequence[tuple[re.Pattern[str], Callable[[_Reader, re.Match[str]], int | None]]]
_EMPHASIS = (_RUN, _Reader.emphasis)
_BRACKETED_VALUE = (_VALUE, _Reader.value)
_READERS: dict[str, _Readers] = {
    "<": [
        *((TAG, _Reader.tag), (_COMMENT, _Reader.comment), (_AUTOLINK, _Reader.mark)),
        *((_NUMBER_IN_ANGLES, _Reader.number), _BRACKETED_VALUE, (_VENDOR_TAG, _Reader.sign)),
    ],
    "&": [(_CHARACTER, _Reader.character)],
    "\\": [(_ESCAPE, _Reader.escape), (ESCAPED_LINE_BREAK, _Reader.line_break)],
    "`": [(_FENCE, _Reader.fence), (_CODE, _Reader.code)],
    "~": [(_FENCE, _Reader.fence), _EMPHASIS],
    "*": [_EMPHASIS],
    "_": [_EMPHASIS],
    "[": [
        *((_BOX, _Reader.box), (_DEFINITION, _Reader.definition), (_BRACKET, _Reader.bracket)),
        _BRACKETED_VALUE,
    ],
    "(": [(_LINK_ALONE, _Reader.mark), (_PARENTHESIS, _Reader.parenthesis)],
    "\uff08": [(_PARENTHESIS, _Reader.parenthesis)],
    "{": [(_BRACES, _Reader.number), _BRACKETED_VALUE],
    "\u3010": [(_LENSES, _Reader.lenses), _BRACKETED_VALUE],
    "^": [(_RAISED, _Reader.raised)],
    **{digit: [(_SUPERSCRIPT, _Reader.superscript)] for digit in SUPERSCRIPT_DIGITS},
}
_OTHER_READERS: _Readers = [
    *((_VENDOR_MARK, _Reader.mark), (_PRIVATE_SIGN, _Reader.sign)),
    (_ADDRESS, _Reader.address),
]
