"""The limits of one check, and the service's count of tokens."""

import re

from schemas import Record

UNSPACED_SCRIPTS = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f"  # Burmese
    "\u1100-\u11ff"  # Hangul letters
    "\u1780-\u17ff"  # Khmer
    "\u3001-\u9fff"  # East Asian punctuation, kana, bopomofo, han
    "\uac00-\ud7af"  # Hangul syllables
    "\uf900-\ufaff"  # han, compatibility forms
    "\uff01-\uffdc"  # full-width and half-width forms
    "\U00020000-\U000323af"  # han, extensions
)
"""Characters that are words on their own, for the class of a regular expression."""

_UNSPACED = re.compile(f"[{UNSPACED_SCRIPTS}]")

# Armenian, Arabic, Devanagari (single and double), Ethiopic
_OTHER_FULL_STOPS = re.compile("[\u0589\u06d4\u0964\u0965\u1362]")


class CheckLimits(Record, frozen=True, kw_only=True):
    """The limits of one `groundingConfigs.check` call.

    Source: https://docs.cloud.google.com/generative-ai-app-builder/docs/check-grounding

    Attributes:
      max_facts, max_user_labels: facts and labels per call.
      max_fact_chars: characters (code points) per fact.
      max_answer_tokens: tokens of an answer, as `count_tokens` counts them.
      max_user_label_chars: characters of a label's key or value.
    """

    max_facts: int = 200
    max_fact_chars: int = 10_000
    max_answer_tokens: int = 4_096
    max_user_labels: int = 64
    max_user_label_chars: int = 63


def count_tokens(text: str) -> int:
    """Count the service's tokens: words, and every full stop, also within words.

    The service calls a token "a word or a period" and does not define the tokens of "3.14". This
    count has a margin, so that a request is within the limit in any case. In scripts without spaces
    between words every character counts.

    Source: https://docs.cloud.google.com/generative-ai-app-builder/docs/check-grounding, where
    "They wore off-the-rack clothes in 2024." has seven.
    """
    characters = 0
    if not text.isascii():
        text, characters = _UNSPACED.subn(" ", _OTHER_FULL_STOPS.sub(".", text))
    return characters + text.count(".") + len(text.replace(".", "").split())
