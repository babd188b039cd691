"""The presets: how well-known tools write an answer, its query and its facts.

A new preset is an entry here. Paths separated by `` | `` are tried in their order.
"""

from collections.abc import Mapping
from functools import cached_property

from schemas import Record
from schemas.wire.json_input import camel_case_name
from schemas.wire.wire_type import words
from transforms.field_maps.field_map import FieldMap, parse_map
from transforms.field_maps.json_path import json_path


class Preset(Record, frozen=True, kw_only=True, dict=True):
    """The field map of a tool.

    Attributes:
      name: its source_format: the tool, a point, and the rest.
      marks: paths, separated by spaces, that all find something in its rows, and together in those
        of no other tool; the rarest comes first.
      paths: of the fields.
      ignored: names of fields, separated by spaces, that never hold the answer or its facts.
      is_like_envelope: whether its rows also look like groundwatch's envelope.
    """

    name: str
    marks: str
    paths: dict[str, str]
    ignored: str = ""
    comes_first: bool = False

    @cached_property
    def field_map(self) -> FieldMap:
        """The parsed paths."""
        return parse_map(tuple(self.paths.items()), self.ignored)

    @cached_property
    def rarest_name(self) -> str:
        """The field that few rows of other tools have."""
        return camel_case_name(json_path(words(self.marks)[0]).first_name)

    def matches(self, value: Mapping[str, object]) -> bool:
        """Return whether parsed JSON, in camelCase, is a row of the tool."""
        if self.rarest_name not in value:
            return False
        return all(json_path(mark).find(value) for mark in words(self.marks))


_ATTRIBUTES = "$.attributes['{0}'] | $.attributes.{0} | $['attributes.{0}']"

PRESETS: tuple[Preset, ...] = (
    Preset(
        name="ragas.sample",
        marks="$.user_input $.response",
        paths={
            "query": "$.user_input",
            "answer": "$.response",
            "facts": "$.retrieved_contexts[*] | $.retrieved_contexts",
        },
        ignored="reference referenceContexts rubrics rubric",
    ),
    Preset(
        name="ragas.dataset",
        marks="$.contexts $.question $.answer",
        paths={
            "query": "$.question",
            "answer": "$.answer",
            "facts": "$.contexts[*] | $.contexts",
        },
        ignored="groundTruth groundTruths",
        comes_first=True,
    ),
    Preset(
        name="deepeval.test_case",
        marks="$.actual_output $.input",
        paths={
            "query": "$.input",
            "answer": "$.actual_output",
            "facts": "$.retrieval_context[*] | $.retrieval_context",
        },
        ignored="expectedOutput expectedTools toolsCalled context comments",
    ),
    Preset(
        name="azure.evaluation",
        marks="$.context $.query $.response",
        paths={
            "query": "$.query",
            "answer": "$.response",
            "facts": "$.context",
        },
        ignored="groundTruth",
    ),
    Preset(
        name="vertex.evaluation",
        marks="$.context $.prompt $.response",
        paths={
            "query": "$.prompt",
            "answer": "$.response",
            "facts": "$.context",
        },
        ignored="reference instruction",
    ),
    Preset(
        name="langchain.retrieval_chain",
        marks="$.context $.input $.answer",
        paths={
            "query": "$.input",
            "answer": "$.answer",
            "facts": "$.context[*] | $.context",
        },
        ignored="chatHistory",
        comes_first=True,
    ),
    Preset(
        name="langsmith.run",
        marks="$.run_type $.inputs $.outputs",
        paths={
            "query": "$.inputs.question | $.inputs.query | $.inputs.input",
            "answer": "$.outputs.answer | $.outputs.result | $.outputs.output",
            "facts": (
                "$.outputs.source_documents[*] | $.outputs.documents[*] | $.outputs.context[*]"
                " | $.outputs.contexts[*]"
            ),
            "id": "$.id",
            "time": "$.start_time",
            "session": "$.extra.metadata.session_id",
            "trace": "$.trace_id",
        },
        ignored="serialized events extra runtime tags inputsPreview outputsPreview",
    ),
    Preset(
        name="llamaindex.response",
        marks="$.source_nodes $.response",
        paths={
            "answer": "$.response",
            "facts": "$.source_nodes[*]",
        },
        ignored="metadata",
    ),
    Preset(
        name="haystack.answers",
        marks="$.answers[0].data",
        paths={
            "query": "$.query | $.answers[0].query",
            "answer": "$.answers[0].data",
            "facts": "$.answers[0].documents[*]",
        },
        ignored="meta",
    ),
    Preset(
        name="openinference.span",
        marks="$.attributes $.context.span_id",
        paths={
            "query": _ATTRIBUTES.format("input.value"),
            "answer": _ATTRIBUTES.format("output.value"),
            "facts": (
                "$.attributes['retrieval.documents'][*] | $.attributes.retrieval.documents[*]"
                " | $['attributes.retrieval.documents'][*] | $.reference"
            ),
            "time": "$.start_time",
            "session": "$.attributes['session.id'] | $.attributes.session.id",
            "trace": "$.context.trace_id",
            "span": "$.context.span_id",
        },
        ignored="events",
    ),
    Preset(
        name="phoenix.row",
        marks="$['attributes.output.value']",
        paths={
            "query": "$['attributes.input.value']",
            "answer": "$['attributes.output.value']",
            "facts": "$['attributes.retrieval.documents'][*] | $.reference",
            "time": "$.start_time",
            "session": "$['attributes.session.id']",
            "trace": "$['context.trace_id']",
            "span": "$['context.span_id']",
        },
        ignored="events",
    ),
    Preset(
        name="phoenix.example",
        marks="$.reference $.input $.output",
        paths={
            "query": "$.input",
            "answer": "$.output",
            "facts": "$.reference[*] | $.reference",
        },
    ),
    Preset(
        name="langfuse.trace",
        marks="$.timestamp $.id $.input $.output",
        paths={
            "query": "$.input.question | $.input.query | $.input[-1].content | $.input",
            "answer": "$.output.answer | $.output.response | $.output.content | $.output",
            "facts": "$.metadata.contexts[*] | $.metadata.contexts",
            "id": "$.id",
            "time": "$.timestamp",
            "session": "$.session_id",
            "trace": "$.id",
        },
        ignored="scores tags",
    ),
    Preset(
        name="openai.responses",
        marks="$.output[?(@.type=='message')].content[?(@.type=='output_text')]",
        paths={
            "answer": "$.output[?(@.type=='message')].content[?(@.type=='output_text')].text",
            "facts": "$.output[?(@.type=='file_search_call')].results[*]",
            "id": "$.id",
            "time": "$.created_at",
            "response": "$.id",
        },
        ignored="instructions tools metadata reasoning text usage",
    ),
    Preset(
        name="anthropic.messages",
        marks="$.stop_reason $.role $.content[?(@.type=='text')]",
        paths={
            "answer": "$.content[?(@.type=='text')].text",
            "facts": "$.content[?(@.type=='text')].citations[*]",
            "id": "$.id",
            "response": "$.id",
        },
        ignored="usage",
    ),
    Preset(
        name="bedrock.retrieve_and_generate",
        marks="$.citations $.output.text",
        paths={
            "query": "$.input.text",
            "answer": "$.output.text",
            "facts": "$.citations[*].retrieved_references[*]",
            "session": "$.session_id",
        },
        comes_first=True,
    ),
    Preset(
        name="litellm.payload",
        marks="$.messages $.response.choices",
        paths={
            "query": "$.messages[-1].content | $.messages[-1].content[*].text",
            "answer": "$.response.choices[0].message.content",
            "id": "$.id",
            "time": "$.startTime",
            "trace": "$.trace_id",
            "response": "$.response.id",
        },
    ),
)
"""Presets are tried in this order: those that `comes_first` before most formats, others after."""
