"""Phrases that are about the sources or to the reader, not about the world. English only."""

import re

_SOURCE = r"(?:passage|text|article|context|document|source|excerpt|information|snippet|data)s?"
_NUMBER = r"[#]?\d{1,2}(?::\d{1,2})?"
# Bounded: "source 1and source 1and ..." is tried from each of its sources on.
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

_SOURCE_STEM = re.compile(
    "passage|text|article|document|source|excerpt|informa|snippet|data|provided|given"
)
"""Every phrase about the sources has one of these in its lower case."""

_BRACKETED_REFERENCE = rf"\((?:see\s+|from\s+|in\s+)?{_SOURCE}\s*{_NUMBERS}\)"
_INLINE_REFERENCE = rf"\b{_SOURCE}\s*{_NUMBERS}\b"
_REFERENCE = re.compile(rf"{_BRACKETED_REFERENCE}|{_INLINE_REFERENCE}", re.IGNORECASE)
_DIGIT = re.compile(r"\d")

FOOTNOTE = re.compile(r"\[\d{1,3}(?:\s*[,-]\s*\d{1,3})*\]")
"""Where the answer points at a source by number alone: "[1]", "[2, 3]"."""

OPENING = re.compile(
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
"""How a sentence opens that then says what a source says."""

TO_THE_READER = re.compile(
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
"""How a sentence opens that greets, thanks, offers or announces."""

REFUSAL = re.compile(
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
"""How a sentence says that the sources do not say."""

_REFUSING = re.compile(
    r"n(?:ot|['\u2019]t|(?<!\wn)o$)|unable|impossible|difficult|insufficient|lack|without"
)
"""Every refusal has a word with one of these in its lower case; a set of first letters lets the
search skip all others."""


def may_name_source(text: str) -> bool:
    """Tell whether a text could name a source; looking what it says of it takes longer."""
    return _SOURCE_STEM.search(text.lower()) is not None


def may_refuse(word: str) -> bool:
    """Tell whether a text with a word, which is without white space, could be a `REFUSAL`."""
    return _REFUSING.search(word.lower()) is not None


def without_references(text: str) -> str:
    """Return a text that may name a source without what points at one: "(see source 3, 4)"."""
    return _REFERENCE.sub(" ", text) if _DIGIT.search(text) else text
