"""Write the texts of a message, each with a word that says what it is; and read these words.

So a reader that knows no format knows what should be found in a message, at any place.
"""

import base64
import json
import random
import re
from collections.abc import Callable, Iterable, Sequence
from functools import partialmethod
from typing import Any, TypeVar

from groundwatch.schemas.answer import Answer
from groundwatch.schemas.message import ParseOptions
from groundwatch.schemas.verdict import Tag
from groundwatch.transforms.formats.parser import ParseFailure, parse_answers
from tests.support.answer_messages import message_of

T = TypeVar("T")
JsonObject = dict[str, Any]

_WORD = re.compile(r"(said|fact|asked|other|aside)(\d+)x(\d+)")
_BASE64 = re.compile(r"""(?<="data": ")[A-Za-z0-9+/]{40,}={0,2}(?=")""")
_WORDS_BEFORE = ("", "", "", "", "", "", "[1] ", "{a} ", "['a'] ", "- ")
_WORDS_AFTER = (" glows.", " glüht.", " glows\nin the dark.", " has 3 “lamps”.")


class Pen:
    """Choose at random, the same for a seed, and write texts with marked words.

    Words of kind `other` are of further candidates, and those of `aside` neither of the answer
    nor of its facts or question. `answer` numbers the answers of a message.
    """

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)  # noqa: S311 - no secret
        self._words = 0
        self.answer = 0

    def write(self, kind: str) -> str:
        """Write a text with a marked word."""
        self._words += 1
        word = f"{kind}{self.answer}x{self._words}"
        return f"{self.pick(*_WORDS_BEFORE)}{word}{self.pick(*_WORDS_AFTER)}"

    said = partialmethod(write, "said")
    fact = partialmethod(write, "fact")
    asked = partialmethod(write, "asked")
    other = partialmethod(write, "other")
    aside = partialmethod(write, "aside")

    def flip(self, chance: float = 0.5) -> bool:
        """Return true by chance."""
        return self._random.random() < chance

    def pick(self, *choices: T) -> T:
        """Return one of the choices."""
        return self._random.choice(choices)

    def several(self, make: Callable[[], T], least: int = 1, most: int = 3) -> list[T]:
        """Make a few of something."""
        return [make() for _ in range(self._random.randint(least, most))]

    def make(self, *makers: Callable[[], T]) -> T:
        """Call one of the makers."""
        return self.pick(*makers)()

    def maybe(self, **fields: Any) -> JsonObject:
        """Return some of the fields; others are null or absent."""
        kept = {name: field if self.flip() else None for name, field in fields.items()}
        return {name: field for name, field in kept.items() if field is not None or self.flip(0.2)}

    def blanks(self, *names: str, empty: Sequence[Any] = ("", None)) -> JsonObject:
        """Return some of the fields, without a value."""
        return {name: self.pick(*empty) for name in names if self.flip(0.3)}

    def mixed(self, *groups: Iterable[T]) -> list[T]:
        """Join lists, and keep the order of each."""
        queues = [list(group) for group in groups]
        merged = []
        while any(queues):
            merged.append(self.pick(*filter(None, queues)).pop(0))
        return merged

    def shuffled(self, items: Iterable[T]) -> list[T]:
        """Return the items in another order."""
        listed = list(items)
        self._random.shuffle(listed)
        return listed

    def cut(self, items: Sequence[T]) -> tuple[Sequence[T], Sequence[T]]:
        """Cut a sequence in two."""
        at = self._random.randint(0, len(items))
        return items[:at], items[at:]

    def as_json(self, value: Any) -> Any:
        """Return a value, or JSON of it in a text."""
        return value if self.flip(0.7) else json.dumps(value, ensure_ascii=self.flip())

    def document(self, *names: str) -> Any:
        """Write a fact as a text, or as an object with one of the names and its source."""
        if self.flip(0.3):
            return self.fact()
        name = self.pick(*names)
        empty = self.blanks(*(each for each in names if each != name), empty=("", " ", None))
        return dict(self.shuffled((empty | {name: self.fact()} | self.source()).items()))

    def source(self) -> JsonObject:
        """Write where a fact is from."""
        return self.maybe(title="Lamps", uri="gs://b/1.pdf")


def differences(value: Any, **attributes: str) -> list[str]:
    """Parse a message, and say what is not read as its words want it."""
    message = message_of(value, **attributes)
    wanted = _words_in(_with_decoded(message.payload.decode()))
    found = list(parse_answers(message, ParseOptions()))
    if len(found) != len(wanted):
        return [f"{len(found)} answers instead of {len(wanted)}"]
    pairs = zip(wanted.values(), found, strict=True)
    return [text for words, answer in pairs for text in _compare(words, answer)]


def _compare(words: dict[str, list[str]], answer: Answer | ParseFailure) -> Iterable[str]:
    if isinstance(answer, ParseFailure):
        if "fact" in words or "the prompt may hold them" not in str(answer.error):
            yield f"not read: {answer.error}"
        return
    read = {
        "said": _marked(answer.answer_text),
        "fact": [_marked(fact.text) for fact in answer.facts],
        "asked": _marked(answer.query or ""),
    }
    wanted = {
        "said": sorted(words.get("said", []), key=_number),
        "fact": [[word] for word in sorted(words.get("fact", []), key=_number)],
        "asked": sorted(words.get("asked", []), key=_number),
    }
    read["fact"].sort(key=lambda fact: _number(fact[0]) if fact else 0)
    for kind, written in wanted.items():
        if read[kind] != written:
            yield f"{kind}: {read[kind]} instead of {written}"
    if ("other" in words) > (Tag.MULTIPLE_CANDIDATES in answer.tags):
        yield "other: no tag says that candidates are left out"


def _marked(text: str) -> list[str]:
    return [match[0] for match in _WORD.finditer(text)]


def _number(word: str) -> int:
    return int(word.rpartition("x")[2])


def _words_in(text: str) -> dict[str, dict[str, list[str]]]:
    """Read the distinct words of each answer by their kinds."""
    by_answer: dict[str, dict[str, list[str]]] = {}
    for match in sorted(_WORD.finditer(text), key=lambda match: int(match[2])):
        found = by_answer.setdefault(match[2], {}).setdefault(match[1], [])
        if match[0] not in found:
            found.append(match[0])
    return by_answer


def _with_decoded(text: str) -> str:
    decoded = (base64.b64decode(each).decode() for each in _BASE64.findall(text))
    return "\n".join((text, *decoded))
