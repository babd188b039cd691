"""Find negations in German, French, Spanish, Portuguese, Italian, Japanese and Chinese."""

# ruff: noqa: SIM905 - a table of words reads best as text

import re

from transforms.rules.phrases import has_english

# None of these is an English word; "no" and "non" are looked at more closely.
_WORDS = frozenset(
    "nicht kein keine keinem keinen keiner keines niemals pas jamais aucun aucune nunca não".split()
)
_WORD = re.compile(rf"\b(?:(?<!faux )(?:{'|'.join(_WORDS)})|non(?=\s)|no(?=\s))\b")
_MARKERS = "nicht; kein;niemals; pas ;jamais;aucun;nunca;não; non ; no ".split(";")
_MARKS = ".,;:!?)"
# "No" negates the verb behind it in Spanish only.
_SPANISH = frozenset({"el", "la", "los", "las", "lo", "un", "una", "del", "al", "en", "con"})
_KANA = re.compile("[\u3041-\u30ff]")
_PARTS = "ません;ない;なかった;なく;不;没;沒;未;无;無;并".split(";")
_JAPANESE = re.compile("ません|(?<!少)ない|なかった|ではなく")
_CHINESE = re.compile("不(?![同断斷仅僅少过過久锈])|[没沒]有?|未(?![来來])|[无無]法|并非")

_DENIALS = frozenset(
    "ohne verboten untersagt sans interdit interdite interdits interdites prohibido prohibida"
    " prohibidos prohibidas sem proibido proibida proibidos proibidas senza vietato vietata vietati"
    " vietate".split()
)

Span = tuple[int, int]


def may_negate(word: str) -> bool:
    """Return whether a word, in lower case and without marks, may negate; not "no" in Spanish."""
    if word.isascii():
        return word in _WORDS or word == "non"
    return bool(negation_spans(f" {word} "))


def negation_spans(lower: str) -> list[Span]:
    """Return where a text in lower case negates something in another language than English."""
    if has_english(lower):
        return []
    if any(map(f" {lower}".__contains__, _MARKERS)):
        is_spanish = negates_in_spanish(lower)
        return [found.span() for found in _WORD.finditer(lower) if found[0] != "no" or is_spanish]
    if lower.isascii() or not any(map(lower.__contains__, _PARTS)):
        return []
    expression = _JAPANESE if _KANA.search(lower) else _CHINESE
    return [found.span() for found in expression.finditer(lower)]


def other_denials(lower: str) -> frozenset[str]:
    """Return the words by which a text in lower case could deny something, beside negations."""
    if has_english(lower):
        return frozenset()
    found = _DENIALS.intersection(word.rstrip(_MARKS) for word in lower.split())
    return found | {"禁止"} if "禁止" in lower else found


def negates_in_spanish(lower: str) -> bool:
    """Return whether a text in lower case has "no" and is Spanish."""
    return " no " in f" {lower}" and not (has_english(lower) or _SPANISH.isdisjoint(lower.split()))
