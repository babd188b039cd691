# ruff: noqa: INP001 - it runs beside the package, not in it.
"""Create topics, or publish the sample answers again and again, for compose.yaml.

    python sample_topic.py topics | publish

PUBSUB_EMULATOR_HOST names the server, PER_S the messages a second.
"""

import itertools
import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

from google.api_core.exceptions import AlreadyExists
from google.pubsub_v1 import PublisherClient, SubscriberClient

from groundwatch.launch.cli.samples import sample_paths
from groundwatch.launch.engine.pubsub.clients import open_client
from groundwatch.launch.watch.topic import Topic
from groundwatch.pipeline.sinks.topic_messages import build_message
from groundwatch.transforms.grounding.settings import GoogleAccount

ANSWERS = "projects/sample/topics/answers"
_TOPICS = (ANSWERS, "projects/sample/topics/alerts", "projects/sample/topics/failures")


def create_topics() -> None:
    """Create the topics, each with a subscription of the same name."""
    publisher = open_client(PublisherClient, None, GoogleAccount())
    subscriber = open_client(SubscriberClient, None, GoogleAccount())
    for topic in _TOPICS:
        name = topic.replace("topics", "subscriptions")
        with suppress(AlreadyExists):
            publisher.create_topic(name=topic)
        with suppress(AlreadyExists):
            subscriber.create_subscription(name=name, topic=topic)


def sample_answers(number: int) -> Iterator[bytes]:
    """Read the sample answers, with names that differ from those of other passes."""
    for path in sample_paths():
        for line in filter(bytes.strip, Path(path).read_bytes().splitlines()):
            yield re.sub(rb'("name": "projects/[^"]*/answers/)', rb"\g<1>%d-" % number, line)


def publish_samples() -> None:
    """Publish until the process is stopped."""
    pause_s = 1 / float(os.environ.get("PER_S", "5"))
    with closing(Topic(ANSWERS)) as topic:
        for number in itertools.count(int(time.time())):
            for answer in sample_answers(number):
                topic.send([build_message(answer, {})])
                time.sleep(pause_s)


if __name__ == "__main__":
    {"topics": create_topics, "publish": publish_samples}[sys.argv[1]]()
