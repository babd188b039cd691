"""The bundled sample: what it holds, and that the generator still writes it."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from groundwatch.launch.cli.samples import sample_paths
from groundwatch.schemas.verdict import Verdict
from tests.support.samples.articles import Truth, read_conversations
from tests.support.samples.citing import best_passage, sentences
from tests.support.samples.generate import DUPLICATE, FAILURE, intended, sample_files
from tests.support.samples.timeline import BAD_RELEASE, BAD_RELEASE_ENGINE, WRITERS, ordinary_days

FILES = {Path(path).name: Path(path).read_bytes() for path in sample_paths()}


def readable_lines() -> Iterator[object]:
    for line in intended():
        if line.outcome != FAILURE:
            yield json.loads(FILES[line.file].split(b"\n")[line.line - 1])


def objects(value: object) -> Iterator[dict[str, object]]:
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from objects(item)


def answers_with_text() -> Iterator[tuple[bytes, dict[str, object]]]:
    """Find every Answer of Discovery Engine, alone or inside a response."""
    for line in readable_lines():
        for found in objects(line):
            text = found.get("answerText") or found.get("answer_text")
            if text:
                yield str(text).encode(), found


def cited_spans(answer: dict[str, object]) -> Iterator[tuple[int, int]]:
    for name in ("citations", "groundingSupports", "grounding_supports"):
        for span in answer.get(name, ()):
            start = span.get("startIndex") or span.get("start_index") or 0
            yield int(start), int(span.get("endIndex") or span["end_index"])


def test_the_files_in_the_package_are_what_the_generator_writes() -> None:
    assert sample_files() == FILES


def test_the_generator_writes_the_same_every_time() -> None:
    assert sample_files() == sample_files()


def test_the_sample_is_small_enough_to_ship() -> None:
    assert sum(map(len, FILES.values())) < 1_500_000


def test_every_line_but_the_last_of_all_is_a_message_with_an_intended_outcome() -> None:
    counts = Counter(line.file for line in intended())
    written = {name: content.count(b"\n") for name, content in FILES.items()}
    assert FILES["oversize.jsonl"].endswith(b"\n\n")
    assert counts == {**written, "oversize.jsonl": written["oversize.jsonl"] - 1}


def test_the_outcomes_are_these() -> None:
    assert Counter(line.outcome for line in intended()) == {
        Verdict.GROUNDED: 143,
        Verdict.LOW_GROUNDED: 37,
        Verdict.POLICY_SKIPPED: 18,
        Verdict.NOT_ANSWERED: 9,
        Verdict.UNSCORABLE: 9,
        Verdict.INCOMPLETE: 5,
        Verdict.GENERATION_FAILED: 3,
        FAILURE: 8,
        DUPLICATE: 10,
    }


def test_every_writer_of_every_assistant_writes_several_answers() -> None:
    used = Counter(planned.case.write for planned in ordinary_days())
    assert min(used[write] for writers in WRITERS.values() for write in writers) >= 2


def test_every_citation_and_support_cuts_the_answer_between_characters() -> None:
    misfits = []
    for text, answer in answers_with_text():
        spans = list(cited_spans(answer))
        misfits += [end for _, end in spans if end > len(text)]
        assert all(text[start:end].decode().strip() for start, end in spans)
    assert misfits == [4_000]  # the one that is meant to be wrong


def test_every_segment_of_a_candidate_cuts_its_text_out_of_its_part() -> None:
    for line in readable_lines():
        for candidate in objects(line):
            for support in candidate.get("groundingMetadata", {}).get("groundingSupports", ()):
                segment = support["segment"]
                part = candidate["content"]["parts"][segment.get("partIndex", 0)]["text"].encode()
                cut = part[segment.get("startIndex", 0) : segment["endIndex"]]
                assert cut.decode() == segment["text"]


def test_a_bullet_is_a_sentence_of_its_own_without_its_mark() -> None:
    answer = "Für Sie:\n- Ein Schritt.\n- Noch einer"
    assert [span.text for span in sentences(answer)] == ["Für Sie:", "Ein Schritt.", "Noch einer"]
    for span in sentences(answer):
        assert answer.encode()[span.start : span.end].decode() == span.text


def test_a_japanese_sentence_finds_its_passage() -> None:
    passages = ["ブーストは1日6回まで使えます。", "Dialの電池は約14か月持ちます。"]
    assert best_passage("電池は14か月です。", passages) == 1


def test_the_bad_release_has_enough_low_grounded_answers_for_a_rate_alert() -> None:
    episode = [
        planned.verdict
        for planned in ordinary_days()
        if planned.engine == BAD_RELEASE_ENGINE
        and 0 <= (planned.asked_at - BAD_RELEASE).total_seconds() < 2 * 3600
    ]
    assert len(episode) >= 20
    assert episode.count(Verdict.LOW_GROUNDED) >= 12


def test_the_other_hours_of_that_assistant_are_mostly_grounded() -> None:
    other = [
        planned.verdict
        for planned in ordinary_days()
        if planned.engine == BAD_RELEASE_ENGINE
        and not 0 <= (planned.asked_at - BAD_RELEASE).total_seconds() < 2 * 3600
    ]
    assert other.count(Verdict.LOW_GROUNDED) < len(other) / 5


def test_the_events_fall_on_three_days() -> None:
    assert [name for name in sorted(FILES) if name.startswith("answers-")] == [
        "answers-2026-03-02.jsonl",
        "answers-2026-03-03.jsonl",
        "answers-2026-03-04.jsonl",
    ]


def test_an_answer_is_redelivered_under_its_name_exactly_or_otherwise_written() -> None:
    lines = [FILES[line.file].split(b"\n")[line.line - 1] for line in intended()]
    copies = [
        content
        for content, line in zip(lines, intended(), strict=True)
        if line.outcome == DUPLICATE
    ]
    names = Counter(
        found.get("name") for line in readable_lines() if isinstance(found := line, dict)
    )
    assert all(names[json.loads(copy)["name"]] >= 2 for copy in copies)
    assert {lines.count(copy) for copy in copies} == {1, 2}


def test_the_help_centre_speaks_five_languages_and_some_of_its_answers_are_wrong() -> None:
    conversations = read_conversations()
    languages = {c.articles[0].slug[:3] for c in conversations if c.articles[0].slug[2:3] == "-"}
    assert languages == {"de-", "fr-", "ja-", "ar-"}
    assert Counter(c.truth for c in conversations) == {
        Truth.SUPPORTED: 120,
        Truth.INVENTED: 28,
        Truth.UNSEEN: 2,
        Truth.CHANGED: 3,
        Truth.REWORDED: 2,
    }
