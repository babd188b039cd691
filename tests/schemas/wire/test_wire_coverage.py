"""Every field of the services' own types is read, or dropped with a reason."""

import re
from collections.abc import Iterator
from types import UnionType
from typing import Annotated, get_args, get_origin

import google.ai.generativelanguage_v1alpha as gemini_alpha
import google.ai.generativelanguage_v1beta as gemini_beta
import msgspec
import proto
import pytest
from google.cloud import discoveryengine_v1, discoveryengine_v1alpha, discoveryengine_v1beta
from google.protobuf.descriptor import Descriptor

from schemas.wire import discovery_engine, gemini
from schemas.wire.tolerance import Wire

DISCOVERY_ENGINE = (discoveryengine_v1, discoveryengine_v1beta, discoveryengine_v1alpha)
GEMINI = (gemini_beta, gemini_alpha)
ROOTS = [
    *(
        (client.AnswerQueryResponse, discovery_engine.AnswerQueryResponse)
        for client in DISCOVERY_ENGINE
    ),
    *((client.GenerateAnswerRequest, gemini.GenerateAnswerRequest) for client in GEMINI),
    *((client.GenerateAnswerResponse, gemini.GenerateAnswerResponse) for client in GEMINI),
    *((client.GenerateContentResponse, gemini.GenerateContentResponse) for client in GEMINI),
]


def wire_types_in(annotation: object) -> Iterator[type[Wire]]:
    if isinstance(annotation, type) and issubclass(annotation, Wire):
        yield annotation
    elif get_origin(annotation) in (Annotated, UnionType, tuple):
        for argument in get_args(annotation):
            yield from wire_types_in(argument)


def pairs_below(message: Descriptor, wire: type[Wire]) -> Iterator[tuple[Descriptor, type[Wire]]]:
    """The message with its wire type, and every message below that is read."""
    yield message, wire
    members = {field.encode_name: field.type for field in msgspec.structs.fields(wire)}
    for field in message.fields:
        if field.message_type is not None and field.json_name in members:
            for member in wire_types_in(members[field.json_name]):
                yield from pairs_below(field.message_type, member)


def dropped_members(wire: type[Wire]) -> set[str]:
    return set(re.findall(r"`(\w+)`", (wire.__doc__ or "").partition("Dropped")[2]))


@pytest.mark.parametrize(
    ("official", "wire"), ROOTS, ids=lambda root: f"{root.__module__}.{root.__name__}"
)
def test_every_official_field_is_read_or_dropped_with_a_reason(
    official: type[proto.Message], wire: type[Wire]
) -> None:
    missing = {
        f"{message.full_name}.{field.json_name}"
        for message, read in pairs_below(official.pb(official()).DESCRIPTOR, wire)
        for field in message.fields
        if field.json_name not in {member.encode_name for member in msgspec.structs.fields(read)}
        and field.json_name not in dropped_members(read)
    }
    assert missing == set()


def test_no_member_is_both_read_and_dropped() -> None:
    for module in (discovery_engine, gemini):
        for wire in vars(module).values():
            if isinstance(wire, type) and issubclass(wire, Wire):
                read = {member.encode_name for member in msgspec.structs.fields(wire)}
                assert not read & dropped_members(wire), wire
