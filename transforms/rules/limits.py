"""What one grounding check may hold, and how the service counts it."""

import re

from schemas.record import Record

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
"""The inside of a regular expression's class: characters that stand for a word by themselves."""

_UNSPACED = re.compile(f"[{UNSPACED_SCRIPTS}]")


class CheckLimits(Record, frozen=True, kw_only=True):
    """The limits of one `groundingConfigs.check` call.

    Source: https://docs.cloud.google.com/generative-ai-app-builder/docs/check-grounding

    Attributes:
      max_facts: facts a call.
      max_fact_chars: characters (code points) a fact.
      max_answer_tokens: tokens (`count_tokens`) an answer.
      max_user_labels: labels a call.
      max_user_label_chars: characters of a label's key or value.
    """

    max_facts: int = 200
    max_fact_chars: int = 10_000
    max_answer_tokens: int = 4_096
    max_user_labels: int = 64
    max_user_label_chars: int = 63


def count_tokens(text: str) -> int:
    """Count the service's tokens: "a word or a period".

    A word is a run without white space; each full stop at its end counts by itself. In scripts
    that put no space between words every character counts.

    Source: https://docs.cloud.google.com/generative-ai-app-builder/docs/check-grounding, where
    "They wore off-the-rack clothes in 2024." has seven.
    """
    spaced, characters = (text, 0) if text.isascii() else _UNSPACED.subn(" ", text)
    words = spaced.split()
    ended = [word for word in words if word[-1] == "."]
    bare = [word.rstrip(".") for word in ended]
    full_stops = sum(map(len, ended)) - sum(map(len, bare))
    return characters + len(words) - bare.count("") + full_stops
