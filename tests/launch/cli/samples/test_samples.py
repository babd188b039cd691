"""What the bundled sample holds."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from groundwatch.launch.cli.samples import sample_paths
from groundwatch.schemas.verdict import Verdict
from tests.support.answer_messages import parse_answer
from tests.support.sample import DUPLICATE, FAILURE, sample_messages

HELP_CENTRE = "https://help.quillow.example/"


def readable_messages() -> Iterator[object]:
    for each in sample_messages():
        if each.outcome != FAILURE:
            yield json.loads(each.message.payload)


def objects(value: object) -> Iterator[dict[str, object]]:
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from objects(item)


def answers_with_text() -> Iterator[tuple[bytes, dict[str, object]]]:
    """Find every Answer of Discovery Engine, alone or inside a response."""
    for message in readable_messages():
        for found in objects(message):
            text = found.get("answerText") or found.get("answer_text")
            if text:
                yield str(text).encode(), found


def cited_spans(answer: dict[str, object]) -> Iterator[tuple[int, int]]:
    for name in ("citations", "groundingSupports", "grounding_supports"):
        for span in answer.get(name, ()):
            start = span.get("startIndex") or span.get("start_index") or 0
            yield int(start), int(span.get("endIndex") or span["end_index"])


def test_the_sample_is_small_enough_to_ship() -> None:
    assert sum(Path(path).stat().st_size for path in sample_paths()) < 1_500_000


def test_only_the_last_line_of_all_is_empty() -> None:
    contents = [Path(path).read_bytes() for path in sample_paths()]
    assert [content.count(b"\n\n") for content in contents] == [0, 0, 0, 1]
    assert contents[-1].endswith(b"}\n\n")


def test_some_message_ends_in_every_way() -> None:
    outcomes = {each.outcome for each in sample_messages()}
    assert outcomes == {*Verdict, FAILURE, DUPLICATE}


def test_every_citation_and_support_cuts_the_answer_between_characters() -> None:
    misfits = []
    for text, answer in answers_with_text():
        spans = list(cited_spans(answer))
        misfits += [end for _, end in spans if end > len(text)]
        assert all(text[start:end].decode().strip() for start, end in spans)
    assert misfits == [4_000]  # the one that is meant to be wrong


def test_every_segment_of_a_candidate_cuts_its_text_out_of_its_part() -> None:
    for message in readable_messages():
        for candidate in objects(message):
            for support in candidate.get("groundingMetadata", {}).get("groundingSupports", ()):
                segment = support["segment"]
                part = candidate["content"]["parts"][segment.get("partIndex", 0)]["text"].encode()
                cut = part[segment.get("startIndex", 0) : segment["endIndex"]]
                assert cut.decode() == segment["text"]


def test_an_answer_is_redelivered_under_its_name_exactly_or_otherwise_written() -> None:
    payloads = [each.message.payload for each in sample_messages()]
    copies = [each.message.payload for each in sample_messages() if each.outcome == DUPLICATE]
    names = Counter(
        message.get("name") for message in readable_messages() if isinstance(message, dict)
    )
    assert all(names[json.loads(copy)["name"]] >= 2 for copy in copies)
    assert {payloads.count(copy) for copy in copies} == {1, 2}


def test_the_help_centre_speaks_four_languages_besides_english() -> None:
    pages = {
        fact.uri.removeprefix(HELP_CENTRE)
        for each in sample_messages()
        if each.outcome != FAILURE
        for fact in parse_answer(each.message).facts
        if fact.uri and fact.uri.startswith(HELP_CENTRE)
    }
    assert {page[:3] for page in pages} > {"de-", "fr-", "ja-", "ar-"}
