"""Read an answer as the text that is compared: without form, marks and reasoning.

Removed is what a reader does not read as a part of the answer: markup, the marks and addresses of
sources, reasoning and calls of functions.
"""

# ruff: noqa: SIM905 - a table of names reads best as text

import json
import re

from groundwatch.schemas import Record
from .citation_marks import Sources
from .edited_text import EditedText
from .markup import Markup, read_markup
from .reasoning import reasoning_spans

_JSON = re.compile(r"\s*(?:```(?:json)?\s*)?(?=\{)", re.IGNORECASE)
_JSON_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*+)"(\s*:)?|[{}\[\]]|[^\s{}\[\],:"]+')
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9A-Fa-f]{2}\\u[dD][c-fC-F][0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|.)"
)
_NAME = re.compile(r"[_\-.\s]+|(?<=[a-z])(?=[A-Z])")
_ABOUT_THE_ANSWER = frozenset(
    """
    confidence score scores relevance id ids source sources citation citations reference references
    url urls uri link links model language lang locale role usage metadata query question timestamp
    """.split()
)
"""Names in JSON of what is about an answer and not a part of it."""

_MAX_NAMED_WORDS = 3
"""A text of so many words that ends as no sentence is read with its name: "price: 12 euros"."""

_WORDS = {"true": "yes", "false": "no", "null": ""}


class PlainText(Record, frozen=True, kw_only=True):
    """The text of an answer that is compared, and where its parts came from.

    Attributes:
      markup: the text without its markup.
      stages: each edit of a text into the next, from the answer to the text.
    """

    markup: Markup
    stages: tuple[EditedText, ...]

    @property
    def text(self) -> str:
        """The text."""
        return self.markup.text

    def source_span(self, start: int, end: int) -> tuple[int, int]:
        """Return where the answer has a part of the text, in characters."""
        for stage in reversed(self.stages):
            start, end = stage.source_span(start, end)
        return start, end


def read_plain(answer: str, sources: Sources) -> PlainText:
    """Return the text of an answer that is compared with sources.

    Reasoning is left out, an answer that is one JSON object is read as the texts in it, and markup
    and marks as `read_markup` does.
    """
    text, stages = answer, []
    for edit in (_without_reasoning, _texts_of_object):
        if edited := edit(text):
            text = edited.text
            stages.append(edited)
    markup = read_markup(text, sources)
    if markup.edited.edits:
        stages.append(markup.edited)
    return PlainText(markup=markup, stages=tuple(stages))


def _without_reasoning(answer: str) -> EditedText | None:
    spans = reasoning_spans(answer)
    if not spans:
        return None
    edited = EditedText(answer)
    for start, end in spans:
        edited.replace(start, end, "\n" if start else "")
    return edited


def _texts_of_object(text: str) -> EditedText | None:
    """Return the texts in an answer that is one object of JSON, a line each."""
    begin = _JSON.match(text)
    if not begin:
        return None
    end = len(text.rstrip().removesuffix("```").rstrip())
    try:
        value = json.loads(text[begin.end() : end], strict=False)
    except (ValueError, RecursionError):
        return None
    if not value:
        return None
    edited = EditedText(text)
    _read_object(begin.end(), end, edited)
    edited.replace(edited.behind, len(text), "")
    return edited


def _read_object(start: int, end: int, edited: EditedText) -> None:
    """Replace all of JSON but its values, with the names of short ones before them."""
    name, depth, skipped = "", 0, None
    for token in _JSON_TOKEN.finditer(edited.source, start, end):
        if token[2] is not None:
            name = " ".join(_NAME.split(token[1])).lower()
            if skipped is None and not _ABOUT_THE_ANSWER.isdisjoint(name.split()):
                skipped = depth
            elif skipped == depth:
                skipped = None if _ABOUT_THE_ANSWER.isdisjoint(name.split()) else depth
        elif token[0] in "{[":
            depth += 1
        elif token[0] in "}]":
            depth -= 1
            if skipped is not None and skipped > depth:
                skipped = None
        elif skipped is None:
            _read_value(token, name, edited)


def _read_value(token: re.Match[str], name: str, edited: EditedText) -> None:
    is_text = token[1] is not None
    value = token[1] if is_text else _WORDS.get(token[0], token[0])
    start, end = token.span(1) if is_text else token.span()
    is_named = len(value.split()) <= _MAX_NAMED_WORDS and not value.endswith(".")
    if not value:
        return
    edited.replace(edited.behind, start, f"\n{name}: " if name and is_named else "\n")
    if is_text:
        for escape in _ESCAPE.finditer(token.string, start, end):
            edited.replace(*escape.span(), json.loads(f'"{escape[0]}"'))
    elif value != token[0]:
        edited.replace(start, end, value)
    edited.behind = end
