"""The options of continuous monitoring."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pipeline.option import Option, positive, whole
from schemas.quantities import SECOND_US
from transforms.grounding.settings import RetrySettings
from transforms.rules.no_data import NoDataRule

_SUBSCRIPTION = re.compile(r"projects/[^/\s]+/subscriptions/[^/\s]+")
_TOPIC = re.compile(r"projects/[^/\s]+/topics/[^/\s]+")
_ADDRESS = re.compile(r"(?:(?P<host>[^:\s]+|\[[^\]\s]+\]):)?(?P<port>\d{1,5})", re.ASCII)
_HIGHEST_PORT = 65_535
_SILENCE = NoDataRule()


def _subscription(text: str) -> str:
    if not _SUBSCRIPTION.fullmatch(text):
        raise ValueError("must have the form projects/P/subscriptions/S")
    return text


def _topic(text: str) -> str:
    if not _TOPIC.fullmatch(text):
        raise ValueError("must have the form projects/P/topics/T")
    return text


def _file(text: str) -> str:
    if not Path(text).is_file():
        raise ValueError("must be a file of this machine")
    return text


def _address(text: str) -> tuple[str, int]:
    found = _ADDRESS.fullmatch(text)
    if not found or int(found["port"]) > _HIGHEST_PORT:
        raise ValueError("must have the form HOST:PORT, or be a port; port 0 takes a free one")
    return (found["host"] or "127.0.0.1").strip("[]"), int(found["port"])


SUBSCRIPTION = Option(
    name="subscription",
    meaning="the Pub/Sub subscription to read: projects/P/subscriptions/S",
    read=_subscription,
    is_required=True,
)

PUBSUB_ADDRESS = Option(
    name="pubsub_address",
    meaning="a Pub/Sub server without encryption, such as an emulator, HOST:PORT; by default"
    " Google's, or what PUBSUB_EMULATOR_HOST says",
)

FAILURE_SUBSCRIPTION = Option(
    name="failure_subscription",
    meaning="replay what a subscription to a failure topic holds, instead of --failures:"
    " projects/P/subscriptions/S",
    read=_subscription,
)

IDLE = Option(
    name="idle_s",
    meaning="seconds without a message after which the subscription counts as empty",
    read=positive,
    default=5.0,
)

MAX_ANSWER_ATTEMPTS = Option(
    name="max_answer_attempts",
    meaning="attempts to check an answer after which it is a failure, while the checker answers"
    " others; in an outage, in which it answers none, all answers are held",
    read=whole,
    default=RetrySettings().max_answer_attempts,
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
    PUBSUB_ADDRESS,
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

NO_DATA = (
    Option(
        name="no_data_after_s",
        meaning="seconds without an answer after which an engine that had steady traffic, or the"
        " whole subscription, has fallen silent",
        read=positive,
        default=_SILENCE.after_us / SECOND_US,
    ),
    Option(
        name="no_data_min_answers",
        meaning="fewer answers in the hour before are no steady traffic",
        read=whole,
        default=_SILENCE.min_answers,
    ),
)

CANARY = (
    Option(
        name="canary",
        meaning="a local file of known answers that are checked again and again, so that a change"
        " of the checker is told apart from one of the chatbot",
        read=_file,
    ),
    Option(
        name="canary_every_s",
        meaning="seconds from one check of the known answers to the next",
        read=positive,
        default=3600.0,
    ),
)

HEALTH_ADDRESS = Option(
    name="health_address",
    meaning="answer /healthz and /metrics over HTTP on HOST:PORT, or on a port of 127.0.0.1; by"
    " default nothing listens",
    read=_address,
)


def silence_rule_from(values: Mapping[str, Any]) -> NoDataRule:
    """Sort the options of silence into their rule.

    Args:
      values: by option name, read and valid.
    """
    return NoDataRule(
        after_us=round(values["no_data_after_s"] * SECOND_US),
        min_answers=values["no_data_min_answers"],
    )
