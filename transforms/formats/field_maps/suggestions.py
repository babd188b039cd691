"""Suggest a field map for JSON that nothing reads, by its field names and by what they hold."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from groundwatch.transforms.formats.field_values import first_time
from groundwatch.transforms.formats.text_parts import count_words
from .fact_values import TEXT_NAMES, read_facts
from .field_map import PathPairs
from .field_names import FieldContent, content_by_names, is_about, is_of_tool, snake_case
from .json_path import read_text_as_json

_MAX_FIELDS = 500
_MAX_ITEMS = 50  # of a list
_KINDS = ("role", "type", "sender", "author", "from")  # the fields by which items differ
_KIND = re.compile(r"[\w .:/-]{1,40}", re.ASCII)
_ALTERNATIVES = frozenset({"choices", "candidates", "generations"})  # the first one is the answer
_TIME = re.compile(r"(^|_)(time|timestamp|created(_at)?|date|ts|at|started|when)$")
_ID = re.compile(r"(^|_)(id|uuid|guid|key|ticket|case|ref|reference|number)$")
_SESSION = re.compile(r"(^|_)(session|conversation|thread|dialog)(_(id|key))?$")
_TEXT = re.compile(r"(^|[_.])(content|message|text|body)([_.]|$)")
_DOCUMENT = re.compile(
    r"(^|_)(documents?|docs?|sources?|articles?|files?|pages?)(_?(ids?|names?|titles?|ur[il]s?))?$"
)
_MAX_WHOLE = 2  # texts of a message that are whole whatever stands around them
_MAX_DOCUMENT_NAME = 200  # characters
_DIGITS = re.compile(r"\d+")
_MAX_SPACES = 2  # in a name; more may be text of an answer
_NAME = re.compile(r"[^\W\d][\w .$@:/'-]{0,59}")
_PLAIN_NAME = re.compile(r"[A-Za-z_][\w-]{0,59}", re.ASCII)
_IN_PROMPT = (
    "No field looks like the facts: where they stand only in the prompt, log them in a field of"
    " their own, too, and name it, as in --map 'facts=$.FIELD[*]'."
)
_UNNAMED = (
    "No field looks like the answer or the facts: name them, as in"
    " --map 'answer=$.FIELD' 'facts=$.FIELD'."
)


class _Field(NamedTuple):
    """A path in nested objects, and the texts and numbers that it finds.

    `names` are the names on the way in snake_case, `name` is the last of them. `item_path` leads to
    the `items` of the list around it.
    """

    path: str
    names: str
    name: str
    values: tuple[str | int | float, ...]
    item_path: str = ""
    items: Sequence[object] = ()

    @property
    def content(self) -> FieldContent | None:
        return "other" if is_about(self.name) else content_by_names(self.names)

    @property
    def text(self) -> str:
        return " ".join(" ".join(each.split()) for each in self.values if isinstance(each, str))

    @property
    def has_words(self) -> bool:
        return any(isinstance(each, str) and count_words(each) > 1 for each in self.values)

    def is_in_pieces(self, messages: int) -> bool:
        """Return whether its texts are those of streams: most begin or end with white space."""
        texts = [each for each in self.values if isinstance(each, str)]
        are_spaced = (each[:1].isspace() or each[-1:].isspace() for each in texts)
        return len(texts) > _MAX_WHOLE * messages and sum(are_spaced) * 2 >= len(texts)

    @property
    def is_text(self) -> bool:
        return self.name in TEXT_NAMES or content_by_names(self.name) == self.content


def suggest_map(values: Sequence[object], wanted: Sequence[str] = ("answer", "facts")) -> str:
    """Write the flags that would read answers or their facts, as a sentence for a person.

    The flags come last, quoted for a shell, so that they can be copied to the end of the line.
    Names are spelled as in the values, which are messages as they were written. Where these differ
    in the place of the answer, the flags are for the most frequent place.

    >>> suggest_map([{"said": "Lamps glow.", "docs": ["Lamps glow red."]}])
    "Try --map 'answer=$.said' --map 'facts=$.docs[*]'"
    """
    found, withheld = _find(_alike(values))
    is_whole = {"answer", "facts"} <= {*wanted}
    chosen = [(field, path) for field, path in found if is_whole or field in wanted]
    names = {field for field, _ in chosen}
    said = {
        "answer": withheld.get("answer", ""),
        "facts": withheld.get("facts", "" if "answer" in withheld else _IN_PROMPT),
    }
    reasons = [said[field] for field in said if field in wanted and field not in names]
    if not ({"answer", "facts"} & names or withheld):
        return _UNNAMED if is_whole else " ".join(reasons)
    paths = (f"{field}={path}".replace("'", "'\\''") for field, path in chosen)
    flags = ["Try", *(f"--map '{each}'" for each in paths)] if chosen else []
    return " ".join(filter(None, [*reasons, *flags]))


def _alike(values: Sequence[object]) -> Sequence[object]:
    """Return the messages whose answer is at the most frequent place."""
    groups: dict[str | None, list[object]] = defaultdict(list)
    for value in values if len(values) > 1 else ():
        found, _ = _find([value])
        groups[dict(found).get("answer")].append(value)
    return max(groups.values(), key=len, default=values)


def _find(values: Sequence[object]) -> tuple[PathPairs, Mapping[str, str]]:
    """Choose paths by names and texts.

    The second value says why texts that look like the answer or the facts are not suggested.
    """
    fields = list(islice(_fields(values, _Field("$", "", "", ())), _MAX_FIELDS))
    time = next(filter(_is_time, fields), None)
    sessions = (each for each in fields if _SESSION.search(each.name) and not each.item_path)
    session = next(sessions, None)
    others = [each for each in fields if each is not time and each is not session]
    ids = (each for each in others if _is_id(each, len(values)))
    own_id = min(ids, key=lambda each: len(each.name), default=None)
    by_content: dict[FieldContent | None, list[_Field]] = defaultdict(list)
    for each in others:
        by_content[each.content].append(each)
    query = _likeliest(by_content["query"])
    answer = _answer(by_content)
    facts, repeated = _facts(by_content["facts"], query, answer)
    withheld = {}
    if repeated:
        withheld["facts"] = (
            f"The texts at {repeated} are in the answer, too: name them as the facts only if they"
            " are its sources."
        )
    if answer and answer.is_in_pieces(len(values)):
        withheld["answer"] = (
            f"The texts at {answer.path} are pieces of one text: join them in a field of their own,"
            " since a map reads them as separate texts."
        )
        answer = None
    document = None
    if len(facts) == 1:
        document = next((each for each in fields if _names_document(each, facts[0])), None)
    chosen = (
        *(("query", query), ("answer", answer), *(("facts", each) for each in facts)),
        *(("document", document), ("id", own_id), ("time", time), ("session", session)),
    )
    return tuple((name, each.path) for name, each in chosen if each), withheld


def _answer(by_content: Mapping[FieldContent | None, Sequence[_Field]]) -> _Field | None:
    facts = " ".join(each.text for each in by_content["facts"])
    named = _likeliest(by_content["answer"], facts)
    if named is not None and named.has_words:
        return named
    unnamed = (each for each in by_content[None] if _TEXT.search(each.names))
    texts = (each for each in unnamed if each.has_words or _TEXT.search(each.name))
    return _likeliest(texts, facts) or named


def _facts(
    fields: Sequence[_Field], query: _Field | None, answer: _Field | None
) -> tuple[Sequence[_Field], str]:
    """Return the likeliest field of the facts, or all columns that differ in a number alone.

    The second value is the path of texts that would be the facts, if the answer did not have them.
    """
    columns: dict[str, list[_Field]] = defaultdict(list)
    for each in fields:
        columns[_DIGITS.sub("0", each.path)].append(each)
    joined = [
        each[0]._replace(values=tuple(value for field in each for value in field.values))
        for each in columns.values()
    ]
    texts = [each for each in joined if each.has_words and not (query and each.text == query.text)]
    answer_text = answer.text.casefold() if answer else ""
    own = [each for each in texts if not (answer and _repeats(each, answer_text))]
    if likeliest := _likeliest(own):
        found = columns[_DIGITS.sub("0", likeliest.path)]
        if len(found) == 1:
            others = list(_in_other_items(found[0], own))
            found = [*found, *others] if others else [_with_source(found[0])]
        return found, ""
    repeated = _likeliest(texts)
    return (), repeated.path if repeated else ""


def _repeats(facts: _Field, answer_text: str) -> bool:
    """Return whether all texts are in the answer: citations often have its words beside a source.

    What a tool returned may well be the whole answer.
    """
    texts = (" ".join(each.split()) for each in facts.values if isinstance(each, str))
    return not is_of_tool(facts.names) and all(each.casefold() in answer_text for each in texts)


def _likeliest(fields: Iterable[_Field], supporting: str = "") -> _Field | None:
    """Choose a field with words, with a name of texts, with the words of facts, and the longest."""
    words = {*supporting.lower().split()}

    def rank(field: _Field) -> tuple[int, int, int, int]:
        supported = words.intersection(field.text.lower().split())
        return (field.has_words, field.is_text, len(supported), len(field.text))

    return max((each for each in fields if each.text), key=rank, default=None)


def _is_time(field: _Field) -> bool:
    is_named = bool(_TIME.search(field.name)) and not field.item_path
    return is_named and first_time(*field.values[:1])[0] is not None


def _is_id(field: _Field, messages: int) -> bool:
    """Return whether each of several messages has a value of its own in a field named as an id."""
    is_named = bool(_ID.search(field.name)) and not field.item_path and not field.has_words
    return is_named and 1 < messages == len(set(field.values))


def _names_document(field: _Field, facts: _Field) -> bool:
    """Return whether a field beside the facts may name their document."""
    is_beside = not facts.item_path and len(field.text) <= _MAX_DOCUMENT_NAME and field.text
    is_given = content_by_names(field.names) == "facts" and field.path != facts.path
    return bool(is_beside) and is_given and bool(_DOCUMENT.search(field.name))


def _in_other_items(found: _Field, fields: Iterable[_Field]) -> Iterator[_Field]:
    """Yield the texts of the same list that are in items without the field that is found."""
    items = [each for each in found.items if isinstance(each, dict)]
    steps = [{f"{found.item_path}{_step(name)}" for name in each} for each in items]
    for each in fields:
        is_beside = each.item_path == found.item_path != "" and each.path != found.path
        if is_beside and each.is_text and not any({each.path, found.path} <= at for at in steps):
            yield each


def _with_source(facts: _Field) -> _Field:
    """Return the objects around the facts, which have their titles and addresses.

    They must read as the same texts: beside a source may be the words of the answer that cite it.
    """
    if not facts.item_path:
        return facts
    read = [fact.text for fact in read_facts(facts.items) if fact]
    is_same = bool(read) and " ".join(read).split() == facts.text.split()
    return facts._replace(path=facts.item_path) if is_same else facts


def _fields(values: Sequence[object], at: _Field) -> Iterator[_Field]:
    """Yield the fields below the values that one path finds."""
    read = [read_text_as_json(each) for each in values]
    texts = tuple(each for each in read if isinstance(each, str))
    numbers = tuple(each for each in read if isinstance(each, int | float))
    is_plain = not (texts and numbers) and not any(isinstance(each, dict) for each in read)
    if is_plain and (texts or numbers or None in read):  # this row may lack what others have
        yield at._replace(values=texts or numbers)
    lists = [each for each in read if isinstance(each, list) and each]
    if any(len(each) > 1 for each in lists) and at.name in _ALTERNATIVES:
        first = at._replace(path=f"{at.path}[0]", item_path=f"{at.path}[0]")
        yield from _fields([each[0] for each in lists], first)
    elif lists:
        yield from _items(lists, at)
    below: dict[str, list[object]] = {}
    for each in read:
        for name, field in each.items() if isinstance(each, dict) else ():
            below.setdefault(name, []).append(field)
    for name, inner in below.items():
        if step := _step(name):
            snake = snake_case(name)
            named = at._replace(path=f"{at.path}{step}", names=f"{at.names}.{snake}", name=snake)
            yield from _fields(inner, named)


def _items(lists: Sequence[list[Any]], at: _Field) -> Iterator[_Field]:
    """Yield the fields of the items of lists, apart for each role in a chat."""
    items = [item for each in lists for item in each[:_MAX_ITEMS]]
    last = [each[-1] for each in lists]
    objects = [each for each in items if isinstance(each, dict)]
    key, kinds = _kinds(objects, at)
    for kind, names in kinds.items():
        chosen = [each for each in objects if each.get(key) == kind]
        path = f'{at.path}[?(@.{key}=="{kind}")]'
        is_last = len(chosen) > len(last) and all(each in chosen for each in last)
        if is_last and content_by_names(names) == "answer":
            path, chosen = f"{at.path}[-1]", last
        inner = at._replace(path=path, names=names, item_path=path, items=chosen)
        yield from _fields(chosen, inner)
    if kinds:
        return
    path = f"{at.path}[*]"
    inner = at._replace(path=path, item_path=path if objects else "", items=items)
    yield from _fields(items, inner)


def _kinds(objects: Sequence[dict[str, Any]], at: _Field) -> tuple[str, dict[str, str]]:
    """Return the field by which objects with different contents differ, and its values.

    With each value are the names on the way to its objects. There is none if all hold the same.
    """
    for key in sorted(_KINDS, key=lambda key: -sum(key in each for each in objects)):
        found = [each[key] for each in objects if isinstance(each.get(key), str)]
        kinds = {kind: f"{at.names}.{snake_case(kind)}" for kind in dict.fromkeys(found)}
        contents = {content_by_names(names) for names in kinds.values()}
        is_role = key != "type" and any(content_by_names(snake_case(kind)) for kind in kinds)
        is_of_all = len(found) == len(objects) and contents != {content_by_names(at.names)}
        is_split = is_role or is_of_all or len(contents) > 1
        if kinds and is_split and all(map(_KIND.fullmatch, kinds)):
            return key, kinds
    return "", {}


def _step(name: str) -> str:
    """Write a field's name as a step; "" for a name that may be text of an answer."""
    if _PLAIN_NAME.fullmatch(name):
        return f".{name}"
    # A shell expands $['A'] within double quotes: the path has these, and single ones around it.
    return f'["{name}"]' if _NAME.fullmatch(name) and name.count(" ") <= _MAX_SPACES else ""
