"""How fast messages are published and pulled, against groundwatch's server and Google's emulator.

python -m tests.benchmarks.pubsub_throughput [--messages N] [--size BYTES] [--pubsub-emulator PATH]

The servers are processes of their own. Ways to pull, each followed by an acknowledgement:
groundwatch's Subscription, the official client's unary Pull, and its `subscribe`.
"""

import argparse
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from google import pubsub_v1
from google.api_core.exceptions import AlreadyExists
from google.cloud.pubsub_v1 import SubscriberClient
from google.cloud.pubsub_v1.types import FlowControl
from google.pubsub_v1 import PublisherClient, types

from launch.pubsub import clients
from launch.pubsub.outstanding import PullSettings
from launch.pubsub.subscription import PubSubSubscription
from launch.pubsub.topic import Topic
from pipeline.sinks.topic_messages import build_message
from tests.support.pubsub_servers import GOOGLES, OWN, GoogleEmulator, find_emulator
from transforms.grounding.settings import GoogleAccount

_TOPIC = "projects/local/topics/answers"
_BATCH = 1_000
_HELD = 2_000
_HELD_BYTES = 64 * 1024 * 1024


def _by_subscription(name: str, number: int) -> None:
    settings = PullSettings(max_messages=_HELD, max_bytes=_HELD_BYTES)
    subscription = PubSubSubscription(name, settings)
    while number > 0:
        messages = subscription.pull(_BATCH, _HELD_BYTES, wait_s=30.0)
        subscription.acknowledge([message.place for message in messages])
        number -= len(messages)
    subscription.close()


def _by_unary_pull(name: str, number: int) -> None:
    client = clients.open_client(pubsub_v1.SubscriberClient, None, GoogleAccount())
    while number > 0:
        response = client.pull(subscription=name, max_messages=_BATCH)
        received = types.PullResponse.pb(response).received_messages
        client.acknowledge(subscription=name, ack_ids=[message.ack_id for message in received])
        number -= len(received)
    clients.close(client)


def _by_subscribe(name: str, number: int) -> None:
    left, done = iter(range(number - 1, -1, -1)), threading.Event()

    def receive(message: object) -> None:
        message.ack()  # type: ignore[attr-defined]
        if not next(left):
            done.set()

    with SubscriberClient() as client:
        flow = FlowControl(max_messages=_HELD, max_bytes=_HELD_BYTES)
        future = client.subscribe(name, receive, flow_control=flow)
        done.wait()
        future.cancel()
        future.result()


_WAYS: dict[str, Callable[[str, int], None]] = {
    "Subscription": _by_subscription,
    "unary Pull": _by_unary_pull,
    "subscribe": _by_subscribe,
}


@contextmanager
def _own_server() -> Iterator[str]:
    command = [sys.executable, "-m", "tests.support.fake_pubsub", "--topic", _TOPIC]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - ours
        assert process.stdout
        yield process.stdout.readline().strip().removeprefix("PUBSUB_EMULATOR_HOST=")
        process.terminate()


@contextmanager
def _googles_emulator(path: Path) -> Iterator[str]:
    with GoogleEmulator(path) as emulator:
        yield emulator.address


def _measure(name: str, messages: int, size_bytes: int) -> None:
    publisher = clients.open_client(PublisherClient, None, GoogleAccount())
    subscriber = clients.open_client(pubsub_v1.SubscriberClient, None, GoogleAccount())
    with suppress(AlreadyExists):
        publisher.create_topic(name=_TOPIC)
    topic = Topic(_TOPIC)
    message = build_message(os.urandom(size_bytes), {"engine": "shop"})
    for way, pull in _WAYS.items():
        subscription = "projects/local/subscriptions/by-" + re.sub(r"\W", "-", way.lower())
        subscriber.create_subscription(name=subscription, topic=_TOPIC, ack_deadline_seconds=60)
        publishing_s = _seconds(partial(topic.publish, [message] * messages))
        cpu_s = time.process_time()
        pulling_s = _seconds(partial(pull, subscription, messages))
        cpu_us = (time.process_time() - cpu_s) / messages * 1e6
        sys.stdout.write(
            f"{name}: published {messages / publishing_s:,.0f}/s; pulled by {way}"
            f" {messages / pulling_s:,.0f}/s, {cpu_us:.0f} us of processor time each\n"
        )
        sys.stdout.flush()
        subscriber.delete_subscription(subscription=subscription)
    topic.close()
    clients.close(subscriber)


def _seconds(run: Callable[[], None]) -> float:
    started_s = time.perf_counter()
    run()
    return time.perf_counter() - started_s


def main(arguments: list[str] | None = None) -> None:
    """Print a line for each server and way to pull."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=20_000)
    parser.add_argument("--size", type=int, default=1_000, help="bytes of a message")
    parser.add_argument("--pubsub-emulator", metavar="PATH", help="'none' goes without")
    options = parser.parse_args(arguments)
    emulator = find_emulator(options.pubsub_emulator)
    servers = {OWN: _own_server}
    if emulator:
        servers[GOOGLES] = partial(_googles_emulator, emulator)
    for name, serve in servers.items():
        with serve() as address:
            os.environ["PUBSUB_EMULATOR_HOST"] = address
            _measure(name, options.messages, options.size)


if __name__ == "__main__":
    main()
