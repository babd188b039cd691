"""Decide what is a citation mark: an index, a file, a page, an address or a title in brackets."""

import re
from collections.abc import Mapping, Sequence
from typing import Self

from groundwatch.schemas import Record

_NAMED = (
    r"(?:sources?|src|doc(?:ument)?s?|ref(?:erence)?s?|cit(?:e|ation)s?|footnote|fn|passages?"
    r"|chunks?|context|snippets?|excerpts?|articles?|faqs?|kb|web(?:site|page)?|search|results?"
    r"|file|link|url|quellen?|dokumente?|fuentes?|documentos?|fontes?|fonti|documenti?|bron(?:nen)?)"
)
PAGE = (
    r"(?:(?:pages?|pp?\.?|sections?|sec\.?|paragraphs?|para\.?|chapters?|ch\.?|tables?|fig(?:ure)?\.?"
    r"|lines?|seiten?|s\.|abschnitt|kapitel|p[aá]ginas?|p[aá]g\.?|secci[oó]n|sect?ion|se[cç][aã]o"
    r"|pagina|\u00a7)\s?\d{1,4}(?:[.\u2013-]\d{1,4}){0,3})"
)
FILE = r"(?:[\w./%+-]{1,120}\.(?:pdf|md|txt|html?|docx?|csv|json|xlsx?|pptx?)(?:\#[\w=-]{1,40})?)"
ADDRESS = r"(?:(?:https?://|www\.)[^\s<>()\[\]\u3010\u3011\uff08\uff09]{1,2000})"
"""The address of a page, with what may stand directly behind it."""
_LABEL = re.compile(
    r"(?:(?:sources?|src|ref(?:erence)?s?|cit(?:e|ation)s?|cited|see(?:\s+also)?|cf\.?|vgl\.?|siehe"
    r"|voir|v[ée]ase|vedi|zie|quellen?|fuentes?|fontes?|fonti|bron(?:nen)?"
    r"|\u6765\u6e90|\u4f86\u6e90|\u51fa\u5178|\u53c2\u8003|\u53c3\u8003|\u8d44\u6599|\u8cc7\u6599)"
    r"\s{0,2}[:=\uff1a]\s{0,2}"
    r"|(?:see(?:\s+also)?|cf\.?|vgl\.?|siehe|voir|v[ée]ase|vedi|zie)\s+(?:the\s+)?)",
    re.IGNORECASE,
)
_FROM = re.compile(r"\A(?:from|in|via|per|aus|de|da|ver)\s+(?:the\s+)?", re.IGNORECASE)
_NEXT = re.compile(r"\s*(?:[,;&|\uff0c\u3001]|\s(?:and|und|et|y|e|en)\s)\s*")
# One thing that is cited: "doc 1", "kb-123", "faq.pdf", "p. 3", "4:0\u2020source", "turn0search1".
_CITED = re.compile(
    rf"""{FILE} | {ADDRESS} | {PAGE} | {_NAMED}
    | (?:{_NAMED}|id|item)[\s.:=\#_-]{{0,3}}\d{{1,6}}(?:[:.-]\d{{1,6}}){{0,3}}
    | \d{{1,4}}(?:[:-]\d{{1,4}}){{0,3}}\u2020.{{0,80}}
    | \d{{1,4}}:\d{{1,4}}
    | turn\d{{1,4}}[a-z]{{3,12}}\d{{1,4}}
    | citation\s+needed""",
    re.IGNORECASE | re.VERBOSE,
)
_INDEX = re.compile(r"[\#^]?(\d{1,3})(?:\s?[-\u2013]\s?(\d{1,3}))?\^?")
_NUMBER = re.compile(r"\d+")
_OWN_NUMBER = re.compile(r"\s*\[(\d{1,3})\]")
SUPERSCRIPT_DIGITS = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"
"""The raised digits from 0 to 9."""
_LOWER = str.maketrans(SUPERSCRIPT_DIGITS, "0123456789")

_MAX_WORDS = 2
"""A reference without a number has so many words beside its label and what it names."""


class Sources(Record, frozen=True, kw_only=True):
    """What an answer may cite.

    Attributes:
      count: how many facts there are.
      indices: the numbers that the facts begin with, such as "[7]".
      names: their titles and addresses in lower case.
    """

    count: int = 0
    indices: frozenset[int] = frozenset()
    names: frozenset[str] = frozenset()

    @classmethod
    def of(cls, facts: Sequence[tuple[str, Mapping[str, str]]]) -> Self:
        """Return what an answer may cite of facts with their attributes."""
        names = [name.casefold() for _, each in facts for name in each.values()]
        numbers = [int(found[1]) for text, _ in facts if (found := _OWN_NUMBER.match(text))]
        return cls(count=len(facts), indices=frozenset(numbers), names=frozenset(names))

    def is_mark(self, content: str, *, is_certain: bool = False) -> bool:
        """Return whether what stands in brackets only refers to sources.

        Where it is certain from the place that a number is an index, any number is one.
        """
        content = content.strip()
        if content.casefold() in self.names:
            return True
        label = _LABEL.match(content)
        rest = content[label.end() :] if label else content
        if rest.casefold() in self.names:
            return True
        words = named = indexed = 0
        for item in _NEXT.split(_FROM.sub("", rest)):
            if _CITED.fullmatch(item):
                named += 1
            elif index := _INDEX.fullmatch(item):
                if not (is_certain or self.is_index(*index.groups())):
                    return False
                indexed += 1
            elif _NUMBER.search(item):
                return False
            else:
                words += len(item.split())
        if not words:
            return bool(named or indexed)
        return words <= _MAX_WORDS and bool(named or label)

    def is_index(self, *numbers: str | None) -> bool:
        """Return whether sources have these numbers."""
        read = [int(number) for number in numbers if number is not None]
        return max(read) <= self.count or self.indices.issuperset(read)

    def are_superscripts(self, digits: str) -> bool:
        """Return whether raised digits are an index, or one index each."""
        plain = digits.translate(_LOWER)
        return self.is_index(plain) or self.is_index(*plain)


NO_SOURCES = Sources()
