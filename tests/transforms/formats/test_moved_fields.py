"""A member that holds the text or the facts is renamed or moved: it is read, or a failure.

Each example of docs/formats.md and of the presets is changed at every depth.
"""

import base64
import json
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from itertools import chain
from typing import Any

import pytest

from groundwatch.schemas.answer import Answer
from groundwatch.schemas.message import ParseOptions
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.formats.parser import ParseFailure, parse_answers, unread_texts
from groundwatch.transforms.rules.routing import route
from tests.support.answer_messages import message_of
from tests.support.formats_page import EXAMPLES
from tests.transforms.formats.field_maps.test_presets import SHAPES

ROWS = {name: json.loads(example) for name, example in EXAMPLES.items()}
ROWS |= {name: shape.row for name, shape in SHAPES.items()}
NAME = "zzMoved"
# A copy of a part of the answer stands there.
REPEATING = {("segment", "text"), ("segments", "text")}
# What Google documents as such holds neither text nor facts.
METADATA = "documentMetadata"
ADDED = "Every lamp of this series is tested for ten hours"
SMALL = {"zzFlag": True, "zzCount": 7, "zzUser": "u" * 200, "zzLabels": {}, "zzTags": ["a", "b"]}

Path = tuple[str | int, ...]


def nodes(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    yield path, value
    items: Any = value.items() if isinstance(value, dict) else ()
    for step, inner in enumerate(value) if isinstance(value, list) else items:
        yield from nodes(inner, (*path, step))


def at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


def holders(value: Any, texts: list[str]) -> list[Path]:
    """List the paths of the named members whose JSON holds some of the texts, at every depth."""
    spellings = [json.dumps(text)[1:-1] for text in texts]
    return [
        path
        for path, inner in nodes(value)
        if path and isinstance(path[-1], str) and any(s in shown(inner) for s in spellings)
    ]


def shown(value: Any) -> str:
    """Write a value as JSON, and decode JSON in base64 in it."""
    texts = (inner for _, inner in nodes(value) if isinstance(inner, str))
    encoded = (text for text in texts if text.startswith("eyJ"))  # as {" is
    return json.dumps(value) + "".join(base64.b64decode(text).decode() for text in encoded)


def changes(value: Any, path: Path) -> Iterator[Any]:
    """Make the copies of a value in which a member has another name or stands elsewhere."""
    name = path[-1]
    renamed = deepcopy(value)
    holder = at(renamed, path[:-1])
    fields = {NAME if each == name else each: field for each, field in holder.items()}
    holder.clear()
    holder.update(fields)
    yield renamed
    if METADATA not in path:
        wrapped = deepcopy(value)
        at(wrapped, path[:-1])[name] = {NAME: at(value, path)}
        yield wrapped
    for place, target in nodes(value):
        is_elsewhere = place[: len(path)] != path and place != path[:-1]
        for new in (NAME, name) if isinstance(target, dict) and is_elsewhere else ():
            names = {step for step in place if isinstance(step, str)}
            is_copy = any(a in names and b == new for a, b in REPEATING)
            if not (new in target or is_copy or METADATA in (*names, new)):
                moved = deepcopy(value)
                at(moved, place)[new] = at(moved, path[:-1]).pop(name)
                yield moved


def read(value: Any) -> Answer | None:
    """Read the one answer of a value; None if it cannot be read."""
    [found] = parse_answers(message_of(value))
    return None if isinstance(found, ParseFailure) else found


def outcomes(value: Any) -> Iterator[str]:
    for found in parse_answers(message_of(value)):
        decision = None if isinstance(found, ParseFailure) else route(found)
        if isinstance(found, ParseFailure):
            yield "failure"
        elif decision is not None and decision.verdict is Verdict.UNSCORABLE:
            yield f"UNSCORABLE {decision.reason}"
        else:
            yield "read"


@pytest.mark.parametrize("value", ROWS.values(), ids=ROWS)
def test_what_holds_the_text_or_facts_elsewhere_is_read_or_a_failure(value: Any) -> None:
    answer = read(value)
    if answer is None:
        assert "ticket" in value  # the page's example of JSON that only a map reads
        return
    texts = [[answer.answer_text], [fact.text for fact in answer.facts]]
    paths = chain.from_iterable(holders(value, each) for each in texts)
    changed = [each for path in dict.fromkeys(paths) for each in changes(value, path)]
    counts = Counter(chain.from_iterable(map(outcomes, changed)))
    assert counts["failure"]
    assert counts.keys() <= {"failure", "read"}, counts


def without(value: Any, texts: list[str]) -> Any:
    """Empty all texts that hold some of these."""
    if isinstance(value, dict):
        return {name: without(field, texts) for name, field in value.items()}
    if isinstance(value, list):
        return [without(item, texts) for item in value]
    is_one = isinstance(value, str) and any(text in value for text in texts)
    return "" if is_one else value


@pytest.mark.parametrize("lacking", ["nothing", "facts"])
@pytest.mark.parametrize("value", ROWS.values(), ids=ROWS)
def test_small_members_anywhere_change_nothing(value: Any, lacking: str) -> None:
    answer = read(value)
    if answer is None:
        return
    if lacking == "facts":
        value = without(value, [fact.text for fact in answer.facts])
    expected = list(outcomes(value))
    for path, inner in list(nodes(value)):
        # What a function returned is a fact as a whole.
        if isinstance(inner, dict) and path[-2:] != ("functionResponse", "response"):
            changed = deepcopy(value)
            at(changed, path).update(SMALL)
            assert list(outcomes(changed)) == expected, path


def removed(value: Any, texts: list[str]) -> Any:
    """Remove the texts that hold some of these, and what holds nothing else; None if all is."""
    if isinstance(value, dict):
        fields = {name: removed(field, texts) for name, field in value.items()}
        return {name: field for name, field in fields.items() if field is not None} or None
    if isinstance(value, list):
        items = (removed(item, texts) for item in value)
        return [item for item in items if item is not None] or None
    if not isinstance(value, str) or not any(text in value for text in texts):
        return value
    inner = removed(json.loads(value), texts) if value.startswith(("{", "[")) else None
    return inner and json.dumps(inner)


def is_silent(value: Any) -> bool:
    """Return whether a message is read without a word of the additional text."""
    for found in parse_answers(message_of(value)):
        if isinstance(found, ParseFailure):
            continue
        is_read = ADDED in json.dumps([found.answer_text, *(each.text for each in found.facts)])
        is_whole = bool(found.answer_text and found.facts)
        if not is_read and not (is_whole and unread_texts(found.message, ParseOptions())):
            return True
    return False


@pytest.mark.parametrize("end", ["", "."])
@pytest.mark.parametrize("value", ROWS.values(), ids=ROWS)
def test_no_additional_text_is_lost_without_a_word(value: Any, end: str) -> None:
    answer = read(value)
    if answer is None:
        return
    facts = [fact.text for fact in answer.facts]
    without_some = [removed(value, texts) for texts in (facts, [answer.answer_text])]
    for message in filter(None, (value, *without_some)):
        for path, inner in list(nodes(message)):
            if isinstance(inner, dict) and {METADATA, "attributes"}.isdisjoint(path[-1:]):
                changed = deepcopy(message)
                at(changed, path)[NAME] = ADDED + end
                assert not is_silent(changed), path
