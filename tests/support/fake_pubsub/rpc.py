"""How calls come in over gRPC, and how refusals go out."""

from collections.abc import Callable, Iterator
from typing import Any

import grpc

from groundwatch.schemas import Record
from tests.support.fake_pubsub.faults import Faults
from tests.support.fake_pubsub.refused import Refused

Context = grpc.ServicerContext
Unary = Callable[[Any, Context], Any]
"""Takes a request, returns a response; raises Refused."""

Calls = dict[str, tuple[Any, Unary]]
"""By a call's name, the class of its request and what answers it."""

Streaming = Callable[[Iterator[Any], Context], Iterator[Any]]
"""Takes requests as they come, yields responses; raises Refused."""


class Service(Record, frozen=True):
    """The calls of one gRPC service.

    Attributes:
      name: such as `google.pubsub.v1.Publisher`.
      unary: its calls.
      streaming: the same of calls that are streams both ways.
    """

    name: str
    unary: Calls
    streaming: dict[str, tuple[Any, Streaming]] = {}


def handler(service: Service, faults: Faults) -> grpc.GenericRpcHandler:
    """Make gRPC's handler of a service, whose every call suffers the faults."""
    methods = {}
    for call, (request_class, answer) in service.unary.items():
        methods[call] = grpc.unary_unary_rpc_method_handler(
            _answering(answer, faults), request_class.FromString, _serialize
        )
    for call, (request_class, converse) in service.streaming.items():
        methods[call] = grpc.stream_stream_rpc_method_handler(
            _conversing(converse, faults), request_class.FromString, _serialize
        )
    return grpc.method_handlers_generic_handler(service.name, methods)


def _answering(answer: Unary, faults: Faults) -> Unary:
    def handle(request: Any, context: Context) -> Any:
        try:
            faults.delay()
            faults.strike()
            return answer(request, context)
        except Refused as refused:
            return context.abort(refused.code, str(refused))

    return handle


def _conversing(converse: Streaming, faults: Faults) -> Streaming:
    def handle(requests: Iterator[Any], context: Context) -> Iterator[Any]:
        try:
            faults.strike()
            yield from converse(requests, context)
        except Refused as refused:
            context.abort(refused.code, str(refused))

    return handle


def _serialize(response: Any) -> bytes:
    serialized: bytes = response.SerializeToString()
    return serialized
