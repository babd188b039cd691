"""Encode enriched records as messages of a topic that has their Avro schema."""

from collections.abc import Callable

from pipeline.sinks.row_formats import EnrichedFiles
from schemas.enriched_answer import EnrichedAnswer
from transforms.rules.redaction import TextMode, without_evidence, without_fact_texts
from transforms.rules.topic_messages import MAX_DATA_BYTES, TopicMessage, build_message

_MAX_TEXT_BYTES = 100_000  # of each of the dozen texts that are left


def encode_enriched(record: EnrichedAnswer, text: TextMode) -> TopicMessage:
    """Encode a record in Avro's binary encoding, with as much text as is kept.

    A record over 10 MB lacks the texts of its facts, or all its lists if that is not enough. Its
    data is never truncated: Pub/Sub would refuse what does not fit the schema of the topic.
    """
    encode: Callable[[EnrichedAnswer], bytes] = EnrichedFiles(text).encode
    data = encode(record)
    if len(data) > MAX_DATA_BYTES:
        data = encode(without_fact_texts(record))
    if len(data) > MAX_DATA_BYTES:
        data = encode(without_evidence(record, _MAX_TEXT_BYTES))
    attributes = {"record_id": record.record_id, "verdict": record.verdict, "engine": record.engine}
    return build_message(data, attributes)
