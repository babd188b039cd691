"""Find the fields of an answer in parsed JSON, by one path or several for each.

The maps are the user's own, and the presets for other tools.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, cycle, repeat

from msgspec.structs import replace

from groundwatch.schemas import Record
from groundwatch.schemas.answer import Fact
from groundwatch.schemas.message import UnmappedFields, UnreadableAnswer
from groundwatch.schemas.wire.json_input import fields_of, list_in
from groundwatch.transforms.formats.fact_collection import render_value
from groundwatch.transforms.formats.finish_reasons import ERROR, REFUSAL
from groundwatch.transforms.formats.text_parts import count_words, join_parts, start_of_final
from .fact_values import read_facts
from .field_names import ANSWER_RANK, answer_rank, ranked_names
from .json_path import MISSING, TEXT_BLOCKS, JsonPath, json_path, read_text_as_json

FIELDS: tuple[str, ...] = (
    *("query", "answer", "facts", "document", "id", "time"),
    *("engine", "session", "trace", "span", "response", "finish_reason", "refusal", "error"),
)
PathPairs = tuple[tuple[str, str], ...]
"""Pairs of a field and its path; several paths of one field are tried in their order."""

_MAX_NAMED_PATHS = 5
_NUMBER = re.compile(r"\d+")
ALTERNATIVES = re.compile(r"\s+\|\s+")
"""What separates the paths of a field."""


class FieldMap(Record, frozen=True):
    """The paths of each field; the first path that finds a text counts, of facts every path.

    The fields `ignored`, in lowerCamelCase, hold neither the answer nor its facts. `candidates`
    finds all answers, where only the first is read, and `other_answers` those that another map's
    stand for. `prompt` finds the texts of the request, and `separator` stands between facts in a
    text. `shapes_at` are the fields whose content may have any of several shapes, which many paths
    go through.
    """

    paths: dict[str, tuple[JsonPath, ...]]
    ignored: frozenset[str] = frozenset()
    candidates: JsonPath | None = None
    other_answers: tuple[JsonPath, ...] = ()
    prompt: tuple[JsonPath, ...] = ()
    separator: str = ""
    shapes_at: tuple[str, ...] = ()

    def replaced_by(self, other: "FieldMap") -> "FieldMap":
        """Return this map with the paths of another one, where that has any."""
        others = self.paths.get("answer", ()) if "answer" in other.paths else ()
        return replace(self, paths=self.paths | other.paths, other_answers=others)

    def find(self, field: str, value: object) -> list[object]:
        """Return the values of a field."""
        paths = self.paths.get(field, ())
        if not paths:
            return []
        if field == "facts":
            return list(chain.from_iterable(path.find(value) for path in paths))
        return _first_text_of(path.find(value) for path in paths)

    def beginning_at(self, body: object, whole: object) -> "FieldMap":
        """Let the paths that lead through a whole message to a body in it begin at the body."""
        paths = {
            field: tuple(_beginning_at(body, whole, path) for path in of_field)
            for field, of_field in self.paths.items()
        }
        return replace(self, paths=paths)

    def place_of(self, field: str, places: Sequence[object]) -> object:
        """Return the first of some values that has a field, or the first of all."""
        if len(places) == 1:
            return places[0]
        return next((each for each in places if self.find(field, each)), places[0])

    def open(self, value: object, *, has_answer: bool = False) -> object:
        """Parse the texts of JSON that many paths go through, once; decide between answers there.

        Nothing is decided where another map has the answer.
        """
        fields = fields_of(value)
        texts = {name: read_text_as_json(fields[name]) for name in self.shapes_at if name in fields}
        if not has_answer:
            texts = {name: with_one_answer(text, f"$.{name}") for name, text in texts.items()}
        return fields | texts if texts else value

    def text(self, field: str, value: object) -> str:
        """Return the text of a field, "" if there is none; texts that are separate are joined.

        Of the turns of a model in a conversation the last counts. An object of a known shape may
        have no text, any other is an error.
        """
        parts = _first_text_of(_texts_at(path, value) for path in self.paths.get(field, ()))
        allowed = str | dict | list | None if self.shapes_at else str | None
        for each in parts:
            if not (isinstance(each, allowed) or _is_content(each)):
                kind = "an object" if isinstance(each, dict) else f"a {type(each).__name__}"
                raise UnreadableAnswer(f"The {field}{self.describe(field)} is {kind}, not a text.")
        text = join_parts(map(_text_or_none, parts))
        return "" if text.strip() in MISSING else text

    def end_words(self, value: object) -> Iterator[str]:
        """Yield the producer's words for why the answer ended; of several the last."""
        for field in (REFUSAL, ERROR):
            if any(self.find(field, value)):
                yield field
        for path in self.paths.get("finish_reason", ()):
            yield from [each for each in path.find(value) if isinstance(each, str)][-1:]

    def facts(self, *places: object) -> Iterator[Fact | None]:
        """Read the facts, as `read_facts` does, with their documents.

        One document is that of all facts; several are of the facts in their order. In columns it is
        that of the facts whose path has the same number, or begins the path of the document.
        """
        facts, documents = self.paths.get("facts", ()), self.paths.get("document", ())
        value = self.place_of("facts", places)
        if not documents:
            yield from read_facts(self.find("facts", value), self.separator)
            return
        columns = [((path,), [each for each in documents if _is_of(each, path)]) for path in facts]
        has_columns = len(facts) > 1 and any(own for _, own in columns)
        for paths, own in columns if has_columns else ((facts, documents),):
            found = chain.from_iterable(path.find(value) for path in paths)
            named_at = _first_text_of(path.find(each) for each in places for path in own)
            names = list(map(render_value, named_at))
            named = cycle(names) if len(names) == 1 else chain(names, repeat(None))
            for fact, name in zip(read_facts(found, self.separator), named, strict=False):
                yield fact and replace(fact, document=fact.document or name)

    def is_empty(self, field: str, value: object) -> bool:
        """Return whether a field is at each of its paths, and empty."""
        paths = self.paths.get(field, ())
        return bool(paths) and all(
            path.finds_empty(value) or "" in map(joined_blocks, path.find(value)) for path in paths
        )

    def prompts(self, value: object) -> tuple[list[str], str]:
        """Return the texts of the prompt, and the first of its paths."""
        found = (joined_blocks(each) for path in self.prompt for each in path.find(value))
        first = self.prompt[0].text if self.prompt else ""
        return [each for each in found if isinstance(each, str)], first

    def describe(self, field: str) -> str:
        """Say where a field should be, such as `` at $.answer``; "" if no path is known."""
        paths = [path.text for path in self.paths.get(field, ())]
        others = ["others"] if len(paths) > _MAX_NAMED_PATHS else []
        return f" at {' or '.join(paths[:_MAX_NAMED_PATHS] + others)}" if paths else ""


def with_one_answer(value: object, path: str = "$") -> object:
    """Give all fields of an object that are named as answers the text that a program generated.

    Evaluations have the answer that they expect beside it.

    Raises:
      UnmappedFields: the names do not decide between two texts.
    """
    names = ranked_names(value)
    if not isinstance(value, dict) or len(names) == 1:
        return value
    texts = {name: text for name in names if (text := named_text(name, value[name]))}
    if len({*texts.values()}) <= 1:
        return value
    best, *others = texts
    others = [name for name in others if texts[name] != texts[best]]
    if answer_rank(others[0]) == answer_rank(best) or not all(
        isinstance(value[name], str) for name in others
    ):
        raise two_answers(*(f"{path}.{name}" for name in texts))
    said = value[best]
    return value | dict.fromkeys(others, said if isinstance(said, str) else texts[best])


def named_text(name: str, field: object) -> str:
    """Return the text of a field that is named as an answer, "" for an id or another object."""
    field = read_text_as_json(field)
    if isinstance(field, dict):
        found = (field[each] for each in ("answer", "content", "text") if each in field)
        field = next((each for each in found if isinstance(each, str)), "")
    text = " ".join(field.split()) if isinstance(field, str) and field not in MISSING else ""
    return text if answer_rank(name) in (0, ANSWER_RANK) or count_words(text) > 1 else ""


def two_answers(*places: str) -> UnmappedFields:
    """Make the error of a message with two texts that are named as answers, the likelier first."""
    return UnmappedFields(
        f"The message has different texts that are named as answers, at {' and '.join(places)}:"
        " name the field that holds what the chatbot said.",
        wanted=("answer",),
    )


def joined_blocks(value: object) -> object:
    """Join the texts of a content that is a list of blocks; return any other value as it is.

    They are those of the final message, and others that cite sources.
    """
    blocks = read_text_as_json(value)
    if not isinstance(blocks, list):
        return value
    texts = [_texts_of_block(block) for block in blocks]
    # Bedrock's blocks have the kind as their only field.
    kinds = [each.get("type") or next(iter(each), "") for each in map(fields_of, blocks)]
    first = start_of_final([any(each) for each in texts], kinds)
    for number in range(first):
        if not _cites(blocks[number]):
            texts[number] = [None]
    joined = [*chain.from_iterable(texts)]
    return value if len(joined) == joined.count(None) > 0 else join_parts(joined)


def _texts_of_block(block: object) -> list[str | None]:
    if not isinstance(block, dict):
        return [_text_or_none(block)]
    if block.get("type") != "message" or block.get("role", "assistant") != "assistant":
        return [_text_or_none(block.get("text")) if block.get("type") in TEXT_BLOCKS else None]
    content = () if block.get("phase") == "commentary" else block.get("content")
    parts = content if isinstance(content, list) else [content]
    return [None, *chain.from_iterable(map(_texts_of_block, parts))]


def _cites(block: object) -> bool:
    fields = fields_of(block)
    is_cited = fields.get("citations") or fields.get("annotations")
    return bool(is_cited) or any(map(_cites, list_in(block, "content")))


def _is_content(value: object) -> bool:
    """Return whether a value is a list of blocks, which may have no text."""
    return isinstance(value, list) and all(
        isinstance(each, dict) and isinstance(each.get("type"), str) for each in value
    )


def _text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _first_text_of(found: Iterable[list[object]]) -> list[object]:
    """Return the first values among which is a text, else the first that are any."""
    first: list[object] = []
    for each in filter(None, found):
        if len(each) == 1 and isinstance(each[0], str) and each[0][:1].isalnum():
            return each  # most often
        joined = list(map(joined_blocks, each))
        # A text of JSON may be what another path goes through.
        if has_text(map(read_text_as_json, joined)):
            return joined
        first = first or joined
    return first


def _texts_at(path: JsonPath, value: object) -> list[object]:
    parts = path.find_parts(value)
    if not path.finds_turns:
        return parts
    return [each for each in parts if has_text([joined_blocks(each)])][-1:]


def has_text(found: Iterable[object]) -> bool:
    """Return whether some value is a text or a number, and not blank."""
    return any(
        each is not None and not isinstance(each, dict | list) and str(each).strip()
        for each in found
    )


def _beginning_at(body: object, whole: object, path: JsonPath) -> JsonPath:
    for number in range(1, len(path.names)):
        if replace(path, names=path.names[:number], others=()).find(whole) == [body]:
            return replace(path, names=path.names[number:])
    return path


def _is_of(document: JsonPath, facts: JsonPath) -> bool:
    rest = document.text.removeprefix(facts.text)
    numbers = _NUMBER.findall(document.text)
    is_below = rest != document.text and not rest[:1].isalnum()
    return is_below or ([] != numbers == _NUMBER.findall(facts.text))


@lru_cache(maxsize=256)
def parse_map(pairs: PathPairs, ignored: tuple[str, ...] = ()) -> FieldMap:
    """Parse a field map; raise ValueError if a field or a path is none."""
    paths: dict[str, tuple[JsonPath, ...]] = {}
    for field, text in pairs:
        if field not in FIELDS:
            raise ValueError(f"{field} is not one of {', '.join(FIELDS)}")
        found = tuple(map(json_path, ALTERNATIVES.split(text)))
        paths[field] = (*paths.get(field, ()), *found)
    return FieldMap(paths, frozenset(ignored))
