"""Render facts, with their attributes, as the texts sent to the checker."""

from collections.abc import Mapping, Sequence

from groundwatch.schemas.answer import Fact
from groundwatch.transforms.lexical.reading.same_text import in_one_spelling, texts_in_json

FactAndAttributes = tuple[str, Mapping[str, str]]

_URI = "uri"
# Larger facts are compared by an index: the caches hold no more.
_MAX_FACT_CHARS = 150_000

# Characters of the answer times sentences of the facts: twenty times the largest of 2,077 real
# answers (RAGTruth, WiCE, BEGIN, CLAP-NQ), and about a second in the worst case.
_MAX_PRODUCT = 6_000_000
_CHARS_PER_SENTENCE = 200
_END_MARKS = ".!?\n\r"
# Marks that end a sentence or a line, in scripts other than Latin.
_OTHER_END_MARKS = "\u06d4\u0964\u3002\uff01\uff1f\uff61\u2028\u2029"


def fact_attributes(fact: Fact) -> dict[str, str]:
    """Return the attributes sent with a fact: title, URI and the producer's own."""
    named = {"title": fact.title, _URI: fact.uri}
    return {name: value for name, value in named.items() if value} | fact.attributes


def describe_facts(facts: Sequence[Fact]) -> list[FactAndAttributes]:
    """Return the text of each fact with the attributes sent with it."""
    return [(fact.text, fact_attributes(fact)) for fact in facts]


def render_facts(facts: Sequence[FactAndAttributes]) -> tuple[str, ...]:
    """Render each fact with its attributes as further lines.

    JSON becomes the texts in it, and all spellings of a text one.
    """
    texts = ["\n".join((texts_in_json(text), *attrs.values())) for text, attrs in facts]
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
