"""A session of the Agent Development Kit: its runs, each of which is an answer.

Source: https://google.github.io/adk-docs/sessions/session/
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from groundwatch.transforms.formats.unread_content import all_but
from .carrier import CarriedBody, Carrier, text_attributes

_EVENT_FIELDS = frozenset({"invocationId", "author"})


def is_event(value: object) -> bool:
    """Return whether parsed JSON is an event of the kit."""
    return isinstance(value, dict) and value.keys() >= _EVENT_FIELDS


def runs_of(events: Sequence[Any]) -> list[list[Any]]:
    """Split events into those of each run, by their invocation."""
    groups = groupby(events, lambda event: event.get("invocationId") if is_event(event) else None)
    return [list(group) for _, group in groups]


def _unwrap(session: Mapping[str, Any]) -> Iterator[CarriedBody]:
    runs = runs_of(session["events"])
    for run in runs:
        yield CarriedBody(
            body=run,
            attributes=text_attributes(session=session.get("id"), engine=session.get("appName")),
            alone={**session, "events": run} if len(runs) > 1 else None,
        )


def _is_session(fields: Mapping[str, Any]) -> bool:
    events = fields["events"]
    return isinstance(events, list) and bool(events) and all(map(is_event, events))


AGENT_SESSION = Carrier(
    name="agent session",
    marks=frozenset({"events"}),
    detects=_is_session,
    unwrap=_unwrap,
    unread=all_but("events"),
)
