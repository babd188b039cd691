"""Answers in every form read as the statement in them: its verdict, its bytes, its words."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.schemas.wire.grounding_check import CheckResponse
from groundwatch.transforms.lexical.check_claims import check_grounding
from groundwatch.transforms.lexical.reading.answer_sentences import split_sentences
from groundwatch.transforms.lexical.reading.citation_marks import Sources
from groundwatch.transforms.lexical.reading.plain_text import read_plain
from tests.support.answer_forms import forms_around, forms_inside
from tests.support.checks import check_request

# ruff: noqa: RUF001 - the marks and brackets of several scripts are tested here

RIGHT = "Refunds are paid within 14 days to the original card."
WRONG = RIGHT.replace("14", "44")
FACTS = (RIGHT, "Opened items cannot be returned.")
SOURCES = Sources(count=2, names=frozenset({"refund policy"}))


def check(answer: str) -> CheckResponse:
    return check_grounding(check_request(answer, *FACTS))


def lowest(response: CheckResponse) -> float:
    return min(claim.score for claim in response.claims if claim.score is not None)


def words(answer: str) -> str:
    return read_plain(answer, SOURCES).text


@pytest.mark.parametrize(
    "answer", [*forms_around(RIGHT), *forms_inside("14"), f"{RIGHT} [1]: https://example.com/a"]
)
def test_a_right_statement_is_supported_in_every_form(answer: str) -> None:
    response = check(answer)
    assert lowest(response) > 0.6, response.claims
    assert not any(claim.mismatches for claim in response.claims)


@pytest.mark.parametrize("answer", [*forms_around(WRONG), *forms_inside("44")])
def test_a_wrong_statement_contradicts_in_every_form(answer: str) -> None:
    claims = check(answer).claims
    assert [each.kind for claim in claims for each in claim.mismatches or ()] == ["NUMBER"]


LEADS = [
    *("❌ ", "✅ ", "(", "A: ", "**A:** ", "Answer: ", "**Assistant**: ", "- ", '"', "> "),
    *("👉 **", "🙂 "),
]


@pytest.mark.parametrize("lead", LEADS)
def test_yes_and_no_are_read_behind_signs_and_speakers(lead: str) -> None:
    fact = "Opened items cannot be returned."
    denied = check_grounding(check_request(f"{lead}No, opened items cannot be returned.", fact))
    stated = check_grounding(check_request(f"{lead}Yes, opened items can be returned.", fact))
    assert lowest(denied) > 0.6
    assert not denied.claims[0].mismatches
    assert lowest(stated) < 0.4


@pytest.mark.parametrize("answer", [*forms_around(RIGHT), *forms_around(f"Ménage 料金: {RIGHT}")])
def test_offsets_cut_the_statement_out_of_the_answer(answer: str) -> None:
    claims = check(answer).claims
    data = answer.encode()
    assert all(
        data[claim.start_pos : claim.end_pos].decode() == claim.claim_text for claim in claims
    )
    assert sum(RIGHT in claim.claim_text for claim in claims) == 1


_PIECES = [
    *"[](){}<>*_`~|#!&\\^:\"'=/",
    *("\n", " ", ". ", "```", "**", "<b>", "</b>", "<cite>", "</cite>", "<br>", "<li>", "<td>"),
    *("<th>", "<tr>", "</tr>", "<think>", "</think>", "<a href='u'>", "</a>", "[1]", "](u)"),
    *("&nbsp;", "&amp;", "https://x.example", "【", "】", "（", "²", "\ue200", "\ue201", "é"),
    *("|---|", "\nSources:\n", '{"', '": "', '"}', '{"name": "', "turn0search0", "- ", "1. "),
]


@st.composite
def _marked_texts(draw: st.DrawFn) -> tuple[str, list[str]]:
    """Draw marks with different words between them."""
    marks = draw(st.lists(st.lists(st.sampled_from(_PIECES), max_size=4).map("".join)))
    found = [
        f"word{'abcdefghijklmnopqrstuvwxyz'[place % 26]}q{place}x" for place in range(len(marks))
    ]
    return "".join(mark + word for mark, word in zip(marks, found, strict=True)), found


@given(_marked_texts())
def test_spans_are_in_order_and_have_the_words_of_their_sentences(
    drawn: tuple[str, list[str]],
) -> None:
    answer, marked = drawn
    data = answer.encode()
    seen = 0
    for sentence in split_sentences(answer, SOURCES):
        assert seen <= sentence.start_byte < sentence.end_byte
        cut = data[sentence.start_byte : sentence.end_byte].decode()
        assert all(word in cut for word in marked if word in sentence.text)
        seen = sentence.end_byte


@given(_marked_texts())
def test_no_word_is_left_out_unless_a_rule_took_it(drawn: tuple[str, list[str]]) -> None:
    answer, marked = drawn
    plain = read_plain(answer, SOURCES)
    compared = " ".join(sentence.text for sentence in split_sentences(answer, SOURCES))
    taken = [
        stage.source[edit.start : edit.end]
        for stage in plain.stages
        for edit in stage.edits
        # What is left out, or a name in JSON, which begins a line.
        if not edit.text.strip(" \n|#->") or edit.text.startswith("\n")
    ]
    for word in marked:
        assert word in compared or any(word in part for part in taken)


_CHARS = st.characters(exclude_categories=["Cs"])


@given(st.lists(_CHARS | st.sampled_from(_PIECES)).map("".join))
def test_any_text_is_read(answer: str) -> None:
    for sentence in split_sentences(answer, SOURCES):
        assert answer.encode()[sentence.start_byte : sentence.end_byte].decode()


@pytest.mark.parametrize(
    ("answer", "plain"),
    [
        ("Use <your-name> and a < b.", "Use <your-name> and a < b."),
        ("List<String> holds x.", "List<String> holds x."),
        ("2 * 3 and 5*3 are snake_case.", "2 * 3 and 5*3 are snake_case."),
        ("About ~5 days.", "About ~5 days."),
        ("10² m² and 10^2", "10² m² and 10^2"),
        ("CO<sub>2</sub> and 5 m<sup>2</sup>", "CO2 and 5 m²"),
        ("Lamps (12 of them) glow.", "Lamps (12 of them) glow."),
        ("Lamps (in the shop) glow.", "Lamps (in the shop) glow."),
        ("Lamps [web orders only] glow.", "Lamps [web orders only] glow."),
        ("(web orders: 99 days)", "(web orders: 99 days)"),
        ("【返金は99日以内に行われます】", "返金は99日以内に行われます"),
        ("【返金は行われます】", "【返金は行われます】"),
        ("It takes [99] days.", "It takes 99 days."),
        ("It takes {99} days.", "It takes 99 days."),
        ("It takes [99](https://x.example) days.", "It takes 99 days."),
        ("Their number is [99].", "Their number is 99."),
        ("The code is `a_b *c* <d>`.", "The code is a_b *c* <d>."),
        (r"5 \* 3 \[x\]", "5 * 3 [x]"),
        ("A &amp; B &lt;5", "A & B <5"),
        ("AT&T; and &unknown;", "AT&T; and &unknown;"),
        ("Our site is https://x.example/a.", "Our site is https://x.example/a."),
        ("<b", "<b"),
        ("<!-- never closed", "<!-- never closed"),
        ("The tag <think> is closed.", "The tag is closed."),
    ],
)
def test_what_is_no_markup_is_text(answer: str, plain: str) -> None:
    assert " ".join(words(answer).split()) == plain


@pytest.mark.parametrize(
    "mark",
    [
        *("[1]", "[2,3]", "[1][2]", "[^1^]", "[^1]", "[1-3]", "[doc1]", "[doc-2]", "[source:2]"),
        *("[citation:2]", "[cite:1]", "[kb-123]", "[1†source]", "【4:0†source】", "【1†faq.pdf】"),
        *("^1^", "¹²", "{1}", "<cite>2</cite>", "<sup>2</sup>", "[faq.pdf]", "[docs/faq.md]"),
        *("[1](https://example.com/a)", "[#1]", "[ref-3]", "[9]", "[4,7]", "[ID=77]", "<2>"),
        *("[Doc 2]", "[Source 1]", "[source: 2]", "[2, 3]", "[Document 2]", "[1, p. 3]"),
        *("(Source: faq.pdf)", "(Source: faq.pdf, p. 3)", "(p. 12)", "(see page 3)", "(Fig. 3)"),
        *("(FAQ, section 2)", "(Document 2)", "(https://example.com/faq)", "(Quelle: faq.pdf)"),
        *("(see below)", "[Refund policy]", "(Refund Policy)", "[Refund policy, p. 3]"),
        *("（参考：2）", "(Source: Refund policy)", "[citation needed]", "<a href='u'>[1]</a>"),
        *("(see FAQ)", "(see the fees section)", "[Source: Help Center]", "[Ref. 3]", "[ref_2]"),
        *("[[1]](https://example.com/faq)", "(1)(2)"),
    ],
)
def test_citation_marks_of_any_vendor_are_left_out(mark: str) -> None:
    assert words(f"Lamps cost 12 euros {mark}.") == "Lamps cost 12 euros."
    assert words(f"Lamps cost 12 euros.{mark}") == "Lamps cost 12 euros."


@pytest.mark.parametrize(
    ("answer", "plain"),
    [
        ("<ul><li>A</li><li>B</li></ul>", "- A\n- B"),
        ("<h2>Title</h2>Text", "# Title\nText"),
        ("<p>One</p><p>Two</p>", "One\nTwo"),
        (
            "<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>",
            "| A | B |\n|---|\n| 1 | 2 |",
        ),
        ('{"price": 12, "returnable": false, "id": 7, "ok": null}', "price: 12\nreturnable: no"),
        (r'{"answer": "F\u00fcr 12 \u20ac.\nNo refunds at all."}', "Für 12 €.\nNo refunds at all."),
        ('{"a": {"source": {"x": "y z"}, "text": "It is here."}}', "It is here."),
        ('{"unfinished": "a', '{"unfinished": "a'),
    ],
)
def test_html_and_json_are_read_as_lines(answer: str, plain: str) -> None:
    lines = [line.strip() for line in words(answer).split("\n") if line.strip()]
    assert "\n".join(lines) == plain


@pytest.mark.parametrize(
    "piece",
    [
        *("<", "<a ", "<a '", "<b>", "<!--", "<script>", "&", "&#", "\\", "`", "``a", "\n```\n"),
        *("*", "_", "~~", "[", "[a](", "[[", "](", "(", "(a", "{", '{"name":', '\n{"name": {'),
        *("【", "^1", "²", "\ue200", "cite", "https://", "https://a ", "www.", "turn0a", "[1]"),
        *("<think>", "</think>", "|", "|-", "\n|-|\n", "Sources:\n", "- [x] ", "Thought:", "# "),
        *("**a**\n", "```\na\n```\n", "a:\n```\nb\n```\n", "a:\n", "- [1] a\n", "# a\n"),
        *("<b>a</b>\n", "| a |\n|---|\n| b |\n", "<tr><th>a</th></tr>", '{"name": "a"}\n'),
        *("</script>", "No, "),
        *('<a "" ', "<a '<a \"", "<sup><a>", "<cite>1", "[1](a(b", '{"a":', "[a\\]", "( ", "（"),
    ],
)
def test_hostile_markup_takes_linear_time(piece: str) -> None:
    def seconds(repeats: int) -> float:
        text = piece * repeats
        started_s = time.process_time()
        split_sentences(text, SOURCES)
        return time.process_time() - started_s

    few = 5_000 // len(piece)
    limit_s = 24 * max(seconds(few), 0.01)
    # The collection of garbage may fall into one.
    assert seconds(8 * few) < limit_s or seconds(8 * few) < limit_s
