"""groundwatch.enriched: records that are read to be checked again."""

import io
import json
from typing import Any

import fastavro
import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from groundwatch.pipeline.sinks.row_formats import EnrichedFiles
from groundwatch.schemas.answer import Answer, Citation, Fact, GroundingSupport, SafetyRating
from groundwatch.schemas.avro import load_schema
from groundwatch.schemas.checked_answer import CheckedAnswer, Grounding
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.schemas.failure import failure_to_json, message_of_failure
from groundwatch.schemas.message import Message, UnreadableAnswer
from groundwatch.schemas.verdict import Tag, Verdict
from groundwatch.transforms.rules.redaction import TextMode, redact
from groundwatch.transforms.rules.routing import route
from groundwatch.transforms.rules.tagging import tag_answer
from groundwatch.transforms.rules.thresholds import Thresholds
from groundwatch.transforms.runtime.failures import failed_now
from tests.support.answer_messages import parse_answer
from tests.support.archives import read_all
from tests.support.avro_rows import enriched_to_avro
from tests.support.builders import a_claim, a_fact, a_message, an_answer, an_enriched
from tests.support.released_schemas import WRITTEN, released
from tests.support.whole_records import ENRICHED

GROUNDING = Grounding(support_score=0.7, claims=(a_claim(score=0.5, citations=(0,)),))


def messages_of(*records: EnrichedAnswer, text: TextMode = TextMode.FULL) -> list[Message]:
    """The messages in an archive of the records."""
    row_format, stream = EnrichedFiles(text), io.BytesIO()
    stream.write(row_format.header)
    rows = row_format.open_rows(stream)
    for record in records:
        rows.write(row_format.encode(record))
    rows.flush()
    return read_all(stream.getvalue(), "out.avro")


def read_back(record: EnrichedAnswer) -> Answer:
    [message] = messages_of(record)
    return parse_answer(message)


def recorded(answer: Answer) -> EnrichedAnswer:
    """The record of an answer, with the same check result for every answer."""
    decision = route(answer)
    grounding = None if decision else GROUNDING
    return tag_answer(
        CheckedAnswer(answer=answer, decision=decision, grounding=grounding), Thresholds()
    )


TEXTS = st.sampled_from(["", " ", "Lamps glow."])
FACTS = st.sampled_from([(), (a_fact(),)])
RATINGS = st.lists(
    st.sampled_from(
        [
            SafetyRating(category="HARASSMENT", probability="HIGH", blocked=True),
            SafetyRating(category="47", severity="MEDIUM", severity_score=0.5),
            SafetyRating(),
        ]
    ),
    max_size=2,
).map(tuple)
SKIP_REASONS = st.lists(
    st.sampled_from(
        ["JAIL_BREAKING_QUERY_IGNORED", "LOW_GROUNDED_ANSWER", "NO_RELEVANT_CONTENT", "47"]
    ),
    max_size=2,
    unique=True,
).map(tuple)
FINISH_REASONS = st.sampled_from([None, "STOP", "MAX_TOKENS", "SAFETY", "SPII", "OTHER", "47"])
BLOCK_REASONS = st.sampled_from([None, "SAFETY", "BLOCKLIST", "OTHER", "47"])
STATES = st.sampled_from([None, "SUCCEEDED", "FAILED", "IN_PROGRESS", "STREAMING", "47"])


CITATIONS = st.sampled_from([(), (Citation(start=0, end=0, facts=()),)])
SUPPORTS = st.sampled_from(
    [(), (GroundingSupport(start=0, end=0, score=0.5, grounding_check_required=True),)]
)


def answers(**fields: Any) -> st.SearchStrategy[Answer]:
    common = {
        "text": TEXTS,
        "facts": FACTS,
        "safety_ratings": RATINGS,
        "answerable_probability": st.sampled_from([None, 0.0, 0.4, 0.9]),
        "generator_grounding_score": st.sampled_from([None, 0.0, 0.7]),
        "tags": st.sampled_from([(), ("BAD_OFFSETS", "STREAM_ERROR")]),
        "citations": CITATIONS,
        "supports": SUPPORTS,
    }
    return st.builds(an_answer, **common | fields)


DISCOVERY_ENGINE = answers(
    source_format=st.just("discoveryengine.answer"), state=STATES, skip_reasons=SKIP_REASONS
)
INTERRUPTED = answers(
    source_format=st.just("discoveryengine.stream_answer"),
    state=st.just("FAILED"),
    error_status=st.sampled_from(["UNAVAILABLE", "UNKNOWN", "13"]),
    skip_reasons=SKIP_REASONS,
)
GEMINI = answers(
    source_format=st.sampled_from(["gemini.candidate", "gemini.generate_answer"]),
    finish_reason=FINISH_REASONS,
    block_reason=BLOCK_REASONS,
)
ELIDED = st.sampled_from([(), ("ELIDED",)])
RECORDED = st.one_of(
    answers(
        source_format=st.sampled_from(["openai.chat_completions", "opentelemetry.gen_ai"]),
        finish_reason=FINISH_REASONS,
        state=st.sampled_from([None, "IN_PROGRESS"]),
        skip_reasons=ELIDED,
    ),
    answers(
        text=st.just(""),
        source_format=st.just("opentelemetry.gen_ai"),
        state=st.just("FAILED"),
        error_status=st.sampled_from(["timeout", "500"]),
        finish_reason=FINISH_REASONS,
    ),
    answers(
        source_format=st.just("gemini.agent_events"),
        state=st.sampled_from([None, "IN_PROGRESS"]),
        finish_reason=FINISH_REASONS,
        block_reason=BLOCK_REASONS,
        skip_reasons=ELIDED,
    ),
)
ENVELOPES = answers(source_format=st.just("groundwatch.envelope"), skip_reasons=ELIDED)


@example(an_answer("", source_format="gemini.candidate", finish_reason="47"))
@given(st.one_of(DISCOVERY_ENGINE, INTERRUPTED, GEMINI, RECORDED, ENVELOPES))
def test_checking_a_record_again_gives_the_same_record(answer: Answer) -> None:
    record = recorded(answer)
    assert recorded(read_back(record)) == record


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(
            an_enriched(
                facts=(
                    Fact(text="b", uri="u", title="t", document="d", attributes={"page_no": "7"}),
                ),
                query="Größe?",
                event_time_us=-1,
            ),
            id="everything",
        ),
        pytest.param(
            an_enriched(
                answer_name=None, engine=None, session=None, event_time_us=None, query=None
            ),
            id="nothing optional",
        ),
    ],
)
def test_the_answer_of_a_record_stays_unchanged(record: EnrichedAnswer) -> None:
    answer = read_back(record)
    shared = set(Answer.__struct_fields__) & set(EnrichedAnswer.__struct_fields__) - {"tags"}
    assert {name: getattr(answer, name) for name in shared} == {
        name: getattr(record, name) for name in shared
    }


def test_tags_of_a_check_are_dropped_and_all_others_stay() -> None:
    kept = {
        Tag.ADVERSARIAL_QUERY,
        Tag.BAD_OFFSETS,
        Tag.BAD_TIMESTAMP,
        Tag.FACTS_DROPPED,
        Tag.MULTIPLE_CANDIDATES,
        Tag.SOURCE_WITHOUT_TEXT,
        Tag.STREAM_ERROR,
    }
    finishing = {Tag.ABNORMAL_FINISH, Tag.TRUNCATED, Tag.UNFINISHED}
    answer = read_back(an_enriched(tags=tuple(sorted({*Tag, "NEWER"} - finishing))))
    assert set(answer.tags) == {*kept, "NEWER"}


def test_a_record_of_the_first_version_has_no_citations_and_keeps_the_tag() -> None:
    [message] = messages_of(an_enriched(tags=("CITATION_MISMATCH",)))
    row = json.loads(message.payload)
    assert parse_answer(message).tags == ()
    del row["generator_citations"]
    older = a_message(payload=json.dumps(row).encode())
    assert parse_answer(older).tags == ("CITATION_MISMATCH",)


def test_citations_and_supports_outside_the_answer_are_dropped() -> None:
    record = an_enriched(
        answer_text="é a",
        facts=(a_fact(),),
        generator_citations=(
            Citation(start=0, end=2, facts=(0, 1, -1)),
            Citation(start=1, end=3),
            Citation(start=0, end=9),
        ),
        generator_supports=(
            GroundingSupport(start=0, end=4, score=0.5, facts=(7,)),
            GroundingSupport(start=3, end=2),
        ),
    )
    answer = read_back(record)
    assert answer.citations == (Citation(start=0, end=2, facts=(0,)),)
    assert answer.supports == (GroundingSupport(start=0, end=4, score=0.5),)


def test_a_moved_error_and_a_skip_reason_are_both_read() -> None:
    record = an_enriched(
        source_format="discoveryengine.stream_answer",
        verdict=Verdict.POLICY_SKIPPED,
        verdict_reason="UNAVAILABLE",
        skip_reasons=("NO_RELEVANT_CONTENT",),
    )
    answer = read_back(record)
    assert (answer.state, answer.error_status) == ("FAILED", "UNAVAILABLE")
    assert answer.skip_reasons == ("NO_RELEVANT_CONTENT",)


def test_a_reason_can_be_moved_when_a_record_is_read_back() -> None:
    record = recorded(an_answer(skip_reasons=("NO_RELEVANT_CONTENT",)))
    decision = route(read_back(record), {"NO_RELEVANT_CONTENT": Verdict.POLICY_SKIPPED})
    assert decision is not None
    assert decision.verdict is Verdict.POLICY_SKIPPED


@pytest.mark.parametrize("version", released("enriched_answer"))
def test_the_records_of_every_release_can_be_read(version: str) -> None:
    messages = read_all((WRITTEN / "enriched_answer" / f"{version}.avro").read_bytes())
    assert messages
    assert {parse_answer(message).record_id for message in messages} <= {
        record.record_id for record in ENRICHED.values()
    }


def test_a_record_that_failed_can_be_replayed() -> None:
    [message] = messages_of(an_enriched())
    failure = failed_now(message, "CheckGrounding", OSError("no checker"), retryable=True)
    replayed = message_of_failure(failure_to_json(failure))
    direct = parse_answer(message)
    assert parse_answer(replayed) == msgspec.structs.replace(direct, message=replayed)


HIDING = [
    an_enriched(),
    an_enriched(query=None),
    an_enriched(facts=(), query=None, verdict_reason="NO_FACTS"),
    an_enriched(verdict=Verdict.POLICY_SKIPPED, verdict_reason="BLOCKED_RATING"),
    an_enriched(answer_text="", facts=(), verdict_reason="NO_TEXT"),
]


@pytest.mark.parametrize("mode", [TextMode.NONE, TextMode.HASH])
@pytest.mark.parametrize("record", HIDING, ids=["all", "no query", "no facts", "policy", "no text"])
def test_a_record_without_its_texts_cannot_be_checked_again(
    record: EnrichedAnswer, mode: TextMode
) -> None:
    [message] = messages_of(record, text=mode)
    with pytest.raises(UnreadableAnswer, match="written with --text none or hash"):
        parse_answer(message)


def test_a_decision_without_text_is_kept() -> None:
    answer = an_answer(
        "Sorry.", facts=(), skip_reasons=("JAIL_BREAKING_QUERY_IGNORED",), query=None
    )
    record = redact(recorded(answer), TextMode.NONE)
    assert recorded(read_back(record)) == record


def test_a_hash_in_an_answer_is_not_taken_for_hidden_text() -> None:
    hashed = "sha256:" + "0" * 64
    record = an_enriched(answer_text=hashed, facts=(a_fact(f"The file's sum is {hashed}."),))
    assert read_back(record).answer_text == hashed


@pytest.mark.parametrize(
    "fields",
    [{"record_id": ""}, {"record_id": "5F" * 32}, {"record_id": "x" * 64}, {"source_format": ""}],
    ids=str,
)
def test_an_invalid_record_is_rejected(fields: dict[str, Any]) -> None:
    [message] = messages_of(an_enriched(**fields))
    with pytest.raises(UnreadableAnswer, match="no record_id or no source_format"):
        parse_answer(message)


def test_a_row_with_bad_utf8_is_one_failure() -> None:
    rows = [enriched_to_avro(an_enriched(query=query)) for query in ("spoilt", "good")]
    stream = io.BytesIO()
    fastavro.writer(stream, load_schema("enriched_answer"), rows, codec="null")
    bad, good = read_all(stream.getvalue().replace(b"spoilt", b"spo\xfflt"), "out.avro")
    with pytest.raises(UnreadableAnswer, match="not UTF-8"):
        parse_answer(bad)
    assert parse_answer(good).query == "good"
