"""Every field of the services' own types is read, or ignored with a reason."""

import tomllib
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pkgutil import resolve_name
from types import ModuleType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import pydantic
import pytest
from google.protobuf.descriptor import Descriptor

from groundwatch.schemas.wire import (
    assistant,
    dialogflow,
    discovery_engine,
    discovery_engine_methods,
    gemini,
    gen_ai_messages,
    groundwatch,
)
from groundwatch.schemas.wire.wire_type import Wire, wire_fields

V1, V1BETA, _ = DISCOVERY_ENGINE = [
    f"google.cloud.discoveryengine_{api}" for api in ("v1", "v1beta", "v1alpha")
]
GEMINI = "google.ai.generativelanguage_v1beta", "google.ai.generativelanguage_v1alpha"
VERTEX = "google.cloud.aiplatform_v1"
# Only the process that runs these tests imports the clients.
ROOTS: list[tuple[list[str] | tuple[str, ...], str, type[Wire]]] = [
    (DISCOVERY_ENGINE, "AnswerQueryResponse", discovery_engine.AnswerQueryResponse),
    (GEMINI, "GenerateAnswerRequest", gemini.GenerateAnswerRequest),
    (GEMINI, "GenerateAnswerResponse", gemini.GenerateAnswerResponse),
    (
        (*GEMINI, VERTEX, "google.genai.types"),
        "GenerateContentResponse",
        gemini.GenerateContentResponse,
    ),
    ((VERTEX, GEMINI[0]), "GenerateContentRequest", gemini.GenerateContentRequest),
    ([V1], "StreamAssistResponse", assistant.AssistResponse),
    ([V1BETA], "GenerateGroundedContentResponse", discovery_engine_methods.GroundedContentResponse),
    (DISCOVERY_ENGINE, "SearchResponse", discovery_engine_methods.SummaryResponse),
    (
        DISCOVERY_ENGINE,
        "ConverseConversationResponse",
        discovery_engine_methods.ConversationResponse,
    ),
    (DISCOVERY_ENGINE, "CheckGroundingRequest", discovery_engine_methods.CheckCall),
]
MAY_HOLD_CONTENT = {
    # The text of an answer in speech.
    "Part.audioTranscription",
    # What tools returned to the model before it answered.
    "GenerateContentResponse.automaticFunctionCallingHistory",
    # The text of a reply, in the first versions.
    *("Reply.reply", "Reply.references"),
    # What a search found, beside the summary of it.
    *("SearchResponse.results", "ConverseConversationResponse.searchResults"),
}
"""Fields that are neither read nor ignored: a message with nothing else is rejected."""

Official = Descriptor | type[pydantic.BaseModel]


def wire_types_of(module: ModuleType) -> list[type[Wire]]:
    return [
        kind
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, Wire) and kind is not Wire
    ]


MODULES = (
    *(assistant, dialogflow, discovery_engine, discovery_engine_methods, gemini, gen_ai_messages),
    groundwatch,
)
WIRE_TYPES = sorted({wire for module in MODULES for wire in wire_types_of(module)}, key=str)


def types_in(annotation: object, base: type) -> Iterator[Any]:
    if isinstance(annotation, type) and issubclass(annotation, base):
        yield annotation
    elif get_origin(annotation) in (Annotated, Union, UnionType, tuple, list):
        for argument in get_args(annotation):
            yield from types_in(argument, base)


def fields_of(official: Official) -> Mapping[str, Official | None]:
    """The fields of an official type by their JSON names, with the types of those that have any."""
    if isinstance(official, Descriptor):
        return {field.json_name: field.message_type for field in official.fields}
    return {
        field.alias or name: next(types_in(field.annotation, pydantic.BaseModel), None)
        for name, field in official.model_fields.items()
    }


def pairs_below(official: Official, wire: type[Wire]) -> Iterator[tuple[Official, type[Wire]]]:
    """The official type with its wire type, and every type below that is read."""
    yield official, wire
    read = wire_fields(wire)
    for name, below in fields_of(official).items():
        if below is not None and name in read:
            for field_wire in types_in(read[name], Wire):
                yield from pairs_below(below, field_wire)


def name_of(official: Official) -> str:
    return official.name if isinstance(official, Descriptor) else official.__name__


@pytest.mark.parametrize(
    ("root", "wire"),
    [(f"{client}:{name}", wire) for clients, name, wire in ROOTS for client in clients],
)
def test_every_official_field_is_read_or_ignored_with_a_reason(root: str, wire: type[Wire]) -> None:
    kind = resolve_name(root)
    official: Official = kind if "genai" in root else kind.pb(kind()).DESCRIPTOR
    missing = {
        f"{name_of(message)}.{name}"
        for message, read in pairs_below(official, wire)
        for name in fields_of(message)
        if name not in wire_fields(read) and name not in read.ignored
    }
    assert missing <= MAY_HOLD_CONTENT


def test_no_field_is_both_read_and_ignored() -> None:
    for wire in WIRE_TYPES:
        assert not wire_fields(wire).keys() & set(wire.ignored), wire


def test_every_known_field_is_one_of_a_wire_type() -> None:
    table = (
        files("groundwatch.schemas.wire").joinpath("known_fields.toml").read_text(encoding="utf-8")
    )
    assert tomllib.loads(table).keys() <= {wire.__name__ for wire in WIRE_TYPES}


def test_the_fields_of_text_and_facts_are_read() -> None:
    for wire in WIRE_TYPES:
        assert {wire.text_field, wire.facts_field} - {""} <= wire_fields(wire).keys()
