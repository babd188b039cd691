"""Print messages that real libraries make: a line of JSON with the library and the message.

Run in a folder of its own, in the environment of tests/benchmarks/real_objects.py. Models are
fakes, or replies of services that the libraries parse.
"""

import csv
import dataclasses
import functools
import json
import sys
from base64 import b64decode
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import httpx
import httpx2
from anthropic import Anthropic
from anthropic.types import StopReason
from anthropic.types.beta import BetaStopReason
from deepeval.dataset import EvaluationDataset as DeepEvalDataset
from deepeval.test_case import LLMTestCase
from google.genai import types
from google.protobuf.json_format import MessageToDict
from haystack import Document as HaystackDocument
from haystack.components.builders import AnswerBuilder
from haystack.dataclasses import ChatMessage, GeneratedAnswer
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.language_models import FakeListChatModel
from langchain_core.load import dumpd
from langchain_core.messages import (
    AIMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    convert_to_openai_messages,
    messages_to_dict,
)
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore
from langfuse.api import ObservationV2
from llama_index.core.chat_engine.types import AgentChatResponse
from llama_index.core.schema import NodeWithScore, TextNode
from llama_index.core.tools import ToolOutput
from openai import OpenAI
from openai.types.chat.chat_completion import Choice
from openai.types.responses import Response
from openai.types.responses.response import IncompleteDetails
from openinference.instrumentation.langchain import LangChainInstrumentor
from openinference.instrumentation.openai import OpenAIInstrumentor
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from ragas import EvaluationDataset, SingleTurnSample

QUERY, TEXT = "How long is it?", "The warranty is 3 years."
FACTS = ("Lamps are under warranty.", "The warranty is 2 years.")
_AT = "2026-03-02T08:00:00Z"
_BLOCKS = [{"type": "text", "text": TEXT}]
_SAID = {"role": "assistant", "content": TEXT}
_CHAT = {
    "id": "c",
    "object": "chat.completion",
    "created": 1772438400,
    "model": "m",
    "choices": [{"index": 0, "finish_reason": "stop", "message": _SAID}],
}
_ASKED = [
    {"role": "user", "content": QUERY},
    {"role": "tool", "tool_call_id": "c", "content": FACTS[0]},
    {"role": "tool", "tool_call_id": "d", "content": [{"type": "text", "text": FACTS[1]}]},
]
_RESPONSE = {
    "id": "r",
    "object": "response",
    "created_at": 1772438400,
    "model": "m",
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
    "output": [
        {
            "id": "f",
            "type": "file_search_call",
            "status": "completed",
            "queries": ["warranty"],
            "results": [{"file_id": "1", "filename": "l.md", "score": 0.9, "text": FACTS[0]}],
        },
        {
            "id": "s",
            "type": "mcp_call",
            "arguments": "{}",
            "name": "n",
            "server_label": "l",
            "output": FACTS[1],
        },
        {
            "id": "m",
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": TEXT, "annotations": []}],
        },
    ],
}


def ragas() -> Iterator[Any]:
    sample = SingleTurnSample(user_input=QUERY, response=TEXT, retrieved_contexts=list(FACTS))
    dataset = EvaluationDataset(samples=[sample])
    dataset.to_csv("ragas.csv")
    dataset.to_jsonl("ragas.jsonl")
    yield from (sample.model_dump(), sample.to_dict(), *dataset.to_list())
    yield from _rows(Path("ragas.csv"))
    yield from _rows(Path("ragas.jsonl"))


def deepeval() -> Iterator[Any]:
    case = LLMTestCase(input=QUERY, actual_output=TEXT, retrieval_context=list(FACTS))
    yield from (case.model_dump(), case.model_dump(by_alias=True))
    dataset = DeepEvalDataset()
    dataset.add_test_case(case)
    for kind in ("json", "csv", "jsonl"):
        dataset.save_as(kind, "deepeval", file_name="rows", include_test_cases=True)
        yield from _rows(Path(f"deepeval/rows.{kind}"))


def _rows(path: Path) -> list[Any]:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".csv":
        return list(csv.DictReader(text.splitlines()))
    return json.loads(text) if path.suffix == ".json" else list(map(json.loads, text.splitlines()))


def llama_index() -> Iterator[Any]:
    nodes = [NodeWithScore(node=TextNode(text=fact), score=0.5) for fact in FACTS]
    for dump in (NodeWithScore.to_dict, NodeWithScore.model_dump, NodeWithScore.model_dump_json):
        yield {"query": QUERY, "response": TEXT, "source_nodes": list(map(dump, nodes))}
    tools = [ToolOutput(content=fact, tool_name="t", raw_input={}, raw_output=0) for fact in FACTS]
    agent = AgentChatResponse(response=TEXT, sources=tools)
    given = {"sources": [each.model_dump() for each in agent.sources], "source_nodes": []}
    yield {"query": QUERY, "response": agent.response, **given}


def haystack() -> Iterator[Any]:
    documents = [HaystackDocument(content=fact, meta={"name": "l.md"}) for fact in FACTS]
    answer = GeneratedAnswer(data=TEXT, query=QUERY, documents=documents)
    yield from (answer.to_dict(), dataclasses.asdict(answer))
    for reply in (TEXT, ChatMessage.from_assistant(TEXT)):
        built = AnswerBuilder().run(query=QUERY, replies=[reply], documents=documents)["answers"]
        for dump in (GeneratedAnswer.to_dict, dataclasses.asdict):
            yield {"answers": list(map(dump, built))}
        yield {"answer_builder": {"answers": [each.to_dict() for each in built]}}


def google_genai() -> Iterator[Any]:
    chunks = [
        types.GroundingChunk(retrieved_context=types.GroundingChunkRetrievedContext(text=fact))
        for fact in FACTS
    ]
    found = types.GroundingMetadata(grounding_chunks=chunks)
    thought, parts = types.Part(text="Hm.", thought=True), [types.Part(text=TEXT)]
    ran = [
        types.Part(code_execution_result=types.CodeExecutionResult(output=fact)) for fact in FACTS
    ]
    grounded = _generated([thought, *parts], grounding_metadata=found)
    yield from (grounded.model_dump(mode="json"), grounded.to_json_dict())
    yield json.loads(grounded.model_dump_json(by_alias=True, exclude_none=True))
    yield _generated([*ran, *parts]).model_dump(mode="json")
    calls = [types.Content(role="user", parts=[types.Part(text=QUERY)])]
    calls += [
        types.Content(
            role="user",
            parts=[types.Part.from_function_response(name="f", response={"result": fact})],
        )
        for fact in FACTS
    ]
    plain = _generated(parts)
    asked = {"contents": [each.model_dump(mode="json") for each in calls]}
    yield {"request": asked, "response": plain.model_dump(mode="json")}
    plain.automatic_function_calling_history = calls
    yield plain.model_dump(mode="json", exclude_none=True)
    first, last = (_generated([types.Part(text=text)]) for text in (TEXT[:5], TEXT[5:]))
    first.candidates[0].finish_reason = None
    last.candidates[0].grounding_metadata = found
    yield [each.model_dump(mode="json") for each in (first, last)]


def _generated(parts: list[Any], **fields: Any) -> Any:
    content = types.Content(role="model", parts=parts)
    candidate = types.Candidate(content=content, finish_reason="STOP", **fields)
    return types.GenerateContentResponse(candidates=[candidate])


def langchain() -> Iterator[Any]:
    documents = [Document(fact, metadata={"source": "l.md"}) for fact in FACTS]
    for dump in (dumpd, Document.model_dump):
        context = list(map(dump, documents))
        yield {"input": QUERY, "context": context, "answer": TEXT}
        yield {"question": QUERY, "context": context, "answer": dump(AIMessage(TEXT))}
        yield {"query": QUERY, "source_documents": context, "result": TEXT}
    for content in (TEXT, _BLOCKS):
        messages = [
            *(SystemMessage("Be brief."), HumanMessage("Hello."), AIMessage("Hi.")),
            *(
                HumanMessage(QUERY),
                AIMessage("", tool_calls=[{"name": "s", "args": {}, "id": "c"}]),
            ),
            ToolMessage(FACTS[0], tool_call_id="c"),
            ToolMessage([{"type": "text", "text": FACTS[1]}], tool_call_id="d"),
            AIMessage(content),
        ]
        for made in (
            [each.model_dump() for each in messages],
            messages_to_dict(messages),
            list(map(dumpd, messages)),
            convert_to_openai_messages(messages),
        ):
            yield {"messages": made}


def _openai() -> OpenAI:
    def reply(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json=_RESPONSE if "responses" in request.url.path else _CHAT)

    client = httpx.Client(transport=httpx.MockTransport(reply))
    return OpenAI(api_key="k", base_url="http://localhost/v1", http_client=client)


def openai() -> Iterator[Any]:
    completion = _openai().chat.completions.create(model="m", messages=_ASKED)
    yield {"messages": _ASKED, **completion.model_dump()}
    yield {"messages": _ASKED, "response": json.loads(completion.model_dump_json())}
    yield {"request": {"messages": _ASKED}, "response": completion.to_dict()}
    response = _openai().responses.create(model="m", input=QUERY)
    yield from (response.model_dump(), response.to_dict(), json.loads(response.to_json()))


def anthropic() -> Iterator[Any]:
    place = {"document_index": 0, "document_title": "L", "start_char_index": 0, "end_char_index": 3}
    cited = [{"type": "char_location", "cited_text": fact, **place} for fact in FACTS]
    reply = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 1, "output_tokens": 1},
        "content": [{"type": "text", "text": TEXT, "citations": cited}],
    }
    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, json=reply))
    client = Anthropic(api_key="k", http_client=httpx2.Client(transport=transport))
    sources = [
        {
            "type": "document",
            "source": {"type": "text", "media_type": "text/plain", "data": FACTS[0]},
        },
        {
            "type": "search_result",
            "source": "u",
            "title": "t",
            "content": [{"type": "text", "text": FACTS[1]}],
        },
    ]
    result = {"type": "tool_result", "tool_use_id": "t", "content": sources}
    question = {"role": "user", "content": [{"type": "text", "text": QUERY}]}
    given = [{"role": "user", "content": [*sources, {"type": "text", "text": QUERY}]}]
    create = functools.partial(client.messages.create, model="m", max_tokens=9)
    message = create(messages=given)
    yield from (message.model_dump(), json.loads(message.to_json()))
    reply["content"] = _BLOCKS
    for asked in (given, [question, {"role": "user", "content": [result]}]):
        yield {"request": {"messages": asked}, "response": create(messages=asked).model_dump()}


def _traced(instrumentor: Any, call: Callable[[], object]) -> Iterator[Any]:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    instrumentor.instrument(tracer_provider=provider)
    call()
    instrumentor.uninstrument()
    spans = exporter.get_finished_spans()
    for keeps_names in (False, True):
        written = MessageToDict(encode_spans(spans), preserving_proto_field_name=keeps_names)
        yield _with_hexadecimal_ids(written)
    if len(spans) == 1:
        yield json.loads(spans[0].to_json())


def _with_hexadecimal_ids(value: Any) -> Any:
    if isinstance(value, list):
        return list(map(_with_hexadecimal_ids, value))
    if not isinstance(value, dict):
        return value
    return {
        name: b64decode(field).hex()
        if name.lower().replace("_", "") in ("traceid", "spanid", "parentspanid")
        else _with_hexadecimal_ids(field)
        for name, field in value.items()
    }


def openinference() -> Iterator[Any]:
    client = _openai()
    yield from _traced(
        OpenAIInstrumentor(), lambda: client.chat.completions.create(model="m", messages=_ASKED)
    )
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
    store.add_documents(list(map(Document, FACTS)))
    prompt, retriever = ChatPromptTemplate.from_template("{context} {input}"), store.as_retriever()
    answer = prompt | FakeListChatModel(responses=[TEXT]) | StrOutputParser()
    found = RunnablePassthrough.assign(context=lambda row: retriever.invoke(row["input"]))
    plain = {"context": retriever, "input": RunnablePassthrough()} | answer
    yield from _traced(
        LangChainInstrumentor(), lambda: found.assign(answer=answer).invoke({"input": QUERY})
    )
    yield from _traced(LangChainInstrumentor(), lambda: plain.invoke(QUERY))


def langfuse() -> Iterator[Any]:
    for asked, said in (
        (_ASKED, [_SAID]),
        (json.dumps(_ASKED), json.dumps(_SAID)),
        ({"messages": _ASKED}, _SAID | {"content": _BLOCKS}),
        ({"question": QUERY}, {"answer": TEXT, "context": list(map(dumpd, map(Document, FACTS)))}),
    ):
        ids = {"id": "o", "trace_id": "t", "project_id": "p", "type": "GENERATION"}
        seen = ObservationV2(**ids, start_time=_AT, end_time=_AT, input=asked, output=said)
        yield json.loads(seen.model_dump_json())
        yield json.loads(seen.model_dump_json(by_alias=True, exclude_none=True))


def reasons() -> Iterator[str]:
    """Yield the words for the end of an answer, from the libraries' own types."""
    for annotation in (
        Choice.model_fields["finish_reason"].annotation,
        Response.model_fields["status"].annotation,
        IncompleteDetails.model_fields["reason"].annotation,
        StopReason,
        BetaStopReason,
    ):
        yield from _literals(annotation)
    yield from (each.name for each in types.FinishReason)


def _literals(annotation: Any) -> Iterator[str]:
    for each in get_args(annotation):
        yield from [each] if isinstance(each, str) else _literals(each)


if __name__ == "__main__":
    for make in (
        *(ragas, deepeval, llama_index, haystack, google_genai, langchain, openai, anthropic),
        *(openinference, langfuse, reasons),
    ):
        for message in make():
            sys.stdout.write(f"{json.dumps([make.__name__, message])}\n")
