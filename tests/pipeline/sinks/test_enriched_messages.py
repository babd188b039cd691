"""Enriched records as messages: Avro of the topic's schema, within the limits of Pub/Sub."""

import io
from typing import Any

import fastavro
import pytest

from groundwatch.pipeline.sinks.row_formats import EnrichedFiles, encode_enriched
from groundwatch.pipeline.sinks.topic_messages import MAX_MESSAGE_BYTES
from groundwatch.schemas.avro import load_schema
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.transforms.rules.redaction import TextMode
from tests.support.builders import a_claim, a_fact, an_enriched

BIG = "ä" * 3_000_000


def decoded(record: EnrichedAnswer, text: TextMode = TextMode.FULL) -> Any:
    """The row in a record's message, read by the schema to the last byte."""
    data = encode_enriched(record, text).data
    assert len(data) <= MAX_MESSAGE_BYTES
    stream = io.BytesIO(data)
    row = fastavro.schemaless_reader(stream, load_schema("enriched_answer"), None)
    assert stream.read() == b""
    return row


def test_a_message_is_the_row_of_a_file_with_attributes_for_filters() -> None:
    record = an_enriched(engine=None)
    message = encode_enriched(record, TextMode.FULL)
    assert message.data == EnrichedFiles(TextMode.FULL).encode(record)
    assert message.attributes == {"record_id": record.record_id, "verdict": record.verdict}


def test_text_is_kept_as_in_files() -> None:
    assert decoded(an_enriched(), TextMode.NONE)["answer_text"] == ""


def test_a_record_over_ten_megabytes_lacks_the_texts_of_its_facts() -> None:
    record = an_enriched(facts=(a_fact(BIG, uri="u"), a_fact(BIG)), tags=("SCORE_DRIFT",))
    row = decoded(record)
    assert row["tags"] == ["FACTS_DROPPED", "SCORE_DRIFT"]
    assert [(fact["text"], fact["uri"]) for fact in row["facts"]] == [("", "u"), ("", None)]
    assert row["answer_text"] == record.answer_text
    assert len(row["claims"]) == len(record.claims)


@pytest.mark.parametrize(
    "fields",
    [
        {"answer_text": BIG, "claims": (a_claim(BIG),)},
        {"engine": BIG, "session": BIG},
        {"facts": (a_fact("a", uri=BIG), a_fact("a", uri=BIG))},
    ],
    ids=["claims", "names", "addresses"],
)
def test_a_record_that_is_still_too_long_keeps_its_single_fields(fields: Any) -> None:
    record = an_enriched(**fields)
    row = decoded(record)
    assert row["tags"] == ["FACTS_DROPPED"]
    assert (row["record_id"], row["verdict"]) == (record.record_id, record.verdict)
    assert row["support_score"] == record.support_score
    assert row["claims"] == row["facts"] == []
