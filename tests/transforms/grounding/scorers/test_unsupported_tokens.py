"""Claims scored by a model of unsupported tokens."""

import asyncio
from collections.abc import Sequence
from math import exp, inf
from pathlib import Path

import msgspec
import pytest

from groundwatch.schemas.wire.grounding_check import CheckResponse
from groundwatch.transforms.grounding.embedded_service import LocalTransport, load_checker
from groundwatch.transforms.grounding.errors import Misconfigured
from groundwatch.transforms.grounding.scorers.shared_scorer import load_scorer
from groundwatch.transforms.lexical.reading.answer_sentences import split_sentences
from groundwatch.transforms.lexical.scores.claim_result import ScoredAnswer
from groundwatch.transforms.lexical.scores.support_score import sigmoid
from tests.support.checks import CHECK_PATH, check_request
from tests.support.entailment_models import write_model

LAMPS, RED = "Lamps glow.", "Kettles are red."
SURE, UNSURE = 1 / (1 + exp(-2)), 1 / (1 + exp(2))
"""The scores of a claim with the word "red", and facts with it or without it."""


def token_model(
    folder: Path, tokens: int = 512, labels: tuple[str, ...] = ("supported", "hallucinated")
) -> str:
    return write_model(folder, head="token", labels=labels, max_positions=tokens + 2)


def scores(
    folder: str, answer: str, facts: Sequence[str], question: str | None = None
) -> list[tuple[float, list[int]]]:
    scored = ScoredAnswer(text=answer, claims=split_sentences(answer), question=question)
    results = load_scorer(folder).score(scored, facts, 0.6)
    return [(round(sigmoid(each.log_odds or 0), 3), list(each.cited)) for each in results]


def test_a_claim_is_supported_as_far_as_its_least_supported_token(tmp_path: Path) -> None:
    model = token_model(tmp_path)
    answer = f"- Ça «ünï» glows.\n- 火 is red here: 水.\n\n{LAMPS}"
    found = scores(model, answer, [LAMPS])
    assert [score > 0.9 for score, _ in found] == [True, False, True]
    assert found[1] == (pytest.approx(UNSURE, abs=1e-3), [])
    assert scores(model, answer, [RED])[1] == (pytest.approx(SURE, abs=1e-3), [0])


@pytest.mark.parametrize("labels", [("hallucinated", "supported"), ("UNSUPPORTED", "x")])
def test_the_output_of_unsupported_tokens_is_found_by_its_name(
    tmp_path: Path, labels: tuple[str, str]
) -> None:
    [(score, _)] = scores(token_model(tmp_path, labels=labels), RED, [LAMPS])
    assert score < 0.01  # of the words that are not "red", the first output is the highest


@pytest.mark.parametrize(
    "labels", [("LABEL_0", "LABEL_1"), ("entailment", "neutral"), ("unsupported", "hallucinated")]
)
def test_a_model_that_names_no_unsupported_tokens_is_refused(
    tmp_path: Path, labels: tuple[str, str]
) -> None:
    expected = rf"scores tokens, and of its 2 outputs \({', '.join(labels)}\) one must be named"
    with pytest.raises(Misconfigured, match=expected):
        load_checker(token_model(tmp_path, labels=labels), inf)


@pytest.mark.parametrize("place", [0, 5, 11])
def test_facts_longer_than_the_model_are_read_in_chunks_and_the_best_counts(
    tmp_path: Path, place: int
) -> None:
    facts = [" ".join(["filler"] * 6) for _ in range(12)]
    facts[place] += " red"
    assert scores(token_model(tmp_path, tokens=40), RED, facts) == [
        (pytest.approx(SURE, abs=1e-3), [])  # four facts a chunk: none is cited
    ]


def test_a_fact_longer_than_the_model_is_split_at_its_sentences(tmp_path: Path) -> None:
    fact = " ".join([*(f"Sentence {number} is a filler." for number in range(20)), RED])
    [(score, cited)] = scores(token_model(tmp_path, tokens=40), RED, [LAMPS, fact])
    assert (score, cited) == (pytest.approx(SURE, abs=1e-3), [1])


def test_of_many_chunks_those_that_share_most_words_with_the_answer_are_read(
    tmp_path: Path,
) -> None:
    fillers = [f"{word} " * 30 for word in "abcdefghijklmnop"]
    facts = [*fillers[:9], "Kettles red " * 15, *fillers[9:]]
    model = token_model(tmp_path, tokens=40)
    assert scores(model, "Kettles are red.", facts)[0][1] == [9]


def test_a_long_answer_is_read_in_parts_that_leave_half_of_the_model_to_the_facts(
    tmp_path: Path,
) -> None:
    answer = " ".join([LAMPS] * 30 + [RED] + [LAMPS] * 30)
    found = scores(token_model(tmp_path, tokens=40), answer, ["word " * 12 + "red"])
    assert [score for score, _ in found] == [*[1.0] * 30, round(SURE, 3), *[1.0] * 30]


def test_a_sentence_longer_than_half_of_the_model_is_truncated(tmp_path: Path) -> None:
    answer = "Kettles " + "and lamps " * 100 + "glow red."
    [(score, _)] = scores(token_model(tmp_path, tokens=40), answer, [LAMPS])
    assert score > 0.9


def test_without_facts_no_claim_is_supported(tmp_path: Path) -> None:
    assert scores(token_model(tmp_path), RED, []) == [(0.0, [])]
    assert scores(token_model(tmp_path), "", [RED]) == []


def test_the_embedded_checker_returns_the_claims_with_their_bytes(tmp_path: Path) -> None:
    transport = LocalTransport(load_checker(token_model(tmp_path), inf))
    request = check_request("Hello! Ünï kettles are red. They whistle.", LAMPS)
    reply = asyncio.run(transport.answer("POST", CHECK_PATH, msgspec.json.encode(request)))
    claims = msgspec.json.decode(reply.body, type=CheckResponse).claims
    assert [claim.score for claim in claims] == [
        None,
        pytest.approx(UNSURE),
        pytest.approx(1, abs=1e-2),
    ]


def test_a_model_with_a_prompt_reads_the_question(tmp_path: Path) -> None:
    model = token_model(tmp_path)
    (tmp_path / "prompt.txt").write_text("Question: {question}\nPassages:\n{passages}\nAnswer:")
    asked = scores(model, RED, [LAMPS], "Is {passages} red?")
    assert asked == [(pytest.approx(SURE, abs=1e-3), [0])]
    assert scores(model, RED, [LAMPS]) == [(pytest.approx(UNSURE, abs=1e-3), [])]


def test_a_prompt_without_its_places_is_refused(tmp_path: Path) -> None:
    model = token_model(tmp_path)
    (tmp_path / "prompt.txt").write_text("Question: {question}")
    with pytest.raises(Misconfigured, match=r"prompt.txt needs the places \{question\} and"):
        load_checker(model, inf)
