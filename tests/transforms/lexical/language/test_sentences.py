"""Texts of several scripts cut into sentences."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.transforms.lexical.language.sentences import locate_sentences

# ruff: noqa: RUF001 - the punctuation of several scripts is tested here


def texts(text: str) -> list[str]:
    return [piece for _, piece in locate_sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", [], id="empty"),
        pytest.param(" \n\t\r\n", [], id="white space"),
        pytest.param("...\n!?", [], id="marks only"),
        pytest.param("One. Two! Three?", ["One.", "Two!", "Three?"], id="three ends"),
        pytest.param("no end", ["no end"], id="no mark"),
        pytest.param("One.Two", ["One.Two"], id="mark without space"),
        pytest.param("First line\nsecond line", ["First line", "second line"], id="lines"),
        pytest.param("One.\r\nTwo.", ["One.", "Two."], id="windows line ends"),
        pytest.param('He said "go." Then left.', ['He said "go."', "Then left."], id="quotes"),
        pytest.param('Go. "now" is late.', ["Go.", '"now" is late.'], id="quote follows"),
        pytest.param("**Bold.** Plain.", ["**Bold.**", "Plain."], id="bold"),
        pytest.param(
            "It holds.[1] So does this.", ["It holds.[1]", "So does this."], id="footnote"
        ),
        pytest.param(
            "I am 21. My room is 3. Maine is far.",
            ["I am 21.", "My room is 3.", "Maine is far."],
            id="numbers",
        ),
        pytest.param("De 9 h à 19 h. Oui.", ["De 9 h à 19 h.", "Oui."], id="unit"),
        pytest.param("Can I? So no. Bookings end.", ["Can I?", "So no.", "Bookings end."], id="no"),
        pytest.param("What?! Really?", ["What?!", "Really?"], id="two marks together"),
        pytest.param(
            "thanks for writing. refunds take 14 days, e.g. by card. ok?",
            ["thanks for writing.", "refunds take 14 days, e.g. by card.", "ok?"],
            id="a line in lower case",
        ),
        pytest.param("it takes... a while. yes.", ["it takes... a while.", "yes."], id="ellipsis"),
        pytest.param("Mind the gap.\none. two.", ["Mind the gap.", "one.", "two."], id="by line"),
    ],
)
def test_a_sentence_ends_at_its_mark_or_its_line(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        pytest.param("Dr. Smith met Mrs. Jones in Jan. 2020.", id="titles and months"),
        pytest.param("Use a tool, e.g. Hammer No. 5, at 5 p.m. Eastern.", id="abbreviations"),
        pytest.param("The rate is 3.14 percent, or v1.2.3.", id="decimals"),
        pytest.param("J. R. R. Tolkien wrote it.", id="initials"),
        pytest.param("He waited... and then went.", id="lower case follows"),
        pytest.param("We repair... iPhones.", id="lower case before upper case follows"),
        pytest.param("See (Fig. 3) for it.", id="abbreviation behind a bracket"),
        pytest.param("It holds approx. 5 litres.", id="the longest abbreviation"),
        pytest.param("The U.S. Senate met.", id="country"),
        pytest.param("Er kam am 3. Mai 2024 an.", id="German date"),
        pytest.param("Our shop – Lampen Müller – is in Berlin.", id="a name between dashes"),
        pytest.param("Lamps of the new series | Lamp World", id="a title with a name"),
        pytest.param("Es stammt aus dem 20. Jahrhundert.", id="German ordinal"),
        pytest.param("Sie wohnt in Haus Nr. 5 bzw. Haus Nr. 6.", id="German abbreviations"),
    ],
)
def test_a_full_stop_inside_a_sentence_does_not_end_it(sentence: str) -> None:
    assert texts(sentence) == [sentence]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param("- item one. Item two.", ["item one.", "Item two."], id="hyphen"),
        pytest.param("* item", ["item"], id="star"),
        pytest.param("• item", ["item"], id="bullet"),
        pytest.param("– item", ["item"], id="dash"),
        pytest.param("1. First thing", ["First thing"], id="1."),
        pytest.param("12) Twelfth thing", ["Twelfth thing"], id="12)"),
        pytest.param("(1) First thing", ["First thing"], id="(1)"),
        pytest.param("a) First thing", ["First thing"], id="a)"),
        pytest.param("(a) First thing", ["First thing"], id="(a)"),
        pytest.param("IV. Fourth thing", ["Fourth thing"], id="IV."),
        pytest.param("  - 2. Nested thing", ["Nested thing"], id="two marks"),
        pytest.param("2024 was good.", ["2024 was good."], id="a year is not a mark"),
        pytest.param("-5 degrees", ["-5 degrees"], id="a minus is not a mark"),
        pytest.param("*Emphasis* here", ["*Emphasis* here"], id="emphasis is not a mark"),
        pytest.param("## 2. Heading", ["Heading"], id="heading"),
        pytest.param("#hashtag", ["#hashtag"], id="a hashtag is not a heading"),
        pytest.param("> quoted words.", ["quoted words."], id="quotation"),
        pytest.param("| Plan | Price. Monthly |", ["Plan | Price. Monthly"], id="table row"),
        pytest.param("| X ray | Model X |", ["X ray | Model X"], id="a cell's own letters"),
        pytest.param("|---|:--:|", [], id="table separator"),
        pytest.param("--- | ---", [], id="bare separator"),
        pytest.param("```python", [], id="code fence"),
        pytest.param("1.", [], id="a mark alone"),
    ],
)
def test_markdown_around_a_sentence_is_left_out(line: str, expected: list[str]) -> None:
    assert texts(line) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("こんにちは。また明日！", ["こんにちは。", "また明日！"], id="japanese"),
        pytest.param("「はい。」と答えた。", ["「はい。」", "と答えた。"], id="japanese quote"),
        pytest.param("你好吗？我很好。", ["你好吗？", "我很好。"], id="chinese"),
        pytest.param("كيف حالك؟ أنا بخير.", ["كيف حالك؟", "أنا بخير."], id="arabic"),
        pytest.param("یہ سچ ہے۔ وہ نہیں۔", ["یہ سچ ہے۔", "وہ نہیں۔"], id="urdu"),
        pytest.param("यह सच है। वह नहीं।", ["यह सच है।", "वह नहीं।"], id="hindi"),
    ],
)
def test_other_scripts_end_sentences_their_own_way(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


_PIECES = st.sampled_from(
    [
        ". ",
        "。",
        "\n",
        "- ",
        "1. ",
        "| ",
        "#",
        "e.g. ",
        "é",
        "日本",
        "🙂",
        "A",
        "b",
        "...",
        '."',
        "[1]",
    ]
)
_TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"])), st.lists(_PIECES).map("".join)
)


@given(_TEXTS)
def test_spans_cut_their_sentences_in_order_and_without_overlap(text: str) -> None:
    seen = 0
    for start, piece in locate_sentences(text):
        assert seen <= start
        assert text[start : start + len(piece)] == piece == piece.strip()
        seen = start + len(piece)


@given(_TEXTS)
def test_every_letter_and_digit_outside_marks_and_fences_is_in_a_sentence(text: str) -> None:
    plain = "x " + " ".join(text.replace("`", "").replace("~", "").split())
    kept = "".join(texts(plain))
    assert list(filter(str.isalnum, kept)) == list(filter(str.isalnum, plain))


@pytest.mark.parametrize("piece", [".", "a", "| ", ". a", ".)", " ", ">", "a.", "é. ", "[1].", "-"])
def test_the_work_grows_with_the_text_and_not_with_its_square(piece: str) -> None:
    started_s = time.process_time()
    assert len(texts(piece * 50_000)) <= 50_000
    assert time.process_time() - started_s < 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "To reset: 1. Open the app. 2. Tap Settings.",
            ["To reset:", "Open the app.", "Tap Settings."],
        ),
        ("Steps: 1) Open the app 2) Tap Reset", ["Steps:", "Open the app", "Tap Reset"]),
        ("It takes 1. Then 5. Wait.", ["It takes 1.", "Then 5.", "Wait."]),
        ("Version 2. Open it.", ["Version 2.", "Open it."]),
    ],
)
def test_the_numerals_of_a_list_in_a_line_are_no_sentences(text: str, expected: list[str]) -> None:
    assert texts(text) == expected
