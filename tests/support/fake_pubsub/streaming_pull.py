"""StreamingPull: messages as they come, within what the reader is willing to hold."""

import contextlib
import sys
import threading
from collections.abc import Iterator
from typing import Any

import grpc

from tests.support.fake_pubsub import limits
from tests.support.fake_pubsub.broker import Broker
from tests.support.fake_pubsub.leases import Flow
from tests.support.fake_pubsub.reading import Reader
from tests.support.fake_pubsub.rpc import Context
from tests.support.fake_pubsub.wire import StreamingPullResponse

_LOOK_AGAIN_S = 0.05


def converse(
    requests: Iterator[Any], context: Context, broker: Broker, reader: Reader
) -> Iterator[Any]:
    """Answer one stream until it ends.

    Args:
      requests: the first names the subscription, the length of leases and what the reader will
        hold; later ones acknowledge and prolong.
      context: the call.
      broker: the state.
      reader: waits for messages.

    Yields:
      Responses that hold messages.

    Raises:
      Refused: the subscription does not exist, the lease is of no allowed length, or the server is
        unavailable.
    """
    opening = next(requests)
    limits.check_stream(opening)
    hearing = threading.Thread(
        target=_receive, args=(requests, opening.subscription, broker), daemon=True
    )
    hearing.start()
    flow = Flow(
        most_messages=opening.max_outstanding_messages or sys.maxsize,
        most_bytes=opening.max_outstanding_bytes or sys.maxsize,
    )
    is_starved = reader.starves_streams
    with reader.streaming():
        while is_starved and context.is_active() and hearing.is_alive():
            hearing.join(_LOOK_AGAIN_S)
        while context.is_active() and hearing.is_alive():
            response = reader.fill(
                StreamingPullResponse(),
                context,
                opening.subscription,
                wait_s=_LOOK_AGAIN_S,
                lease_s=opening.stream_ack_deadline_seconds,
                flow=flow,
            )
            if response.received_messages:
                if reader.sends_late:
                    hearing.join()
                yield response


def _receive(requests: Iterator[Any], subscription: str, broker: Broker) -> None:
    with contextlib.suppress(grpc.RpcError):  # the stream has ended
        for request in requests:
            broker.acknowledge(subscription, request.ack_ids)
            deadlines = zip(
                request.modify_deadline_ack_ids, request.modify_deadline_seconds, strict=True
            )
            for ack_id, seconds in deadlines:
                broker.prolong(subscription, [ack_id], seconds)
