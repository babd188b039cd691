"""Words without evidence, number words, and phrases about the sources or to the reader."""

# ruff: noqa: SIM905 - a table of words reads best as text

import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from itertools import chain

from .cache import WordCache

_Phrases = dict[str, list[str]]
_LANGUAGES: dict[str, _Phrases] = tomllib.loads(
    files(__package__).joinpath("languages.toml").read_text(encoding="utf-8")
)
_ENGLISH_PHRASES = _LANGUAGES.pop("en")
"""What is said in English beside the expressions below; `_LANGUAGES` are the other languages."""
_ALL_PHRASES = [_ENGLISH_PHRASES, *_LANGUAGES.values()]


def _table(kind: str) -> frozenset[str]:
    return frozenset(" ".join([str(each.get(kind, "")) for each in _LANGUAGES.values()]).split())


def words_of(kind: str) -> frozenset[str]:
    """Return the words of one kind, in all languages."""
    return _table(kind) | frozenset(str(_ENGLISH_PHRASES[kind]).split())


OTHER_STOP_WORDS = _table("stop")
"""Function words of other languages."""
OTHER_DENIALS = _table("denials")
"""Words of other languages that negate a statement."""
COURTESY = words_of("courtesy")
"""Words that state nothing that could be checked, in all languages."""
ELISIONS = frozenset("l d j m t s c n qu jusqu lorsqu dell all nell dall sull un".split())
"""What stands before an apostrophe in French and Italian."""
MONTH_NAMES = {
    language: phrases["months"] for language, phrases in _LANGUAGES.items() if "months" in phrases
}
"""The names of the twelve months, by language beside English."""

STOP_WORDS = frozenset(str(_ENGLISH_PHRASES["stop"]).split())
"""173 words without evidence: function words, negations, pronouns, auxiliaries, contractions, words
that connect sentences or refer to the sources."""


def _pairs(kind: str, languages: Iterable[_Phrases] = _ALL_PHRASES) -> dict[str, str]:
    words = " ".join([str(each.get(kind, "")) for each in languages]).split()
    return dict(zip(words[::2], words[1::2], strict=True))


def _compound_numbers() -> dict[str, str]:
    """Return the digits of each number that is written as one word: "vierundzwanzig"."""
    return {
        one + ten: digits[0] + digit
        for language in _ALL_PHRASES
        for one, digit in _pairs("ones_before_tens", [language]).items()
        for ten, digits in _pairs("numbers", [language]).items()
        if len(digits) == 2 and digits[1] == "0" and digits > "10"  # noqa: PLR2004 - tens
    }


NUMBER_WORDS = _pairs("numbers") | _compound_numbers()
"""The digits of each number word; without "one", which is mostly a pronoun."""
ORDINALS = _pairs("ordinals")
"""The digits of each ordinal."""
PERIODS = {word: float(seconds) for word, seconds in _pairs("periods").items()}
"""The seconds of each word for a period: "daily"."""
FRACTIONS = {word: float(share) for word, share in _pairs("fractions").items()}
"""What each word for a part of one is: "half"."""
EQUAL_WORDS = NUMBER_WORDS | ORDINALS | _pairs("days")
"""What number words, ordinals and abbreviated days are compared as."""

_NAMES = "passage text article context document source excerpt information snippet data".split()
_OTHER_NAMES = """
    quelle quellen dokument dokumente auszug texte extrait fuente documento trecho fonte fonti brano
    資料 出典 文書 来源 资料 文档 來源
""".split()
_SOURCES = tuple(f"{name}{ending}" for name in (*_NAMES, *_OTHER_NAMES) for ending in ("", "s"))
_SOURCE = rf"(?:{'|'.join(_NAMES)})s?"
_NUMBER = r"[#]?\d{1,2}(?::\d{1,2})?"
# Bounded, since "source 1and source 1and ..." is matched from each of its sources.
_NUMBERS = rf"{_NUMBER}(?:\s*(?:,\s*and|,\s*or|,|and|&|or)\s*(?:{_SOURCE}\s*)?{_NUMBER}){{0,99}}"
_BRACKETED_REFERENCE = rf"\((?:see\s+|from\s+|in\s+)?{_SOURCE}\s*{_NUMBERS}\)"
_INLINE_REFERENCE = rf"\b{_SOURCE}\s*{_NUMBERS}\b"
REFERENCE = re.compile(rf"{_BRACKETED_REFERENCE}|{_INLINE_REFERENCE}", re.IGNORECASE)
"""A reference to sources: "passage 2", "(see source 3, 4)"."""
_OTHER_REFERENCE = re.compile(
    rf"[(\uff08]?(?<![A-Za-z\d_])(?:{'|'.join(_OTHER_NAMES)})s?\s*\d{{1,2}}(?![A-Za-z\d_])[)\uff09]?",
    re.IGNORECASE,
)

_DIGIT = re.compile(r"\d")
_ALSO_MATCHED = str.maketrans({"\u017f": "s", "\u0131": "i", "\u0307": ""})
# The name of a source, and with the white space behind it; where there is more, all is searched.
_MAX_NAME, _MAX_SPACING = 12, 60

_ADDRESS_TO_READER = re.compile(str(_ENGLISH_PHRASES["address"]), re.IGNORECASE | re.VERBOSE)
_FIRST_WORDS = str(_ENGLISH_PHRASES["address_begins"])
_SIGNATURE = re.compile(r"(?:the|your)\s+(?:[\w'\u2019-]+\s+){0,3}team[.!]?", re.IGNORECASE)
_REFUSAL = re.compile(
    str(_ENGLISH_PHRASES["refusal"]).replace("SOURCE", rf"{_SOURCE}\b"), re.IGNORECASE | re.VERBOSE
)

# Every refusal has a word with one of these in lower case. Few first letters make the search fast.
_REFUSING = re.compile(
    r"n(?:ot|['\u2019]t|(?<!\wn)o$)|unable|impossible|difficult|insufficient|lack|without"
)

_QUANTIFIERS = tuple("?*+{")
_WORD_OF_PHRASE = re.compile(r"(?<![^\s()|?])[^\s()|?{]+")
_ENGLISH = (" and ", " to ", " are ", " with ", " that ", " by ")
_ALSO_ENGLISH = (" is ", " of ")
"""Dutch has these, too, and titles in other languages."""

_ONLY_OTHER = OTHER_STOP_WORDS - STOP_WORDS
_BEGINNING = 500
"""So many characters show the language of a text without those words."""


def _expression(phrases: Iterable[str]) -> str:
    of_words, of_characters = ["(?!)"], ["(?!)"]
    for phrase in phrases:
        is_spaced = max(phrase) < "\u3000"
        gap = r"([\w'\u2019-]+,?\s+){0,4}?" if is_spaced else r"[^\u3002\uff0c\u3001,]{0,12}?"
        text = phrase.replace("*", r"\w*").replace("'", "['\u2019]")
        text = text.replace("... ", gap).replace("...", gap).replace(" ", r"\s+")
        (of_words if is_spaced else of_characters).append(text)
    # Without groups and conditions in front, the search for the first letters is fast.
    return rf"(?<!\w)(?:{_grouped(of_words)})(?!\w)|{'|'.join(of_characters)}"


def _grouped(expressions: Iterable[str]) -> str:
    """Return an expression for any of some; grouped by first letters, it fails fast."""
    groups: dict[str, list[str]] = {}
    for each in expressions:
        is_letter = each[:1].isalpha() and not each.startswith(_QUANTIFIERS, 1)
        first = each[:1] if is_letter else ""
        groups.setdefault(first, []).append(each.removeprefix(first))
    return "|".join(f"{first}(?:{'|'.join(rests)})" for first, rests in groups.items())


def any_of(words: Iterable[str]) -> str:
    """Return an expression for some words, each before what it begins with."""
    return _grouped([re.escape(word) for word in sorted(words)[::-1]])


def key_of(matched: str) -> str:
    """Lower-case what an expression that ignores case matched: it takes a long s for an s."""
    return matched.lower().translate(_ALSO_MATCHED)


def phrases_of(kind: str) -> list[str]:
    """Return the phrases of one kind, in all languages, the longest first."""
    return sorted(set(_each_phrase(kind)), key=len)[::-1]


def _each_phrase(kind: str) -> Iterator[str]:
    return chain.from_iterable([each.get(kind, ()) for each in _ALL_PHRASES])


def expression_of(kind: str) -> str:
    """Return the regular expression for the phrases of one kind, in all languages."""
    return _expression(_each_phrase(kind))


# Every phrase about the sources has one of these in lower case.
_SOURCE_STEM = re.compile(
    "passage|text|article|document|docs|source|excerpt|informa|snippet|data|provided|given"
)
_OTHER_SOURCE = re.compile(expression_of("sources"))
_NEGATIONS = [word for each in _LANGUAGES.values() for word in each.get("negations", ())]
# Few words in English begin like these; the test is many times as fast as the expressions.
_PREFIX_CHARS = 3
_OTHER_PREFIXES = frozenset(
    prefix[:_PREFIX_CHARS]
    for phrases in _LANGUAGES.values()
    for word in (*phrases.get("sources", ()), *phrases.get("negations", ()))
    for prefix in (word, f"l'{word}")
) | {"nie", "jam", "nun"}


# Compiled at their first use: commands that check nothing import this module, too.
@cache
def _other_address() -> re.Pattern[str]:
    # A sentence that only begins with a greeting may state something.
    greeting = rf"(?:{expression_of('greetings')})(?:[\s,\uff0c\u3001]+\w+){{0,3}}\W*$"
    return re.compile(rf"{greeting}|{expression_of('offers')}", re.IGNORECASE)


@cache
def _other_refusals() -> list[tuple[list[str], re.Pattern[str]]]:
    return [
        (phrases["negations"], re.compile(_expression(phrases["refusals"]), re.IGNORECASE))
        for phrases in _LANGUAGES.values()
        if "refusals" in phrases
    ]


def _first_words(phrase: str) -> list[str]:
    """Return the words that a phrase may begin with, or more."""
    depth = 0
    for place, char in enumerate(phrase):
        depth += (char == "(") - (char == ")")
        if char == " " and not depth:
            phrase = phrase[:place]
            break
    return _WORD_OF_PHRASE.findall(phrase) if " " in phrase else [phrase]


def _may_begin(*kinds: str, english: str = "") -> WordCache[bool]:
    """Return whether a phrase may begin with a word; a hundred times as fast as the phrases."""

    @cache
    def expression() -> re.Pattern[str]:
        found = chain.from_iterable(map(phrases_of, kinds))
        words = set(chain.from_iterable(map(_first_words, found)))
        words.update(english.split())
        return re.compile(rf"(?:{_expression(words)})|[\u3001-\u9fff]", re.IGNORECASE)

    return WordCache(lambda word: expression().match(word) is not None)


_may_lead = _may_begin("leads", "bare_leads", "speakers")
_may_say_again = _may_begin("said", "asked")
_may_address = _may_begin(english=_FIRST_WORDS)
_may_address_otherwise = _may_begin("greetings", "offers")


@cache
def _lead() -> re.Pattern[str]:
    leads, bare = expression_of("leads"), expression_of("bare_leads")
    mark = r"(?:[,!.:;\uff0c\u3001\u3002\uff01\uff1a]|\s[\u2013\u2014-](?=\s)|(?<= that)(?=\s)|$)"
    speaker = rf"(?:{expression_of('speakers')})\s?[:\uff1a]"
    lead = rf"[\W_]*(?:{speaker}|(?:{bare})[,:]?\s|(?:{leads})[*_]*{mark})[\W_]*"
    return re.compile(lead, re.IGNORECASE)


def without_leads(text: str) -> str:
    """Remove what may stand before a statement: "Yes,", "Unfortunately,", "Note:".

    >>> without_leads("Yes, lamps glow.")
    'lamps glow.'
    """
    for _ in range(_MAX_LEADS):
        begun = without_signs(text)
        if not _may_lead[begun.partition(" ")[0].partition(":")[0]]:
            break
        found = _lead().match(text)
        if not found:
            break
        rest = text[found.end() :]
        # A sign in front of an amount is a part of the statement.
        kept = found[0][len(found[0].rstrip("$\u20ac\u00a3#@")) :]
        text = kept + rest
    return text


_MAX_LEADS = 3
_SIGNS = re.compile(r"\A[\W_]+")


def without_signs(text: str) -> str:
    """Return a text without what is before its first letter or digit: an emoji, quotation marks."""
    return text if text[:1].isalnum() else _SIGNS.sub("", text, count=1)


def may_repeat(text: str) -> bool:
    """Return whether a sentence may begin as one that repeats what the user said; a fast test."""
    return _may_say_again[text.partition(" ")[0]]


def has_english(text: str) -> bool:
    """Return whether a text has one of the commonest words that only English has.

    >>> has_english("Delivery is free of charge."), has_english("Er is geen informatie.")
    (True, False)
    """
    if " the " in text or any(map(text.__contains__, _ENGLISH)):
        return True
    may_be = any(map(text.__contains__, _ALSO_ENGLISH))
    return may_be and _ONLY_OTHER.isdisjoint(text[:_BEGINNING].lower().split())


def may_name_source_or_refuse(lower: str, bare: str) -> tuple[bool, bool]:
    """Return whether a word may name a source, and whether a text with it may be a refusal.

    The word is in lower case, with and without the marks around it.
    """
    names_source, refuses = bool(_SOURCE_STEM.search(lower)), bool(_REFUSING.search(lower))
    if not bare.isascii() or bare[:_PREFIX_CHARS] in _OTHER_PREFIXES:
        names_source = names_source or bool(_OTHER_SOURCE.search(bare))
        refuses = refuses or any(map(f"{lower} ".__contains__, _NEGATIONS))
    return names_source, refuses


def states_refusal(text: str) -> bool:
    """Return whether a text states that the sources do not contain something."""
    if _REFUSAL.search(text):
        return True
    lower = text.lower()
    return not has_english(text) and any(
        any(map(lower.__contains__, negations)) and expression.search(text)
        for negations, expression in _other_refusals()
    )


def addresses_reader(text: str) -> bool:
    """Return whether a sentence greets, thanks, offers or announces."""
    if "team" in text[-6:].lower() and _SIGNATURE.fullmatch(text):
        return True
    first = text.partition(" ")[0]
    if _may_address[first] and _ADDRESS_TO_READER.match(text):
        return True
    return _may_address_otherwise[first] and _other_address().match(text) is not None


def without_references(text: str) -> str:
    """Remove references to sources, such as "(see source 3, 4)"."""
    if not _may_refer(text):
        return text
    text = REFERENCE.sub(" ", text)
    return text if has_english(text) else _OTHER_REFERENCE.sub(" ", text)


def _may_refer(text: str) -> bool:
    """Return whether the name of a source is before a digit; many times as fast as a search."""
    digits = _DIGIT.finditer(text)
    if not text.isascii():
        return next(digits, None) is not None
    lower = text.lower()
    for digit in digits:
        before = lower[max(0, digit.start() - _MAX_SPACING) : digit.start()]
        before = before.removesuffix("#").rstrip()
        is_cut = digit.start() > _MAX_SPACING and len(before) < _MAX_NAME
        if is_cut or before.endswith(_SOURCES):
            return True
    return False
