"""Words without evidence, number words, and phrases about the sources or to the reader."""

# ruff: noqa: SIM905 - a table of words reads best as text

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from itertools import chain

from transforms.rules.cache import WordCache

_Phrases = dict[str, list[str]]
_LANGUAGES: dict[str, _Phrases] = tomllib.loads(
    files(__package__).joinpath("languages.toml").read_text(encoding="utf-8")
)
"""The phrases beside the English ones, by language and kind."""
MONTH_NAMES = {
    language: phrases["months"] for language, phrases in _LANGUAGES.items() if "months" in phrases
}
"""The names of the twelve months, by language beside English."""

STOP_WORDS = frozenset(
    """
    a an the this that these those some any each every all both either such other another same own
    many much more most few several i you he she it we they me him her us them my your his its our
    their mine myself yourself himself herself itself ourselves themselves who whom whose which what
    one am is are was were be been being have has had having do does did done can could may might
    must shall should will would of in on at by for with from to into onto about as than then and or
    but if so because while when where why how though although until between through during there
    here also only just very too out up no not nor without i'm you're they're we're i've can't
    cannot don't doesn't didn't isn't aren't wasn't won't however therefore thus overall
    additionally moreover furthermore passage passages text article context document documents
    source sources information summary state states stated mention mentions mentioned provided given
    based according include includes included including
    """.split()
)
"""173 words without evidence: function words, negations, pronouns, auxiliaries, contractions, words
that connect sentences or refer to the sources."""

_NUMBER_WORDS = """
    zero 0 two 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9 ten 10 eleven 11 twelve 12
    thirteen 13 fourteen 14 fifteen 15 sixteen 16 seventeen 17 eighteen 18 nineteen 19 twenty 20
    thirty 30 forty 40 fifty 50 sixty 60 seventy 70 eighty 80 ninety 90 hundred 100 thousand 1000
    million 1000000 billion 1000000000 dozen 12 half 0.5 first 1 second 2 third 3 fourth 4 fifth 5
    twice 2
""".split()
NUMBER_WORDS = dict(zip(_NUMBER_WORDS[::2], _NUMBER_WORDS[1::2], strict=True))
"""The digits of each number word; without "one", which is mostly a pronoun."""

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
_GIVEN = r"(?:given|provided|above|available|following|retrieved|supplied)"
_THE_SOURCE = (
    rf"(?:the\s+|this\s+|these\s+|those\s+)?(?:{_GIVEN}\s+)?{_SOURCE}"
    rf"(?:\s*{_NUMBERS}\b)?(?:\s+{_GIVEN})?"
)
_STATES = (
    r"(?:states?|stated|mentions?|mentioned|says?|suggests?|indicates?|explains?|notes?|adds?"
    r"|reports?|shows?|describes?|claims?|specif(?:y|ies))"
)
_JOINT = (
    r"(?:(?:however|therefore|thus|additionally|furthermore|moreover|overall|also|so|but|and"
    r"|in\s+(?:summary|conclusion|addition)|in\s+short|to\s+summarize),?\s+)?"
)

_BRACKETED_REFERENCE = rf"\((?:see\s+|from\s+|in\s+)?{_SOURCE}\s*{_NUMBERS}\)"
_INLINE_REFERENCE = rf"\b{_SOURCE}\s*{_NUMBERS}\b"
REFERENCE = re.compile(rf"{_BRACKETED_REFERENCE}|{_INLINE_REFERENCE}", re.IGNORECASE)
"""A reference to sources: "passage 2", "(see source 3, 4)"."""
_OTHER_REFERENCE = re.compile(
    rf"[(\uff08]?(?<![A-Za-z\d_])(?:{'|'.join(_OTHER_NAMES)})s?\s*\d{{1,2}}(?![A-Za-z\d_])[)\uff09]?",
    re.IGNORECASE,
)

_DIGIT = re.compile(r"\d")
# The name of a source, and with the white space behind it; where there is more, all is searched.
_MAX_NAME, _MAX_SPACING = 12, 60

FOOTNOTE = re.compile(r"\[\d{1,3}(?:\s*[,-]\s*\d{1,3})*\]")
"""A reference to a source by its number: "[1]", "[2, 3]"."""

_OPENING = re.compile(
    rf"""{_JOINT}
    (?:
      (?:based\s+(?:solely\s+|only\s+)?(?:on|upon)|according\s+to|as\s+(?:stated|mentioned)\s+in
        |from|in|per)
      \s+{_THE_SOURCE}\s*,?\s+
      (?:it\s+(?:appears|seems|is\s+(?:clear|stated|mentioned|said)|can\s+be\s+\w+)\s+that\s+)?
    |
      {_THE_SOURCE}\s+(?:also\s+|further\s+)?{_STATES}\s+that\s+
    |
      (?:it\s+is|it\s+was)\s+(?:also\s+)?(?:stated|mentioned|noted)\s+(?:in\s+{_THE_SOURCE}\s+)?
      that\s+
    )""",
    re.IGNORECASE | re.VERBOSE,
)

_ADDRESS_TO_READER = re.compile(
    r"""(?:
      sure|certainly|of\s+course|absolutely|hello|hi|hey|greetings|welcome|thanks|thank\s+you
    | you(?:'|\u2019)re\s+welcome|good\s+(?:morning|afternoon|evening)|sorry|i\s+apologi[sz]e
    | i(?:(?:'|\u2019)m|\s+am)\s+(?:sorry|unable|here\s+to|happy\s+to|glad)
    | i(?:(?:'|\u2019)d|\s+would)\s+be\s+(?:happy|glad)|i\s+hope|i\s+can(?:not|(?:'|\u2019)t)\s+help
    | (?:please\s+)?(?:let\s+me\s+know|feel\s+free)
    | if\s+you\s+have\s+(?:any\s+)?(?:more|other|further)
    | as\s+an?\s+(?:ai|large\s+language\s+model|language\s+model|assistant)
    | here(?:(?:'|\u2019)s|\s+is|\s+are)\s++(?:what\s+(?:i|we)\s+(?:found|know)|.*:)
    )(?![\w'\u2019-])""",
    re.IGNORECASE | re.VERBOSE,
)
_FIRST_WORDS = """
    sure certainly of absolutely hello hi hey greetings welcome thanks thank you good sorry i please
    let feel if as here
"""

_REFUSAL = re.compile(
    r"""\b(?:
      (?:do|does|did)(?:\s+not|n['\u2019]t)\s+(?:\w+\s+){0,2}?
        (?:mention|provide|specify|state|contain|include|give|say|discuss|address|answer|offer
          |indicate|clarify|explain|describe|have|define|list|cover)
    | (?:is|are|was|were)(?:\s+not|n['\u2019]t)\s+(?:\w+\s+)?
        (?:mentioned|provided|specified|stated|given|included|clear|available|enough|discussed
          |explained|defined|described|sufficient|possible|addressed|found)
    | (?:cannot|can['\u2019]t|could\s+not|can\s+not)\s+(?:be\s+)?
        (?:determine|answer|provide|find|conclude|confirm|give|say|tell|infer|identif)\w*
    | unable\s+to\s+(?:\w+\s+)?
        (?:answer|determine|provide|find|give|confirm|identify|generate|offer|say)
    | (?:impossible|not\s+possible|difficult)\s+to
    | no\s+(?:\w+\s+){0,2}?(?:information|mention|answer|details?|indication|data|evidence)
    | (?:insufficient|not\s+enough|lacks?|without\s+(?:further|more|additional))\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)

# Every refusal has a word with one of these in lower case. Few first letters make the search fast.
_REFUSING = re.compile(
    r"n(?:ot|['\u2019]t|(?<!\wn)o$)|unable|impossible|difficult|insufficient|lack|without"
)

_ENGLISH = (" of ", " and ", " to ", " is ", " are ", " with ", " that ", " by ")


def _expressions(kind: str, languages: Iterable[_Phrases] = _LANGUAGES.values()) -> str:
    """Return the regular expression for the phrases of one kind."""
    return _expression(
        phrase.replace("SOURCE", f"({'|'.join(phrases['sources'])})")
        for phrases in languages
        for phrase in phrases[kind]
    )


def _expression(phrases: Iterable[str]) -> str:
    of_words, of_characters = ["(?!)"], ["(?!)"]
    for phrase in phrases:
        is_spaced = max(phrase) < "\u3000"
        gap = r"([\w'\u2019-]+,?\s+){0,4}?" if is_spaced else r"[^\u3002\uff0c\u3001,]{0,12}?"
        text = phrase.replace("*", r"\w*").replace("'", "['\u2019]")
        text = text.replace("... ", gap).replace("...", gap).replace(" ", r"\s+")
        (of_words if is_spaced else of_characters).append(text)
    # Without groups and conditions in front, the search for the first letters is fast.
    return rf"(?<!\w)(?:{'|'.join(of_words)})(?!\w)|{'|'.join(of_characters)}"


def _compile(expressions: str) -> re.Pattern[str]:
    return re.compile(expressions, re.IGNORECASE)


# Every phrase about the sources has one of these in lower case.
_SOURCE_STEM = re.compile(
    "passage|text|article|document|source|excerpt|informa|snippet|data|provided|given"
)
_OTHER_SOURCE = re.compile(_expressions("sources"))
_NEGATIONS = [word for phrases in _LANGUAGES.values() for word in phrases["negations"]]
# Few words in English begin like these; the test is many times as fast as the expressions.
PREFIX_CHARS = 3
OTHER_PREFIXES = frozenset(
    prefix[:PREFIX_CHARS]
    for phrases in _LANGUAGES.values()
    for word in (*phrases["sources"], *phrases["negations"])
    for prefix in (word, f"l'{word}")
) | {"nie", "jam", "nun"}


# Compiled at their first use: commands that check nothing import this module, too.
@cache
def _other_opening() -> re.Pattern[str]:
    return _compile(rf"(?:{_expressions('openings')})[,\uff0c\u3001\s]*")


@cache
def _other_address() -> re.Pattern[str]:
    # A sentence that only begins with a greeting may state something.
    greeting = rf"(?:{_expressions('greetings')})(?:[\s,\uff0c\u3001]+\w+){{0,3}}\W*$"
    return _compile(rf"{greeting}|{_expressions('offers')}")


@cache
def _other_refusals() -> list[tuple[list[str], re.Pattern[str]]]:
    return [
        (phrases["negations"], _compile(_expressions("refusals", [phrases])))
        for phrases in _LANGUAGES.values()
    ]


def _may_begin(*kinds: str, english: str = "") -> WordCache[bool]:
    """Return whether a phrase may begin with a word; a hundred times as fast as the phrases."""

    @cache
    def expression() -> re.Pattern[str]:
        found = (phrases[kind] for kind in kinds for phrases in _LANGUAGES.values())
        words = {phrase.partition(" ")[0] for phrase in chain.from_iterable(found)}
        words.update(english.split())
        return _compile(rf"(?:{_expression(words)})|[\u3001-\u9fff]")

    return WordCache(lambda word: expression().match(word) is not None)


_may_open = _may_begin("openings")
_may_address = _may_begin("greetings", "offers", english=_FIRST_WORDS)


def has_english(text: str) -> bool:
    """Return whether a text has one of the commonest words that only English has."""
    return " the " in text or any(map(text.__contains__, _ENGLISH))


def may_name_source(lower: str) -> bool:
    """Return whether a text in lower case could name a source in English; a fast test."""
    return _SOURCE_STEM.search(lower) is not None


def may_refuse(lower: str) -> bool:
    """Return whether a text with a word, in lower case, could be a refusal in English."""
    return _REFUSING.search(lower) is not None


def may_be_other(lower: str) -> bool:
    """Return whether a word, in lower case and without marks, may be of another language."""
    return not lower.isascii() or lower[:PREFIX_CHARS] in OTHER_PREFIXES


def may_name_other_source(lower: str) -> bool:
    """Return whether a word in lower case names a source in another language than English."""
    return _OTHER_SOURCE.search(lower) is not None


def may_refuse_otherwise(lower: str) -> bool:
    """Return whether a text with this word could be a refusal in another language than English."""
    return any(map(f"{lower} ".__contains__, _NEGATIONS))


def refuses(text: str) -> bool:
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
    if not _may_address[text.partition(" ")[0]]:
        return False
    return bool(_ADDRESS_TO_READER.match(text) or _other_address().match(text))


def without_opening(text: str) -> str:
    """Remove the opening of a sentence that reports what a source says."""
    found = _OPENING.match(text)
    if not found and _may_open[text.partition(" ")[0]] and not has_english(text):
        found = _other_opening().match(text)
    return text[found.end() :] if found else text


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
