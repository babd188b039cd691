"""The native core gives what the Python code gives."""

import gc
import sys
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from schemas.wire.grounding_check import CheckRequest, CheckResponse, GroundingFact, GroundingSpec
from tests.support.native_core import ABSENT, native_core
from transforms.contradictions.parsed_sentence import Features
from transforms.grounding.local import scoring, words
from transforms.grounding.local.embedded_check import check_grounding
from transforms.grounding.local.words import ClaimWords, TokenKind

pytestmark = pytest.mark.skipif(native_core() is None, reason=ABSENT)

FORMS = st.sampled_from(
    ["red", "lamps", "glow", "the", "7", "rome", "\u6771", "\u00e9t\u00e9", "x\U0001f600"]
)
KINDS = st.sampled_from([*TokenKind])
CLAIMS = st.lists(st.lists(st.tuples(FORMS, KINDS), min_size=1, max_size=12), max_size=4)
FACTS = st.lists(st.lists(FORMS | st.text(max_size=2), max_size=200), max_size=12)


@given(CLAIMS, FACTS)
def test_it_counts_what_facts_have_of_claims(
    claims: list[list[tuple[str, TokenKind]]], facts: list[list[str]]
) -> None:
    read = [
        ClaimWords([form for form, _ in claim], bytes(kind for _, kind in claim), Features(0, []))
        for claim in claims
    ]
    expected = [
        (together, list(alone))
        for together, alone in scoring._compare(read, scoring.find_in_facts(read, facts))
    ]
    given = [(claim.forms, claim.kinds) for claim in read]
    assert native_core().compare(given, facts, 8, 1 / 3, 60) == expected


PIECES = st.text(st.sampled_from("aB1.'\u2019\u00c9\u6771\U0001f600\u0130\ud800"), max_size=5)
SPACES = st.sampled_from([" ", "\n", "\u00a0", "\u2028", "\x1c", "\u3000", "\u200b"])


def table(**limits: int) -> Any:
    limits = {"max_pieces": 100, "max_chars": 40} | limits
    return native_core().PieceTable(words._read_piece, limits["max_pieces"], limits["max_chars"])


@given(st.lists(st.text() | PIECES | SPACES).map("".join), st.integers(1, 9))
def test_it_reads_the_words_of_any_text(text: str, limit: int) -> None:
    small = table(max_pieces=limit, max_chars=limit)
    for _ in range(2):
        forms, kinds, features = small.words(text)
        expected = words._join_pieces(text)
        assert (forms, kinds, features) == expected


def test_a_table_grows_and_is_emptied() -> None:
    many = table(max_pieces=5_000)
    text = " ".join(f"w{number}x" for number in range(12_000))
    assert many.words(text)[0] == words._join_pieces(text)[0]
    assert many.words(text)[0][:3] == ["w", "0", "x"]


def test_a_table_may_be_used_by_what_reads_its_pieces() -> None:
    def read(piece: str) -> tuple[tuple[str, ...], bytes, None]:
        if len(piece) > 1:
            inner.words(" ".join([*piece, piece[1:]]))
        return (piece,), b"\1", None

    inner = native_core().PieceTable(read, 3, 40)
    assert inner.words("abcdef abc")[0] == ["abcdef", "abc"]


def test_the_error_of_what_reads_a_piece_is_raised() -> None:
    def fail(piece: str) -> tuple[tuple[str, ...], bytes, None]:
        raise LookupError(piece)

    with pytest.raises(LookupError, match="lamps"):
        native_core().PieceTable(fail, 3, 40).words("lamps glow")


@pytest.mark.parametrize("value", [None, (), ([], b"", 0), ((), "", 0), ((), b"")])
def test_a_wrong_reading_is_an_error(value: object) -> None:
    with pytest.raises(TypeError, match="forms, kinds and features"):
        native_core().PieceTable(lambda _: value, 3, 40).words("lamps")


@pytest.mark.parametrize(
    ("claims", "facts"),
    [
        ([(["a"], b"")], []),
        ([(["a"], "1")], []),
        ([([1], b"\1")], []),
        ([["a"]], []),
        ([(["a"], b"\1")], ["a"]),
        ([(["a"], b"\1")], [[None]]),
        ((), []),
    ],
)
def test_wrong_arguments_are_errors(claims: Any, facts: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        native_core().compare(claims, facts, 8, 1 / 3, 60)


def test_nothing_leaks() -> None:
    form, fact = "a form of its own", ["x", "a form of its own"]
    claims = [([form, "x"], b"\1\1")]

    def objects_after(rounds: int) -> int:
        for _ in range(rounds):
            native_core().compare(claims, [fact] * 20, 8, 0.0, 60)
            table(max_pieces=3).words("Lamps glow red and very bright")
        gc.collect()
        return sys.getrefcount(form) + sys.getrefcount(fact) + len(gc.get_objects())

    before = objects_after(1)
    assert objects_after(500) < before + 100


CHARACTERS = "aB c\u00c9\u6771 \u2019s 1.,%\n\u0130\u03a3\U0001f600 not 7 km The lamps Rome [1]"
TEXTS = st.lists(st.sampled_from([*CHARACTERS.split(" "), "\n", ". ", " ", " "])).map(" ".join)


def check(answer: str, facts: list[str]) -> CheckResponse:
    request = CheckRequest(
        answer_candidate=answer,
        facts=tuple(GroundingFact(fact_text=fact) for fact in facts),
        grounding_spec=GroundingSpec(enable_claim_level_score=True),
    )
    return check_grounding(request)


@example("Lamps glow in Rome. They do not hum at 7 km/h.", ["Lamps glow in Rome at 8 km/h."])
@given(TEXTS | st.text(), st.lists(TEXTS | st.text(), max_size=4))
def test_checks_give_the_same_replies_with_it_and_without(answer: str, facts: list[str]) -> None:
    replies = []
    for core in (None, native_core()):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(scoring, "core", core)
            reads = words._join_pieces, words._join_forms
            if core:
                own = core.PieceTable(words._read_piece, 1_000, 40).words
                reads = own, lambda text, own=own: own(text)[0]
            patch.setattr(words, "_words_in", reads[0])
            patch.setattr(words, "_forms_in", reads[1])
            scoring._forms_of_fact.__self__.clear()
            replies.append(check(answer, facts))
    assert replies[0] == replies[1]
