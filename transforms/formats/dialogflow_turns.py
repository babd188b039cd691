"""dialogflow.detect_intent: a response of detectIntent, alone or with its request."""

from collections.abc import Iterator, Mapping

from groundwatch.schemas.answer import Answer
from groundwatch.schemas.wire import dialogflow as wire
from groundwatch.schemas.wire import enums
from groundwatch.schemas.wire.json_input import fields_of, has_any
from groundwatch.schemas.wire.wire_type import read_wire
from .fact_collection import FactCollection, first_text
from .format import Format, Reading, Request

_RESULT_FIELDS = frozenset({"dataStoreConnectionSignals", "responseMessages"})


def _read(request: Request) -> Reading:
    fields = fields_of(request.value)
    if "queryResult" in fields:
        asked, response = "", read_wire(fields, wire.DetectIntentResponse)
    else:
        turn = read_wire(fields, wire.DialogflowTurn)
        asked, response = turn.request.query_input.text.text, turn.response
    result, signals = response.query_result, response.query_result.data_store_connection_signals
    facts = FactCollection()
    cited = (snippet.search_snippet for snippet in signals.cited_snippets)
    for snippet in (*signals.search_snippets, *cited):
        facts.add(snippet.text, uri=snippet.document_uri, title=snippet.document_title)
    texts = (text for each in result.response_messages if each for text in each.text.text)
    answer = Answer(
        message=request.message,
        query=result.text or result.transcript or asked or None,
        answer_text=first_text(signals.answer, "\n\n".join(texts)),
        skip_reasons=tuple(_skip_reasons(signals)),
        facts=facts.all(),
        response_id=response.response_id or None,
    )
    return answer, response.response_id


def _skip_reasons(signals: wire.DataStoreSignals) -> Iterator[str]:
    """Name the service's decisions against the answer as Discovery Engine does."""
    safety = enums.enum_name(signals.safety_signals.decision, enums.SAFETY_DECISIONS)
    grounding = enums.enum_name(signals.grounding_signals.decision, enums.GROUNDING_DECISIONS)
    if safety == "REJECTED_BY_SAFETY_CHECK":
        yield "POTENTIAL_POLICY_VIOLATION"
    if grounding == "REJECTED_BY_GROUNDING":
        yield "LOW_GROUNDED_ANSWER"


def _is_turn(fields: Mapping[str, object]) -> bool:
    response = fields.get("response")
    result = (response if isinstance(response, dict) else fields).get("queryResult")
    return has_any(result, _RESULT_FIELDS)


DETECT_INTENT = Format(
    name="dialogflow.detect_intent",
    fields=frozenset({"queryResult", "response"}),
    wire_of=lambda fields: (
        wire.DetectIntentResponse if "queryResult" in fields else wire.DialogflowTurn
    ),
    detects=_is_turn,
    read=_read,
    ids_may_repeat=True,
)
