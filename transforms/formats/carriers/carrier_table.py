"""List the carriers and detect which of them a message is."""

from . import agent_session, exchange_rows, gen_ai_attributes, log_entry, otlp_json, pubsub_messages
from .carrier import Carrier

CARRIERS: tuple[Carrier, ...] = (
    log_entry.LOG_ENTRY,
    pubsub_messages.PUSH_BODY,
    pubsub_messages.SUBSCRIPTION_ROW,
    exchange_rows.VERTEX_LOG,
    exchange_rows.BATCH_OUTPUT,
    exchange_rows.DIALOGFLOW_ROW,
    otlp_json.OTLP_JSON,
    agent_session.AGENT_SESSION,
    gen_ai_attributes.GEN_AI_ATTRIBUTES,
)
"""All carriers; the first that matches an object unwraps it."""

_MARKS = frozenset[str]().union(*(carrier.marks for carrier in CARRIERS))


def find_carrier(value: object) -> Carrier | None:
    """Find the carrier that parsed JSON is; None if it is another object."""
    if not isinstance(value, dict) or _MARKS.isdisjoint(value):
        return None
    marked = (carrier for carrier in CARRIERS if not carrier.marks.isdisjoint(value))
    return next((carrier for carrier in marked if carrier.detects(value)), None)
