"""Find the fields of JSON that may hold an answer or its facts, with the paths of a field map."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from groundwatch.transforms.formats.text_parts import count_words
from groundwatch.transforms.lexical.language.sentences import QUESTION_MARKS
from .fact_values import TEXT_NAMES
from .field_names import ANSWER_LISTS, FieldContent, content_by_names, is_about, snake_case
from .json_path import TEXT_BLOCKS, read_text_as_json, value_at

_MAX_FIELDS = 500
MAX_ITEMS = 50
"""How many items of a list are looked at."""

# The fields that say who wrote an item.
_WRITERS = (
    *("role", "sender", "author", "from", "speaker"),
    *("from.role", "sender.role", "sender.type", "author.role", "author.type"),
)
_KIND = re.compile(r"[\w .:/-]{1,40}", re.ASCII)
_MAX_SPACES = 2  # in a name; more may be text of an answer
_NAME = re.compile(r"[^\W\d][\w .$@:/'-]{0,59}")
_PLAIN_NAME = re.compile(r"[A-Za-z_][\w-]{0,59}", re.ASCII)


class FoundField(NamedTuple):
    """A path in nested objects, and the texts and numbers that it finds.

    `names` are the names on the way in snake_case, `name` is the last of them. `item_path` leads to
    the `items` of the list around it, `senders` to the field that says who wrote them. It is
    `of_user` if it has the only text of an object that a user wrote.
    """

    path: str
    names: str
    name: str
    values: tuple[str | int | float, ...]
    item_path: str = ""
    items: Sequence[object] = ()
    senders: str = ""
    of_user: bool = False

    @property
    def content(self) -> FieldContent | None:
        if is_about(self.name) or self.name in _WRITERS:
            return "other"
        content = content_by_names(self.names)
        return "query" if content == "answer" and self.of_user else content

    @property
    def texts(self) -> list[str]:
        return [one_line(each) for each in self.values if isinstance(each, str)]

    @property
    def text(self) -> str:
        return " ".join(self.texts)

    @property
    def has_words(self) -> bool:
        return any(count_words(each) > 1 for each in self.texts)

    @property
    def is_question(self) -> bool:
        """Whether most of its texts end as those of a user do, and those of a source do not."""
        ends = [each.endswith(QUESTION_MARKS) for each in self.texts if each]
        return sum(ends) * 2 > len(ends)

    @property
    def is_text(self) -> bool:
        return self.name in TEXT_NAMES or content_by_names(self.name) == self.content


def find_fields(values: Sequence[object]) -> Sequence[FoundField]:
    """Return the fields of messages that hold texts or numbers, each with its path."""
    return [*islice(_fields(values, FoundField("$", "", "", ())), _MAX_FIELDS)]


def one_line(text: str) -> str:
    """Write a text with single spaces between its words."""
    return " ".join(text.split())


def _fields(values: Sequence[object], at: FoundField) -> Iterator[FoundField]:
    """Yield the fields below the values that one path finds."""
    read = [read_text_as_json(each) for each in values]
    texts = tuple(each for each in read if isinstance(each, str))
    numbers = tuple(each for each in read if isinstance(each, int | float))
    objects = [each for each in read if isinstance(each, dict)]
    if bool(texts) != bool(numbers) and not objects:
        yield at._replace(values=texts or numbers)
    lists = [each for each in read if isinstance(each, list) and each]
    if any(len(each) > 1 for each in lists) and at.name in ANSWER_LISTS:
        first = at._replace(path=f"{at.path}[0]", item_path=f"{at.path}[0]")
        yield from _fields([each[0] for each in lists], first)
    elif lists:
        yield from _items(lists, at)
    writers = {key: set(map(snake_case, found)) for key, found in _writers(objects).items()}
    alike = [next(iter(found)) for found in writers.values() if len(found) == 1]
    contents = {key: set(map(content_by_names, found)) for key, found in writers.items()}
    senders = (
        f"{at.path}.{key}" for key, found in contents.items() if len(found) > 1 and "query" in found
    )
    fields = [field for each in objects for field in each.items()]
    texts_beside = {
        name for name, field in fields if isinstance(field, str) and count_words(field) > 1
    }
    of_user = "query" in map(content_by_names, alike) and len(texts_beside) == 1
    names = ".".join([at.names, *alike])
    at = at._replace(names=names, senders=next(senders, at.senders), of_user=of_user)
    below: dict[str, list[object]] = {}
    for name, field in fields:
        below.setdefault(name, []).append(field)
    for name, inner in below.items():
        if step := step_of(name):
            snake = snake_case(name)
            named = at._replace(path=f"{at.path}{step}", names=f"{at.names}.{snake}", name=snake)
            yield from _fields(inner, named)


def _items(lists: Sequence[list[Any]], at: FoundField) -> Iterator[FoundField]:
    """Yield the fields of the items of lists, apart for each role in a chat."""
    items = [item for each in lists for item in each[:MAX_ITEMS]]
    last = [each[-1] for each in lists]
    objects = [each for each in items if isinstance(each, dict)]
    key, kinds = _kinds(objects, at)
    for kind, names in kinds.items():
        chosen = [each for each in objects if value_at(each, key) == kind]
        path = f'{at.path}[?(@.{key}=="{kind}")]'
        is_last = len(chosen) > len(last) and all(each in chosen for each in last)
        if is_last and kind not in TEXT_BLOCKS and content_by_names(names) == "answer":
            path, chosen = f"{at.path}[-1]", last
        named = [[each for each in some if value_at(each, key) == kind] for some in lists]
        senders = _senders(named, path) if key == "type" else ""
        inner = at._replace(path=path, names=names, item_path=path, items=chosen, senders=senders)
        yield from _fields(chosen, inner)
    if kinds:
        return
    path, senders = f"{at.path}[*]", _senders(lists, f"{at.path}[*]")
    item_path = path if objects else ""
    yield from _fields(
        items, at._replace(path=path, item_path=item_path, items=items, senders=senders)
    )


def _kinds(objects: Sequence[dict[str, Any]], at: FoundField) -> tuple[str, dict[str, str]]:
    """Return the field by which objects with different contents differ, and its values.

    With each value are the names on the way to its objects. There is none if all hold the same.
    """
    texts = {
        key: [kind for each in objects if isinstance(kind := value_at(each, key), str)]
        for key in (*_WRITERS, "type")
    }
    for key, found in sorted(texts.items(), key=lambda each: -len(each[1])):
        kinds = {kind: f"{at.names}.{snake_case(kind)}" for kind in dict.fromkeys(found)}
        contents = {content_by_names(names) for names in kinds.values()}
        is_role = key != "type" and any(content_by_names(snake_case(kind)) for kind in kinds)
        is_of_all = len(found) == len(objects) and contents != {content_by_names(at.names)}
        is_split = (
            is_role or is_of_all or len(contents) > 1 or not kinds.keys().isdisjoint(TEXT_BLOCKS)
        )
        if kinds and is_split and all(map(_KIND.fullmatch, kinds)):
            return key, kinds
    return "", {}


def _senders(lists: Sequence[Sequence[object]], path: str) -> str:
    """Return the path of the field that says who wrote the items of one list, "" if none does."""
    writers = (each for items in lists for each in _writers(items).items())
    return next((f"{path}.{key}" for key, found in writers if len(found) > 1), "")


def _writers(items: Sequence[object]) -> Mapping[str, set[str]]:
    """Return what each field says of who wrote some items."""
    found = {key: [value_at(each, key) for each in items[:MAX_ITEMS]] for key in _WRITERS}
    return {
        key: {
            str(each)
            for each in given
            if isinstance(each, str | int) and _KIND.fullmatch(str(each))
        }
        for key, given in found.items()
    }


def step_of(name: str) -> str:
    """Write a field's name as a step; "" for a name that may be text of an answer."""
    if _PLAIN_NAME.fullmatch(name):
        return f".{name}"
    # A shell expands $['A'] within double quotes: the path has these, and single ones around it.
    return f'["{name}"]' if _NAME.fullmatch(name) and name.count(" ") <= _MAX_SPACES else ""
