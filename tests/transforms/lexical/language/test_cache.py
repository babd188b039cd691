"""The caches of words and facts."""

import tracemalloc

import pytest

from groundwatch.transforms.lexical.language.cache import CachedAttribute, FactCache, WordCache


def test_a_word_is_computed_once() -> None:
    asked: list[str] = []
    length_of = WordCache[int](lambda word: asked.append(word) or len(word)).__getitem__
    assert [length_of("lamps"), length_of("lamps"), length_of("glow")] == [5, 5, 4]
    assert asked == ["lamps", "glow"]


def test_a_long_word_is_not_cached() -> None:
    cache = WordCache(len)
    assert (cache["x" * 41], cache["x" * 40]) == (41, 40)
    assert list(cache) == ["x" * 40]


def test_a_full_cache_of_words_drops_the_half_that_was_used_least_recently() -> None:
    asked: list[str] = []
    cache = WordCache[int](lambda word: asked.append(word) or len(word), max_bytes=200_000)
    for number in range(2_000):
        assert (cache[f"w{number}"], cache["often"]) == (len(f"w{number}"), 5)
    assert asked.count("often") == 1
    assert len(cache) <= 200_000 / 2 / 110
    asked.clear()
    assert (cache["w0"], cache["w1999"]) == (2, 5)
    assert asked == ["w0"]


@pytest.mark.parametrize("alphabet", ["abcdefghij", "".join(map(chr, range(0x4E00, 0x4E0A)))])
@pytest.mark.parametrize("chars", [8, 40])
def test_a_cache_of_words_holds_no_more_than_its_bytes(alphabet: str, chars: int) -> None:
    cache = WordCache[tuple[str, bytes]](
        lambda word: (word[:6], bytes(1)), max_bytes=400_000, bytes_of_value=150
    )
    tracemalloc.start()
    try:
        for number in range(4_000):
            digits = f"{number:0{chars}}"
            assert cache["".join(alphabet[int(digit)] for digit in digits)]
        held_bytes, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held_bytes < 500_000


def test_facts_are_computed_once_alone_and_together() -> None:
    asked: list[object] = []
    cache = FactCache[str, int](lambda fact: asked.append(fact) or len(fact))
    together = FactCache[tuple[str, ...], int](lambda facts: asked.append(facts) or len(facts))
    assert [cache["Lamps glow."], cache["Lamps glow."]] == [11, 11]
    assert [together["a", "b"], together["a", "b"]] == [2, 2]
    assert asked == ["Lamps glow.", ("a", "b")]


def test_a_full_cache_of_facts_drops_the_least_recently_used_half() -> None:
    asked: list[str] = []
    cache = FactCache[str, int](lambda fact: asked.append(fact) or len(fact), max_chars=2_000)
    a, b, c, d, e = (letter * 400 for letter in "abcde")
    assert [cache[fact] for fact in (a, b, c)] == [400, 400, 400]
    assert [cache[fact] for fact in (a, d, e)] == [400, 400, 400]
    assert asked == [a, b, c, d, e]
    assert [cache[fact] for fact in (a, b)] == [400, 400]
    assert asked == [a, b, c, d, e, b]


def test_a_fact_longer_than_half_of_the_cache_is_not_cached() -> None:
    cache = FactCache[str, int](len, max_chars=2_000)
    assert (cache["a" * 950], cache["b" * 951]) == (950, 951)
    assert [*cache] == ["a" * 950]


def test_an_attribute_is_computed_at_its_first_use() -> None:
    computed = []

    class Lamp:
        @CachedAttribute
        def watts(self) -> int:
            computed.append(self)
            return 60

    first, second = Lamp(), Lamp()
    assert (first.watts, first.watts, second.watts) == (60, 60, 60)
    assert computed == [first, second]
