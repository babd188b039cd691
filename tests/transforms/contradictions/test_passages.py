"""The sentences of facts that a claim is compared with."""

from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.contradictions.parsed_sentence import ParsedSentence
from transforms.contradictions.passages import NearSentence, Passage, Sentences, nearest

WORDS = ["Two", "two", "2", "1,000", "lamps", "lamp's", "Stra\u00dfe", "\u0130slam", "not", "glow"]
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=1).map(lambda words: f"{' '.join(words)}.")
FACTS = st.lists(st.lists(SENTENCES, max_size=4).map("\n".join), max_size=4)


def sentences_of(facts: list[str]) -> Sentences:
    return Sentences(list(enumerate(map(Passage, facts))))


def plain_near(claim: ParsedSentence, facts: list[str]) -> list[tuple[int, str, int]]:
    """Compare a claim with each sentence."""
    parsed = (
        (number, ParsedSentence(text))
        for number, fact in enumerate(facts)
        for text in Passage(fact).texts
    )
    counted = [(len(claim.content & each.content), each.text, number) for number, each in parsed]
    return [each for each in counted if each[0] and 2 * each[0] >= len(claim.content) - 1]


@settings(deadline=None)
@given(SENTENCES, FACTS)
def test_sentences_with_half_of_a_claims_words_but_one_are_near(
    claim: str, facts: list[str]
) -> None:
    parsed = ParsedSentence(claim)
    found = sentences_of(facts).near(parsed.content)
    assert [(near.shared, near.sentence.text, near.fact) for near in found] == plain_near(
        parsed, facts
    )
    assert all(near.content == near.sentence.content for near in found)


@settings(deadline=None)
@given(st.sampled_from(["lamps", "glow", "2", "1000"]), FACTS)
def test_a_word_is_found_in_each_sentence_that_has_it(form: str, facts: list[str]) -> None:
    form = next(iter(ParsedSentence(form).content))
    texts = [text for fact in facts for text in Passage(fact).texts]
    found = [sentence.text for sentence in sentences_of(facts).with_word(form)]
    assert found == [text for text in texts if form in ParsedSentence(text).content]


def test_the_nearest_sentence_is_the_first_with_most_words() -> None:
    claim = ParsedSentence("Red lamps glow brightly.")
    facts = ["Lamps hum.", "Green lamps glow. Red lamps hum."]
    near = sentences_of(facts).near(claim.content)
    assert isinstance(near[0], NearSentence)
    found = nearest(near, claim)
    assert found
    assert (found.sentence.text, found.fact) == ("Green lamps glow.", 1)
    assert nearest(near[:0], claim) is None
