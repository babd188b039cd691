"""What is remembered of words."""

from transforms.rules.memory import Memory, remembered_together


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


def test_what_is_read_of_facts_together_is_remembered_unless_they_are_long() -> None:
    read: list[tuple[str, ...]] = []
    count = remembered_together(lambda facts: read.append(facts) or len(facts))
    short, long = ("lamps", "x" * 49_995), ("lamps", "x" * 49_996)
    assert [count(short), count(short), count(long), count(long)] == [2, 2, 2, 2]
    assert read == [short, long, long]
