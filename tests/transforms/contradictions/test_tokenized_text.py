"""A sentence as tokens."""

from hypothesis import given
from hypothesis import strategies as st

from transforms.contradictions.tokenized_text import TokenizedText, first_content

TEXTS = st.text(st.sampled_from("ab\u00c9T 12-,.'n \n\u6771%"))


@given(TEXTS)
def test_tokens_say_where_they_stand_and_cross_no_white_space(text: str) -> None:
    tokens = TokenizedText(text).tokens
    assert [text[token.start : token.end] for token in tokens] == [token.text for token in tokens]
    assert [token.start for token in tokens] == sorted(token.start for token in tokens)
    pieces = [TokenizedText(piece).tokens for piece in text.split()]
    assert [token.text for token in tokens] == [token.text for piece in pieces for token in piece]


@given(TEXTS, st.integers(1, 5))
def test_the_first_content_word_is_found_without_tokens(text: str, most: int) -> None:
    content = [token.form for token in TokenizedText(text).tokens[:most] if token.is_content]
    assert first_content(text, most) == next(iter(content), None)


@given(TEXTS)
def test_content_is_what_the_tokens_say(text: str) -> None:
    statement = TokenizedText(text)
    assert statement.content == {token.form for token in statement.tokens if token.is_content}
