"""Render facts, with their attributes, as the texts sent to the checker."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from groundwatch.schemas.answer import Fact
from groundwatch.transforms.lexical.reading.same_text import in_one_spelling, texts_in_json
from groundwatch.transforms.lexical.reading.table_rows import cells_of, name_cells

FactAndAttributes = tuple[str, Mapping[str, str]]

_URI = "uri"
# Larger facts are not rewritten, and are compared by an index: the caches hold no more.
_MAX_FACT_CHARS = 150_000

# Characters of the answer times sentences of the facts: twenty times the largest of 2,077 real
# answers (RAGTruth, WiCE, BEGIN, CLAP-NQ), and about a second in the worst case.
_MAX_PRODUCT = 6_000_000
_CHARS_PER_SENTENCE = 200
_END_MARKS = ".!?\n\r"
# Marks that end a sentence or a line, in scripts other than Latin.
_OTHER_END_MARKS = "\u06d4\u0964\u3002\uff01\uff1f\uff61\u2028\u2029"
# A line such as "max_power: 2,300 W", as structured data is written.
_FIELD = re.compile(r"([^\W\d][^:|]{0,39}): (\S.*)")
_RULE = re.compile(r"[\s|:+-]+")
_MIN_FIELDS = 3  # fewer lines with a colon are a heading and its text
_LINE, _ROW, _FIELD_LINE = range(3)
_MAX_GROWTH = 4  # the text grows to at most five times its length, whatever the length of a header


def fact_attributes(fact: Fact) -> dict[str, str]:
    """Return the attributes sent with a fact: title, URI and the producer's own."""
    named = {"title": fact.title, _URI: fact.uri}
    return {name: value for name, value in named.items() if value} | fact.attributes


def describe_facts(facts: Sequence[Fact]) -> list[FactAndAttributes]:
    """Return the text of each fact with the attributes sent with it."""
    return [(fact.text, fact_attributes(fact)) for fact in facts]


def render_facts(facts: Sequence[FactAndAttributes]) -> tuple[str, ...]:
    """Render each fact with its attributes as further lines.

    JSON becomes the texts in it, and all spellings of a text one. Rows of tables repeat their
    headers, and fields of records the record's name, unless the facts have more than 150,000
    characters.
    """
    facts = [(texts_in_json(text), attributes) for text, attributes in facts]
    if sum([len(text) for text, _ in facts]) <= _MAX_FACT_CHARS:
        facts = [(repeat_headers(text), attributes) for text, attributes in facts]
    texts = ["\n".join((text, *attrs.values())) if attrs else text for text, attrs in facts]
    return tuple(map(in_one_spelling, texts))


def render_without_uris(
    facts: Sequence[FactAndAttributes], rendered: tuple[str, ...]
) -> tuple[str, ...]:
    """Render facts without their URIs, whose numbers state nothing; `rendered` is with them."""
    if not any(_URI in attributes for _, attributes in facts):
        return rendered
    return render_facts(
        [
            (text, {name: value for name, value in attributes.items() if name != _URI})
            for text, attributes in facts
        ]
    )


def needs_index(answer_chars: int, facts: Sequence[str]) -> bool:
    """Return whether an answer and its facts are so large that an index compares them faster."""
    chars = sum(map(len, facts))
    if chars > _MAX_FACT_CHARS:
        return True
    if 2 * answer_chars * chars <= _MAX_PRODUCT:
        return False
    sentences = chars // _CHARS_PER_SENTENCE + sum(map(max_sentences, facts))
    return answer_chars * sentences > _MAX_PRODUCT


def max_sentences(text: str) -> int:
    """Return an upper bound of the number of sentences: the number of marks that end one."""
    marks = 1 + sum(map(text.count, _END_MARKS))
    return marks if text.isascii() else marks + sum(map(text.count, _OTHER_END_MARKS))


def repeat_headers(text: str) -> str:
    """Repeat the header of a table in each row, and the name of a record in each field.

    Tables are Markdown; records are lines of "key: value", and named by their first value. Once the
    text is five times as long, the remaining lines stay unchanged.
    """
    if "\n" not in text or ("|" not in text and ": " not in text):
        return text
    left, lines = len(text) * _MAX_GROWTH, []
    for kind, block in groupby(text.split("\n"), key=_kind):
        for line, rewritten in _rewrite(kind, list(block)):
            left -= max(0, len(rewritten) - len(line))
            lines.append(rewritten if left >= 0 else line)
    return "\n".join(lines)


def _kind(line: str) -> int:
    if line.lstrip()[:1] == "|" and line.count("|") > 1:
        return _ROW
    return _FIELD_LINE if ": " in line and _FIELD.fullmatch(line) else _LINE


def _rewrite(kind: int, lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Pair each line with its replacement; leave out the rule under a header."""
    if kind == _ROW and len(lines) > 1 and _RULE.fullmatch(lines[1]):
        header = cells_of(lines[0])
        yield lines[0], lines[0]
        for line in lines[2:]:
            yield line, name_cells(zip(header, cells_of(line), strict=False))
    elif kind == _FIELD_LINE and len(lines) >= _MIN_FIELDS:
        subject = lines[0].partition(": ")[2]
        yield lines[0], lines[0]
        yield from ((line, f"{subject}; {line}") for line in lines[1:])
    else:
        yield from zip(lines, lines, strict=True)
