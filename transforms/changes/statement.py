"""Find the statements of a passage: sentences that it supports as they are."""

import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import islice
from typing import TypeVar

from groundwatch.schemas.answer import Fact
from groundwatch.transforms.lexical.cache import CachedAttribute
from groundwatch.transforms.lexical.claims import read_claim
from groundwatch.transforms.lexical.fact_sentences import stems_of
from groundwatch.transforms.lexical.fact_text import fact_attributes
from groundwatch.transforms.lexical.number_forms import number_form
from groundwatch.transforms.lexical.phrases import OTHER_STOP_WORDS, STOP_WORDS
from groundwatch.transforms.lexical.same_text import in_one_spelling
from groundwatch.transforms.lexical.sentences import locate_sentences

_MIN_WORDS, _MAX_WORDS, _MAX_CHARS = 4, 40, 400
_MOST_SENTENCES = 200
"""Of one fact, each of whose changes is looked up in all of it."""

_MOST_CAPITALS = 0.6
NUMBER_IN_DIGITS = re.compile(r"\d+(?:[.,'\u2019 \u00a0\u202f]\d+)*")
_WORD_OR_NUMBER = re.compile(r"\w+")
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
_ENDS = (".", "!", "\u3002", "\uff01")
_NO_PROSE = re.compile(
    r"[|<>{}\[\]`\\=\t\n\u2026]|://|www\.|@|\.\.|\*\*|__"
    # Sentences and items of a list that have lost what separated them.
    r"|[^\W\d_]{2}[.!?:][^\W\d_]{2}|(?<!\d)[.!?][\"\u201d')]?\s+[A-Z]|\d\s{2}"
)
_JOINING = frozenset({"And", "But", "Or", "So", "Nor", "Yet"})
_BRACKETS = ("()", "\u201c\u201d", "\u00ab\u00bb", "\u300c\u300d")

T = TypeVar("T")


class Source:
    """A fact, and what is looked up in it for each of its statements.

    Facts of one `group` were given for the same answer, or stand in one text.
    """

    def __init__(self, fact: Fact, group: int = 0) -> None:
        self.fact = fact
        self.group = group
        self.text = "\n".join((fact.text, *fact_attributes(fact).values()))
        """What the checker gets."""

    @CachedAttribute
    def digest(self) -> str:
        """A hash of the text."""
        return sha256(self.text.encode(errors="surrogatepass")).hexdigest()

    @CachedAttribute
    def words(self) -> frozenset[str]:
        """Its words and numbers, in lower case."""
        return frozenset(words_in(self.text))

    @CachedAttribute
    def stems(self) -> frozenset[str]:
        """The stems of its content words."""
        return stems_of(self.text)

    @CachedAttribute
    def numbers(self) -> frozenset[str]:
        """Its numbers in digits, in the form that their spellings share."""
        return frozenset(map(number_form, NUMBER_IN_DIGITS.findall(self.text)))


def words_in(text: str) -> list[str]:
    """Return the words and numbers of a text, in lower case."""
    return _WORD_OR_NUMBER.findall(text.lower())


class Statement:
    """A sentence as it stands in a fact."""

    def __init__(self, text: str, source: Source) -> None:
        self.text = text
        self.source = source

    @CachedAttribute
    def digest(self) -> str:
        """Place it among others by chance, but in the same way in every run."""
        content = f"{self.source.digest}{self.text}".encode(errors="surrogatepass")
        return sha256(content).hexdigest()

    @CachedAttribute
    def words(self) -> list[str]:
        """Its words as they are spelled."""
        return _WORD.findall(self.text)

    @CachedAttribute
    def is_english(self) -> bool:
        """Whether it has more function words of English than of other languages."""
        lower = [word.lower() for word in self.words]
        own = sum(word in STOP_WORDS for word in lower)
        return own > sum(word in OTHER_STOP_WORDS for word in lower)


def find_statements(fact: Fact, group: int = 0) -> Iterator[Statement]:
    """Find the sentences of a fact that are prose and require a check, each once.

    Headings, rows of tables, code, addresses, quotations that go on, and sentences of fewer than
    four or more than forty words are left out.
    """
    source = Source(fact, group)
    texts = dict.fromkeys(text for _, text in locate_sentences(fact.text))
    for text in islice(texts, _MOST_SENTENCES):
        statement = Statement(text, source)
        if _is_prose(statement) and read_claim(text) is not None:
            yield statement


def _is_prose(statement: Statement) -> bool:
    text, words = statement.text, statement.words
    if len(text) > _MAX_CHARS or not text.endswith(_ENDS) or _NO_PROSE.search(text):
        return False
    if words and words[0] in _JOINING:
        return False
    if not text[0].isalpha() or text[0].islower() or not _is_closed(text):
        return False
    if not text.isascii() and max(text) > "\u3000":
        # Words are not separated here.
        return True
    capitals = sum(word[0].isupper() for word in words)
    return _MIN_WORDS <= len(words) <= _MAX_WORDS and capitals <= _MOST_CAPITALS * len(words)


def _is_closed(text: str) -> bool:
    """Return whether each quotation and each bracket is closed."""
    pairs = all(text.count(pair[0]) == text.count(pair[1]) for pair in _BRACKETS)
    return pairs and text.count('"') % 2 == 0


def pick(options: Sequence[T], digest: str, purpose: str = "") -> T | None:
    """Choose one of some options, by chance but in the same way in every run; None of none."""
    if not options:
        return None
    return options[int(sha256(f"{digest}{purpose}".encode()).hexdigest()[:8], 16) % len(options)]


def spelled_alike(text: str) -> str:
    """Return a text as texts that say the same by the same letters and digits are all spelled."""
    return "".join(filter(str.isalnum, in_one_spelling(text).casefold()))
