"""The options of continuous monitoring."""

import re

from pipeline.option import Option, positive, whole

_SUBSCRIPTION = re.compile(r"projects/[^/\s]+/subscriptions/[^/\s]+")
_TOPIC = re.compile(r"projects/[^/\s]+/topics/[^/\s]+")
_MEGABYTE = 1024 * 1024


def _subscription(text: str) -> str:
    if not _SUBSCRIPTION.fullmatch(text):
        raise ValueError("must have the form projects/P/subscriptions/S")
    return text


def _topic(text: str) -> str:
    if not _TOPIC.fullmatch(text):
        raise ValueError("must have the form projects/P/topics/T")
    return text


SUBSCRIPTION = Option(
    name="subscription",
    meaning="the Pub/Sub subscription to read: projects/P/subscriptions/S",
    read=_subscription,
    is_required=True,
)

WATCH = (
    Option(
        name="alert_topic",
        meaning="where alerts go: projects/P/topics/T; by default into files of the output",
        read=_topic,
    ),
    Option(
        name="failure_topic",
        meaning="where failures go: projects/P/topics/T; by default into files of the output",
        read=_topic,
    ),
    Option(
        name="alert_ordering",
        meaning="publish the alerts of one engine under an ordering key",
        is_switch=True,
        default=False,
    ),
    Option(
        name="pubsub_address",
        meaning="a Pub/Sub server without encryption, such as an emulator, HOST:PORT; by default"
        " Google's, or what PUBSUB_EMULATOR_HOST says",
    ),
    Option(
        name="batch_messages",
        meaning="messages that are worked off and made durable together, at most",
        read=whole,
        default=1_000,
    ),
    Option(
        name="held_messages",
        meaning="messages held at most, those in work included",
        read=whole,
        default=4_000,
    ),
    Option(
        name="held_mb",
        meaning="megabytes of messages held at most",
        read=whole,
        default=64,
    ),
    Option(
        name="file_age_s",
        meaning="seconds after which what is durable becomes a file",
        read=positive,
        default=300.0,
    ),
    Option(
        name="dedupe_h",
        meaning="hours for which a record id is remembered, so that it is written once",
        read=positive,
        default=24.0,
    ),
    Option(
        name="drain_s",
        meaning="seconds within which the worker ends once it is told to",
        read=positive,
        default=25.0,
    ),
)
