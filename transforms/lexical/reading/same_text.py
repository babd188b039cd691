"""Bring texts that differ in their spelling alone to one spelling, for comparison."""

import json
import re
from collections.abc import Iterator
from unicodedata import is_normalized, normalize

# Soft hyphens, joiners, marks of direction, variation selectors and the byte order mark.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff]"
)
_SPACES = re.compile(" {2,}")
# Sorting them takes quadratic time; no word has half as many accents on a letter. A set of few
# characters at the front makes the search fast.
_MANY_ACCENTS = re.compile(r"([^\t-\r -~](?<=[^\w\s])[^\w\s!-~]{59})[^\w\s!-~]+")
# With these NFKC would say something else: 10\u00b2 and 102, 2\u00bd and 21/2, a name and its
# trademark; or the end of a sentence would need a space behind it. A comma of East Asia stands
# between two numbers, but in full-width digits also within one.
_KEPT = re.compile(
    "([\u00aa\u00ba\u00b2\u00b3\u00b9\u2070-\u2079\u00bc-\u00be\u2150-\u215f\u2026\u2120\u2122"
    "\uff01\uff1f\uff08\uff09\uff1b]+"
    "|\uff0c(?!(?<=[\uff10-\uff19]\uff0c)[\uff10-\uff19]{3}(?![\uff10-\uff19]))"
    "|\uff1a(?!(?<=[\uff10-\uff19]\uff1a)[\uff10-\uff19]))"
)
# A text in JSON, or its beginning where the JSON is cut off.
_JSON_TEXT = re.compile(
    r'(?P<before>(?:[{\[,:]|\A)\s*+)"(?P<inner>(?:[^"\\]|\\.)*+)'
    r'(?P<end>"(?P<behind>\s*+(?=[}\],:]|\Z))?|\\?(?P<cut>\Z))',
    re.DOTALL,
)
ESCAPED_LINE_BREAK = re.compile(r"\\(?:r\\)?n(?:(?<=[.!?]\\n)|(?![a-z\u00df-\u00ff\"'`]))")
"""A line break that was escaped twice: "14 days.\\nCash"; not in "C:\\new" and "a \\neq b"."""
_JSON_FIELD = re.compile(r'[{,]\s*+"[^"\\]{0,200}"\s*+:')


def in_one_spelling(text: str) -> str:
    """Write a text in Unicode's form NFKC, with single spaces, without signs that have no width.

    Raised digits, fractions and the punctuation of East Asia stay as they are. Source: Unicode
    Standard Annex 15.
    """
    text = single_spaced(text)
    if text.isascii():
        return text
    text = _MANY_ACCENTS.sub(r"\1", _INVISIBLE.sub("", text))
    if is_normalized("NFKC", text):
        return text
    return "".join(
        part if number % 2 else normalize("NFKC", part)
        for number, part in enumerate(_KEPT.split(text))
    )


def single_spaced(text: str) -> str:
    """Return a text with one space for each run of them."""
    return _SPACES.sub(" ", text) if "  " in text else text


def texts_in_json(text: str) -> str:
    """Return the texts and numbers in a fact that is JSON, as lines of "key: value".

    Of a text that contains JSON, or the beginning of it, the escapes are replaced; of any other
    text the line breaks that were escaped twice.

    >>> texts_in_json('{"answer": "Lamps glow.", "score": 3}').splitlines()
    ['answer: Lamps glow.', 'score: 3']
    """
    if text.lstrip()[:1] in {"{", "["}:
        try:
            value = json.loads(
                text, strict=False, parse_float=str, parse_int=str, object_pairs_hook=_Fields
            )
        except (ValueError, RecursionError):
            pass
        else:
            return "\n".join(_lines(value)).strip() or text
    if "\\" not in text:
        return text
    if '"' in text and (_JSON_FIELD.search(text) or text.lstrip()[:1] in '"['):
        text = _JSON_TEXT.sub(_without_escapes, text)
    return ESCAPED_LINE_BREAK.sub("\n", text)


class _Fields(tuple[tuple[str, object], ...]):
    """The fields of an object in JSON, of which two may have one name."""

    __slots__ = ()


def _lines(value: object) -> Iterator[str]:
    """Yield the lines of parsed JSON, and an empty one before each object.

    A name stands before the first item of a list alone, so that no text becomes longer.
    """
    left: list[tuple[str, object]] = [("", value)]
    while left:
        name, each = left.pop()
        if isinstance(each, _Fields):
            yield ""
            left += reversed(each)
        elif isinstance(each, list):
            left += [("", item) for item in each[:0:-1]]
            left += [(name, item) for item in each[:1]]
        elif each is not None and each != "":
            text = texts_in_json(each) if isinstance(each, str) else json.dumps(each)
            yield f"{name}: {text}" if name else text


def _without_escapes(found: re.Match[str]) -> str:
    inner = found["inner"]
    if "\\" not in inner or (found["behind"] is None and found["cut"] is None):
        return found[0]
    try:
        inner = json.loads(f'"{inner}"', strict=False)
    except ValueError:
        return found[0]
    return f'{found["before"]}"{inner}{found["end"]}'
