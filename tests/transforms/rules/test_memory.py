"""What is remembered of words and facts."""

from transforms.rules.memory import FactMemory, Memory, read_once


def test_a_word_is_asked_about_once() -> None:
    asked: list[str] = []
    length_of = Memory[int](lambda word: asked.append(word) or len(word)).__getitem__
    assert [length_of("lamps"), length_of("lamps"), length_of("glow")] == [5, 5, 4]
    assert asked == ["lamps", "glow"]


def test_a_word_too_long_to_remember_is_asked_about_each_time() -> None:
    memory = Memory(len)
    assert (memory["x" * 41], memory["x" * 40]) == (41, 40)
    assert list(memory) == ["x" * 40]


def test_a_full_memory_begins_anew() -> None:
    memory = Memory(len)
    for number in range(65_537):
        assert memory[f"w{number}"] == len(f"w{number}")
    assert len(memory) == 1


def test_facts_are_read_once_by_themselves_and_together() -> None:
    asked: list[object] = []
    memory = FactMemory[str, int](lambda fact: asked.append(fact) or len(fact))
    together = FactMemory[tuple[str, ...], int](lambda facts: asked.append(facts) or len(facts))
    assert [memory["Lamps glow."], memory["Lamps glow."]] == [11, 11]
    assert [together["a", "b"], together["a", "b"]] == [2, 2]
    assert asked == ["Lamps glow.", ("a", "b")]


def test_a_memory_of_facts_forgets_those_asked_for_longest_ago() -> None:
    asked: list[str] = []
    memory = FactMemory[str, int](lambda fact: asked.append(fact) or len(fact), most_chars=2_000)
    a, b, c, d, e = (letter * 400 for letter in "abcde")
    assert [memory[fact] for fact in (a, b, c)] == [400, 400, 400]
    assert [memory[fact] for fact in (a, d, e)] == [400, 400, 400]
    assert asked == [a, b, c, d, e]
    assert [memory[fact] for fact in (a, b)] == [400, 400]
    assert asked == [a, b, c, d, e, b]


def test_a_fact_too_long_for_half_of_the_memory_is_not_remembered() -> None:
    memory = FactMemory[str, int](len, most_chars=2_000)
    assert (memory["a" * 950], memory["b" * 951]) == (950, 951)
    assert [*memory] == []
    assert memory["a" * 950] == 950
    assert [*memory] == ["a" * 950]


def test_what_is_read_once_is_kept_by_its_object() -> None:
    class Text:
        asked = 0

        @read_once
        def length(self) -> int:
            """How long it is."""
            self.asked += 1
            return 5

    text, other = Text(), Text()
    assert [text.length, text.length, text.asked] == [5, 5, 1]
    assert [other.asked, other.length, other.asked] == [0, 5, 1]
    assert Text.__dict__["length"].__doc__ == "How long it is."
