"""Answers and facts that are expensive to compare, at any size."""

import random
from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain, count, cycle, islice

import msgspec

from groundwatch.schemas import Record
from groundwatch.schemas.answer import Fact
from groundwatch.schemas.message import Message
from groundwatch.transforms.grounding.embedded_service import answer
from groundwatch.transforms.lexical.contradictions.unseen_values import find_unseen_values
from groundwatch.transforms.lexical.reading.answer_sentences import split_sentences
from groundwatch.transforms.rules.limits import CheckLimits
from groundwatch.transforms.rules.planning import plan_within
from groundwatch.transforms.rules.text_splitting import count_tokens
from tests.support.answer_messages import parse_answer
from tests.support.checks import CHECK_PATH, check_request

FACT_CHARS = 10_000


class Case(Record, frozen=True, kw_only=True):
    """An answer and its facts."""

    answer: str
    facts: tuple[str, ...]


def _cut(words: Iterator[str], chars: int, separator: str = " ") -> str:
    """Join words to a text of a length."""
    kept: list[str] = []
    size = 0
    while size < chars:
        word = next(words)
        kept.append(word)
        size += len(word) + len(separator)
    return separator.join(kept)[:chars]


_SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe qi ro su".split()  # noqa: SIM905 - reads best


def _word(number: int) -> str:
    """Return a word of its own for each number."""
    word = ""
    number += len(_SYLLABLES)
    while number:
        number, syllable = divmod(number, len(_SYLLABLES))
        word += _SYLLABLES[syllable]
    return word


def _prose_words(chance: random.Random) -> Iterator[str]:
    """Write sentences of some 15 words, their frequency as in prose, with names and numbers."""
    while True:
        words = [_word(min(int(chance.paretovariate(0.7)), 20_000)) for _ in range(14)]
        words[3] = words[3].capitalize()
        if chance.random() < 0.3:
            words[7] = str(chance.randrange(1, 3000))
        if chance.random() < 0.1:
            words[5] = "not"
        if chance.random() < 0.1:
            words[9:11] = ["in", "March", str(chance.randrange(1900, 2030))]
        words.insert(2, "the")
        words[0] = words[0].capitalize()
        words[-1] += "."
        yield from words


def prose(facts: int, tokens: int) -> Case:
    chance = random.Random(7)  # noqa: S311 - no secret hangs on it
    texts = tuple(_cut(_prose_words(chance), FACT_CHARS) for _ in range(facts))
    words: list[str] = []
    # Half of the claims are taken from facts, half are made of the same words.
    mine = _prose_words(chance)
    while len(words) < tokens * 15 // 16:
        text = chance.choice(texts)
        start = text.index(". ", chance.randrange(FACT_CHARS // 2)) + 2
        words += text[start : text.index(". ", start) + 1].split()
        words += islice(mine, 15)
    return Case(answer=" ".join(words[: tokens * 15 // 16]), facts=texts)


_COUNT = count(1_000_000)
"""Makes each fact differ from all others, so that nothing is known of it yet."""


def _repeat(
    fact_words: Callable[[int], Iterator[str]],
    answer_words: Callable[[], Iterator[str]],
    fact_separator: str = " ",
    answer_separator: str = " ",
    tokens_a_word: float = 1,
) -> Callable[[int, int], Case]:
    @cache
    def fact_text(number: int) -> str:
        return _cut(fact_words(number), FACT_CHARS, fact_separator)

    @cache
    def answer_text(tokens: int) -> str:
        words = list(islice(answer_words(), int(tokens / tokens_a_word)))
        while count_tokens(text := answer_separator.join(words)) > tokens:
            del words[len(words) * 15 // 16 :]
        return text

    def make(facts: int, tokens: int) -> Case:
        firsts = (f"{_word(next(_COUNT))}\n{fact_separator}" for _ in range(facts))
        texts = tuple(f"{first}{fact_text(n)}"[:FACT_CHARS] for n, first in enumerate(firsts))
        return Case(answer=answer_text(tokens), facts=texts)

    return make


def _numbers(first: int, step: int = 1) -> Iterator[str]:
    number = first
    while True:
        yield str(number)
        number += step


def _each(form: str, first: int = 0) -> Iterator[str]:
    """Fill a form with one word after another."""
    number = first
    while True:
        yield form.format(word=_word(number), Word=_word(number).capitalize(), number=number)
        number += 1


def _of(text: str) -> Callable[[], Iterator[str]]:
    return lambda: cycle(text.split(" "))


def _fact_of(text: str) -> Callable[[int], Iterator[str]]:
    return lambda number: cycle(text.format(number=number).split(" "))


def _random_words(seed: int, alphabet: str, longest: int) -> Iterator[str]:
    chance = random.Random(seed)  # noqa: S311 - no secret hangs on it
    while True:
        yield "".join(chance.choices(alphabet, k=chance.randint(1, longest)))


_ALPHABET = "abcdeABC0123456789.,:;!?-'\u2019\"()[]{}|*_#%$€\u00e9\u4e2d\u3002\u3042\U0001f600\n\t"

FAMILIES: dict[str, Callable[[int, int], Case]] = {
    "prose": prose,
    "tables of numbers": _repeat(
        lambda n: (f"| {n * 7 + i} | {i * i} | {i}.5 % |\n" for i in range(9**9)),
        lambda: _numbers(1_000_003, 7),
    ),
    "numbers": _repeat(lambda n: _numbers(n * 5_000), lambda: _numbers(1, 3)),
    "equal numbers": _repeat(_fact_of("1"), _of("1")),
    "numbers that differ in unit": _repeat(
        lambda n: (f"{i} km" for i in cycle(range(n, n + 900))),
        lambda: (f"{i} kg." for i in range(9**9)),
        tokens_a_word=3,
    ),
    "numbers of things": _repeat(
        lambda n: (f"{i} lamps." for i in cycle(range(n, n + 900))),
        lambda: (f"{i} pumps." for i in range(9**9)),
        tokens_a_word=3,
    ),
    "values of others": _repeat(
        lambda n: _each("{Word} pay 12 euros; children pay {number} euros.", 20 + n * 5_000),
        lambda: _each("For {word}, children pay 12 euros."),
        tokens_a_word=8,
    ),
    "1-1-1": _repeat(_fact_of("1-1-1-1-1-1-1-1-1"), _of("1"), "-", "-", 1 / 4),
    "1-1-1 in words": _repeat(_fact_of("1-1-1-1-1-1-1-1-1"), _of("1-1-1-1-1-1"), "-", " "),
    "1,1,1": _repeat(_fact_of("1"), _of("1"), ",", ",", 1 / 4),
    "twenty-twenty": _repeat(_fact_of("twenty"), _of("twenty"), "-", "-", 1 / 4),
    "twenty twenty": _repeat(_fact_of("twenty"), _of("twenty")),
    "numerals": _repeat(_fact_of("\u4e00"), _of("\u4e00"), "", "", 1 / 4),
    "numerals with counters": _repeat(
        _fact_of("\u5341\u5929"), _of("\u5341\u56db\u5929"), "", "", 1 / 4
    ),
    "0x": _repeat(_fact_of("0x"), _of("0x"), "", "", 1 / 4),
    "0x in words": _repeat(
        lambda n: (f"0x{i:x}0x" for i in range(n, 9**9)), lambda: (f"0x{i:x}" for i in range(9**9))
    ),
    "parts of numbers": _repeat(
        _fact_of("1a"), lambda: (f"1 {_word(i)}" for i in range(9**9)), tokens_a_word=2
    ),
    "newlines": _repeat(_fact_of("\n"), _of("\n"), "", "", 1 / 4),
    "newlines in facts": _repeat(_fact_of("\n"), lambda: _each("{word}."), "", " ", 2),
    "lines of a word": _repeat(lambda n: _each("{word}", n), lambda: _each("{word}"), "\n", "\n"),
    "spaces": _repeat(lambda _: cycle(" "), lambda: cycle(" "), "", "", 1 / 4),
    "tabs and words": _repeat(
        lambda _: cycle(["a", "\t" * 500]), lambda: cycle(["a", " " * 50]), "", "", 2
    ),
    "full stops": _repeat(_fact_of("."), _of("."), "", ""),
    "spaced full stops": _repeat(_fact_of("."), _of(".")),
    "exclamation marks": _repeat(_fact_of("!"), _of("!"), "", "", 1 / 4),
    "brackets": _repeat(_fact_of("[1]"), _of("[1]"), "", "", 1 / 4),
    "open brackets": _repeat(_fact_of("["), _of("["), "", "", 1 / 4),
    "bracketed numbers": _repeat(_fact_of("[1,"), _of("[1,"), "", "", 1 / 4),
    "quotation marks": _repeat(_fact_of(">"), _of(">"), " ", " "),
    "pipes": _repeat(_fact_of("|"), _of("|"), "", "", 1 / 4),
    "rows of pipes": _repeat(_fact_of("|||||||||\n"), _of("|a|\n"), "", ""),
    "hyphens": _repeat(_fact_of("-"), _of("-"), "", "", 1 / 4),
    "underscores": _repeat(_fact_of("_"), _of("_"), "", "", 1 / 4),
    "apostrophes": _repeat(_fact_of("a'"), _of("a'"), "", "", 1 / 4),
    "one long word": _repeat(_fact_of("a"), _of("a"), "", "", 1 / 4),
    "one long number": _repeat(_fact_of("7"), _of("7"), "", "", 1 / 4),
    "one long name": _repeat(_fact_of("B"), _of("B"), "", "", 1 / 4),
    "equal words": _repeat(_fact_of("pump"), _of("pump")),
    "equal claims": _repeat(_fact_of("pump{number} lamp."), _of("pump1 lamp."), tokens_a_word=1.5),
    "claims of equal words": _repeat(
        lambda _: cycle(["pump", "lamp."]), lambda: _each("pump {word}."), tokens_a_word=3
    ),
    "sentences of a common word": _repeat(
        lambda n: _each("pump {word}.", n * 700), lambda: _each("pump {word}x."), tokens_a_word=3
    ),
    "denied sentences of a common word": _repeat(
        lambda n: _each("no pump {word}.", n * 700), lambda: _each("pump {word}x."), tokens_a_word=3
    ),
    "words never together": _repeat(
        lambda _: cycle([_word(i) for i in range(16) for _ in range(80)]),
        lambda: cycle([*(_word(i) for i in range(15)), _word(15) + "."]),
        tokens_a_word=17 / 16,
    ),
    "pairs never together": _repeat(
        lambda _: cycle([_word(i % 40) for i in range(40) for _ in range(61)]),
        lambda: (f"{_word(i % 40)} {_word(i * 7 % 39)}." for i in range(9**9)),
        tokens_a_word=3,
    ),
    "distinct words": _repeat(lambda n: _each("{word}", n * 1500), lambda: _each("{word}", 7)),
    "short sentences": _repeat(
        lambda n: _each("{word}.", n), lambda: _each("{word}."), tokens_a_word=2
    ),
    "short lines": _repeat(
        lambda _: cycle(["ab", "cd"]), lambda: _each("{word} ab"), "\n", "\n", 2
    ),
    "names": _repeat(
        lambda n: _each("{Word}", n * 1500), lambda: _each("x{word} {Word}X."), tokens_a_word=3
    ),
    "names in one claim": _repeat(
        lambda n: _each("{Word} of", n * 1500), lambda: _each("of {Word}X"), tokens_a_word=2
    ),
    "denials": _repeat(
        lambda n: _each("not {word}", n * 700), lambda: _each("not {word}x."), tokens_a_word=3
    ),
    "denials of the same": _repeat(
        _fact_of("not pump"), lambda: _each("pump {word}."), tokens_a_word=3
    ),
    "denied values": _repeat(
        _fact_of("not pump 7 km"), lambda: _each("pump {word}."), tokens_a_word=3
    ),
    "denied words": _repeat(
        lambda n: _each("not {word}.", n * 700), lambda: _each("{word} lamp."), tokens_a_word=3
    ),
    "n't": _repeat(_fact_of("n't"), _of("n't"), "", "", 1 / 4),
    "nots": _repeat(_fact_of("not"), _of("not")),
    "years": _repeat(
        lambda _: _each("in {number}", 1000), lambda: _each("in {number}.", 1500), tokens_a_word=3
    ),
    "months": _repeat(
        lambda _: (f"{i % 28 + 1} March {1900 + i % 100}." for i in range(9**9)),
        lambda: (f"{i % 28 + 1} May {1700 + i % 100}." for i in range(9**9)),
        tokens_a_word=4,
    ),
    "days": _repeat(
        lambda _: (f"{1900 + i % 100}-03-{i % 28 + 1:02d}." for i in range(9**9)),
        lambda: (f"{1700 + i % 100}-05-{i % 28 + 1:02d}." for i in range(9**9)),
        tokens_a_word=2,
    ),
    "CJK": _repeat(
        lambda n: (chr(0x4E00 + i * 7 % 20_000) for i in range(n, 9**9)),
        lambda: (chr(0x4E00 + i * 7 % 20_000) for i in range(9**9)),
        "",
        "",
    ),
    "CJK sentences": _repeat(
        lambda n: (chr(0x4E00 + i * 7 % 3_000) + "\u3002" for i in range(n, 9**9)),
        lambda: (chr(0x4E00 + i * 7 % 3_000) + "\u3002" for i in range(9**9)),
        "",
        "",
        2,
    ),
    "CJK prose": _repeat(
        lambda n: (
            ("\u3002" if i % 24 == 23 else chr(0x4E00 + i * i % 1_009)) for i in range(n, 9**9)
        ),
        lambda: (("\u3002" if i % 24 == 23 else chr(0x4E00 + i * i % 1_009)) for i in range(9**9)),
        "",
        "",
    ),
    "full-width digits": _repeat(_fact_of("\uff11"), _of("\uff11"), "", ""),
    "all digits": _repeat(
        lambda n: _random_words(n, "0123456789", 8), lambda: _random_words(1, "0123456789", 8)
    ),
    "random text": _repeat(
        lambda n: _random_words(n, _ALPHABET, 9),
        lambda: _random_words(1, _ALPHABET, 9),
        tokens_a_word=4,
    ),
    "comma-joined words": _repeat(
        lambda n: _each("{word}", n * 1500), lambda: _each("{word}", 7), ",", ",", 1 / 16
    ),
    "sources": _repeat(_fact_of("passage 1, 2,"), _of("the passage 1,"), tokens_a_word=1),
    "sources and numbers": _repeat(
        _fact_of("document 1 and 1 and"), _of("document 1 and 1 and"), " ", " "
    ),
    "references": _repeat(_fact_of("(see source 1, "), _of("(see source 1, "), "", "", 1 / 3),
    "joined references": _repeat(_fact_of("source 1and"), _of("source 1and")),
    "spaces behind an announcement": _repeat(
        lambda _: cycle(["here is", " " * 2_000]), lambda: cycle(["here is", " " * 50]), "", "", 1
    ),
    "spaces in a row": _repeat(
        lambda _: cycle(["| a |", " " * 3_000, "x\n"]),
        lambda: cycle(["| a |", " " * 90, "x\n"]),
        "",
        "",
        2,
    ),
    "refusals": _repeat(_fact_of("does not a a"), _of("the source does not a a"), " ", " "),
    "records": _repeat(
        lambda n: (f"k{i}: {i}\n" for i in range(n, 9**9)),
        lambda: (f"k{i}: {i}\n" for i in range(9**9)),
        "",
        "",
        2,
    ),
    "records of a long name": _repeat(
        lambda _: (f"name: {'x' * 4000}\n" if i == 0 else f"k{i}: {i}\n" for i in range(9**9)),
        lambda: _each("{word}."),
        "",
        " ",
        2,
    ),
    "tables of a wide header": _repeat(
        lambda _: (
            "|" + "|".join(_word(c) for c in range(900)) + "|\n|-|\n" if i == 0 else "|a|b|c|\n"
            for i in range(9**9)
        ),
        lambda: _each("{word}."),
        "",
        " ",
        2,
    ),
    "tables of a long header": _repeat(
        lambda _: ("|" + "x" * 4_900 + "|\n|-|\n" if i == 0 else "|a|\n" for i in range(9**9)),
        lambda: _each("{word}."),
        "",
        " ",
        2,
    ),
    "frames": _repeat(_fact_of("it says that"), _of("it says that"), " ", " "),
    "footnotes": _repeat(_fact_of("[1, 2 - 3,"), _of("[1, 2 - 3,"), " ", " "),
    "list marks": _repeat(_fact_of("- - 1. "), _of("- - 1. "), " ", " "),
    "headings": _repeat(_fact_of("\n>>>>>>>### "), _of("\n>>>>>>>### "), "", ""),
    "emoji": _repeat(_fact_of("\U0001f600"), _of("\U0001f600"), "", "", 1 / 4),
    "accents": _repeat(_fact_of("\u0301\u0323"), _of("\u0301\u0323"), "", "", 1 / 4),
    "signs without width": _repeat(_fact_of("a\u200b"), _of("a\u200b"), "", "", 1 / 4),
    "ligatures": _repeat(_fact_of("\ufb03"), _of("\ufb03"), "", "", 1 / 4),
    "escapes": _repeat(_fact_of(r',"\"'), _of(r',"\"'), "", "", 1 / 4),
    "open quotation marks": _repeat(_fact_of('{{"a":'), _of(r'{"a":\"'), "", "", 1 / 4),
    "objects in objects": _repeat(
        lambda _: chain(['{"a":'] * 900, ["1"], ["}"] * 900, cycle(" ")), _of("a"), "", " "
    ),
    "a list of a long name": _repeat(
        lambda _: chain([f'{{"{"x" * 4_000}":['], ["1,"] * 2_000, ["1]}"], cycle(" ")),
        _of("a"),
        "",
        " ",
    ),
    "n not": _repeat(_fact_of("nnnnnnnn"), _of("nnnnnnnn"), "", "", 1 / 4),
}
"""By name; each makes an answer of so many tokens and so many facts of 10,000 characters."""


def check(case: Case) -> object:
    """Have the embedded checker score the claims, and compare them with the facts."""
    reply = answer("POST", CHECK_PATH, msgspec.json.encode(check_request(case.answer, *case.facts)))
    if reply.status != 200:
        raise ValueError(reply.body)
    return reply


def name_values(case: Case) -> object:
    """Look for values that no fact has, in some of the facts: each is read to its end."""
    claims = [sentence.text for sentence in split_sentences(case.answer)]
    return find_unseen_values(claims, [(text, {}) for text in case.facts[::4]])


def plan(case: Case) -> object:
    """Plan the calls of the answer."""
    limits = CheckLimits(max_facts=max(1, len(case.facts) // 2))
    return plan_within(case.answer, [Fact(text=text) for text in case.facts], limits, 20)


def split(case: Case) -> object:
    """Plan the calls of an answer whose facts are one text."""
    return plan_within(case.answer, [Fact(text="\n".join(case.facts))], CheckLimits(), 1_000)


def parse(case: Case) -> object:
    """Parse the answer's message."""
    message = {"answer": case.answer, "facts": case.facts}
    return parse_answer(Message(payload=msgspec.json.encode(message), place="a:1"))


STAGES: dict[str, Callable[[Case], object]] = {
    "check": check,
    "name values": name_values,
    "plan": plan,
    "split": split,
    "parse": parse,
}
