"""What Dataflow is told of each parameter of a template: its type, and a pattern it must match.

The patterns are for Java's and Python's engines alike. They need not refuse all that the command
line refuses: they refuse before a machine is paid for.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from pipeline import option as readers
from pipeline.option import OneOf, Option
from schemas import Record

_NUMBER = r"[0-9]+([.][0-9]+)?(e-?[0-9]+)?"
_FRACTION = r"(0|1|1[.]0+|0?[.][0-9]+|[0-9]([.][0-9]+)?e-[0-9]+)"
_WHOLE = r"0*[1-9][0-9]*"
_PATH = r"(gs://[^/\s]+/\S+|[^:\s]+)"
_NAME = r"[^/?#\s]+"
_ADDRESS = r"https?://[^/?#@\s]+/?"


class Kind(Record, frozen=True, kw_only=True):
    """A type of Dataflow's `ParameterType`, and the pattern of one value."""

    type: str = "TEXT"
    pattern: str = r"[\s\S]*\S[\s\S]*"


_BY_READER: Mapping[Any, Kind] = {
    readers.some_text: Kind(),
    readers.fraction: Kind(type="NUMBER", pattern=_FRACTION),
    readers.share: Kind(type="NUMBER", pattern=_FRACTION),
    readers.fraction_or_none: Kind(pattern=rf"({_FRACTION}|[nN][oO][nN][eE])"),
    readers.positive: Kind(type="NUMBER", pattern=_NUMBER),
    readers.whole: Kind(type="NUMBER", pattern=_WHOLE),
    readers.whole_or_zero: Kind(type="NUMBER", pattern=r"[0-9]+"),
    readers.location: Kind(pattern=_PATH),
}

_WORD = Kind(pattern="[A-Z_]+")
"""One of many verdicts or tags, of which a new version may know more."""

_PUBSUB = r"projects/[a-z][-a-z0-9:.]{4,61}[a-z0-9]/%s/[^/\s]+"
_BY_NAME: Mapping[str, Kind] = {
    "subscription": Kind(type="PUBSUB_SUBSCRIPTION", pattern=_PUBSUB % "subscriptions"),
    "alert_topic": Kind(type="PUBSUB_TOPIC", pattern=_PUBSUB % "topics"),
    "failure_topic": Kind(type="PUBSUB_TOPIC", pattern=_PUBSUB % "topics"),
    "output": Kind(type="GCS_WRITE_FOLDER", pattern=r"gs://[^/\s]+/\S+"),
    "input": Kind(pattern=r"gs://[^/\s]+/\S+"),
    "run_id": Kind(pattern=r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}"),
    "sample": Kind(pattern=rf"([^\s=]+=)?{_FRACTION}"),
    "move_reason": Kind(pattern=r"[^\s=]+=[A-Z_]+"),
    "checker": Kind(pattern=rf"(local|discoveryengine|{_ADDRESS})"),
    "grounding_config": Kind(
        pattern=rf"projects/{_NAME}/locations/{_NAME}/groundingConfigs/{_NAME}"
    ),
    "user_labels": Kind(pattern=r"[a-z][a-z0-9_-]{0,62}=[a-z0-9_-]{0,63}"),
    "proxy": Kind(pattern=_ADDRESS),
    "impersonate_service_account": Kind(type="SERVICE_ACCOUNT", pattern=r"[^@\s]+@[^@\s]+"),
}


_OF_ONE_MACHINE = frozenset(
    {
        "credentials_file",
        "forget_replies",
        "max_calls",
        "max_cost",
        "resume",
        "scorer",
        "segment_messages",
        "work_folder",
    }
)
"""What makes sense only where the command itself does the work."""

_OF_THE_LAUNCHER = frozenset({"project"})
"""What Dataflow's launcher tells the program without being asked."""


def kind_of(option: Option) -> Kind:
    """Tell the type and the pattern of one value of an option.

    Raises:
      KeyError: nobody has said it of the option.
    """
    if option.is_switch:
        return Kind(type="BOOLEAN", pattern="(true|false|True|False)")
    if option.name in _BY_NAME:
        return _BY_NAME[option.name]
    if isinstance(option.read, OneOf):
        if option.takes_many:
            return _WORD
        return Kind(type="ENUM", pattern=f"({'|'.join(map(re.escape, option.read.choices))})")
    return _BY_READER[option.read]


def pattern_of(option: Option) -> str:
    """Make the pattern of a parameter's whole text: one value, or several parted by white space."""
    one = kind_of(option).pattern
    return rf"^{one}(\s+{one})*$" if option.takes_many else f"^{one}$"


def template_options(known: Iterable[Option]) -> tuple[Option, ...]:
    """Leave those of a command's options that a template takes as parameters."""
    left_out = _OF_ONE_MACHINE | _OF_THE_LAUNCHER
    return tuple(option for option in known if option.name not in left_out)
