"""Suggest a field map for JSON that nothing reads, by its field names and by what they hold."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import compress, islice
from operator import not_
from typing import Any, NamedTuple

from groundwatch.schemas.answer import Answer
from groundwatch.transforms.formats.field_values import first_time
from groundwatch.transforms.formats.unread_content import count_words
from .fact_values import TEXT_NAMES
from .field_map import FieldMap, PathPairs, parse_map
from .field_names import FieldContent, content_by_names, is_about, is_of_tool, snake_case
from .json_path import TEXT_BLOCKS, read_text_as_json

_MAX_FIELDS = 500
_MAX_ITEMS = 50  # of a list
_MAX_TRIALS = 10  # of fields, each with all messages
# The fields that say who wrote an item.
_WRITERS = (
    *("role", "sender", "author", "from", "speaker"),
    *("from.role", "sender.role", "sender.type", "author.role", "author.type"),
)
_QUESTION_MARKS = ("?", "\uff1f", "\u061f")
_KIND = re.compile(r"[\w .:/-]{1,40}", re.ASCII)
_ALTERNATIVES = frozenset({"choices", "candidates", "generations"})  # the first one is the answer
_TIME = re.compile(r"(^|_)(time|timestamp|created(_at)?|date|ts|at|started|when)$")
_ID = re.compile(r"(^|_)(id|uuid|guid|key|ticket|case|ref|reference|number)$")
_SESSION = re.compile(r"(^|_)(session|conversation|thread|dialog)(_(id|key))?$")
_TEXT = re.compile(r"(^|[_.])(content|message|text|body)([_.]|$)")
_DOCUMENT = re.compile(
    r"(^|_)(documents?|docs?|sources?|articles?|files?|pages?)(_?(ids?|names?|titles?|ur[il]s?))?$"
)
_MAX_DOCUMENT_NAME = 200  # characters
_DIGITS = re.compile(r"\d+")
_MAX_SPACES = 2  # in a name; more may be text of an answer
_NAME = re.compile(r"[^\W\d][\w .$@:/'-]{0,59}")
_PLAIN_NAME = re.compile(r"[A-Za-z_][\w-]{0,59}", re.ASCII)
_IN_PROMPT = (
    "No field looks like the facts: where they stand only in the prompt, log them in a field of"
    " their own, too, and name it, as in --map 'facts=$.FIELD[*]'."
)
_IN_PIECES = (
    "The texts at {} are pieces of one text: join them in a field of their own, since a map reads"
    " them as separate texts."
)
_OF_SENDERS = (
    "The texts at {} are of several senders, and no word says which of {} is the model: log its"
    " answers in a field of their own, and name it."
)
_NOT_ALONE = "No path finds the texts at {} alone: log them in a field of their own, and name it."
_IN_FACTS = (
    "The texts at {} are in the facts, too: name them as the answer only if the model wrote them."
)
_REPEATED = "The texts at {} {}: name them as the facts only if they are its sources."
_UNNAMED = (
    "No field looks like the answer: name it and the facts, as in"
    " --map 'answer=$.FIELD' 'facts=$.FIELD'."
)


class Sample(NamedTuple):
    """A message as it was written, and how a field map reads it: None if it does not."""

    value: object
    read: Callable[[FieldMap], Answer | None]


class _Field(NamedTuple):
    """A path in nested objects, and the texts and numbers that it finds.

    `names` are the names on the way in snake_case, `name` is the last of them. `item_path` leads to
    the `items` of the list around it, `senders` to what tells apart who wrote them.
    """

    path: str
    names: str
    name: str
    values: tuple[str | int | float, ...]
    item_path: str = ""
    items: Sequence[object] = ()
    senders: str = ""

    @property
    def content(self) -> FieldContent | None:
        return "other" if is_about(self.name) else content_by_names(self.names)

    @property
    def texts(self) -> list[str]:
        return [_one_line(each) for each in self.values if isinstance(each, str)]

    @property
    def text(self) -> str:
        return " ".join(self.texts)

    @property
    def has_words(self) -> bool:
        return any(count_words(each) > 1 for each in self.texts)

    @property
    def is_question(self) -> bool:
        """Whether most of its texts end as those of a user do, and those of a source do not."""
        ends = [each.endswith(_QUESTION_MARKS) for each in self.texts if each]
        return sum(ends) * 2 > len(ends)

    @property
    def is_text(self) -> bool:
        return self.name in TEXT_NAMES or content_by_names(self.name) == self.content


class _Trial(NamedTuple):
    """Messages, and the query and the answer of a map that is tried on them."""

    samples: Sequence[Sample]
    wanted: Sequence[str]
    query: _Field | None = None
    answer: _Field | None = None

    @property
    def is_whole(self) -> bool:
        return {"answer", "facts"} <= {*self.wanted}

    def pairs(self, facts: Sequence[_Field], *others: tuple[str, _Field | None]) -> PathPairs:
        """Return the paths that are wanted, or all of a whole map."""
        found = (("query", self.query), ("answer", self.answer), *(("facts", at) for at in facts))
        return tuple(
            (name, at.path)
            for name, at in (*found, *others)
            if at and (self.is_whole or name in self.wanted)
        )

    def read(self, *facts: _Field) -> list[Answer | None]:
        """Read each message; None stands for one that the map does not read."""
        field_map = parse_map(self.pairs(facts))
        return [each.read(field_map) for each in self.samples]

    def with_answer(self, fields: Iterable[_Field]) -> "_Trial":
        """Keep the messages whose likeliest answer is at the most frequent place."""
        left, tried = self.samples, list[_Trial]()
        for answer in (
            _answers(_by_content(fields))[:_MAX_TRIALS] if "answer" in self.wanted else ()
        ):
            if not left:
                break
            trial = self._replace(samples=left, answer=answer)
            is_read = list(map(bool, trial.read()))
            tried.append(trial._replace(samples=[*compress(left, is_read)]))
            left = [*compress(left, map(not_, is_read))]
        return max(tried, key=lambda each: len(each.samples), default=self)

    def fault_of_answer(self) -> str:
        """Say why the answer is not suggested; "" if it is read from each message, and alone."""
        at, read = self.answer, [each for each in self.read() if each]
        if not at:
            return _UNNAMED if self.is_whole else ""
        if at.senders:
            return _OF_SENDERS.format(at.path, at.senders)
        whole, texts = at.text, [each for each in at.values if isinstance(each, str)]
        is_alone = all(_one_line(each.answer_text) in whole for each in read)
        if len(read) < len(self.samples) or not is_alone:
            return _NOT_ALONE.format(at.path)
        if any(_repeats(each, each.answer_text) for each in read):
            return _IN_FACTS.format(at.path)
        are_spaced = [each[:1].isspace() or each[-1:].isspace() for each in texts]
        joined = "".join(texts)
        are_joined = any(each.answer_text not in joined for each in read)
        is_stream = are_joined and sum(are_spaced) * 2 >= len(texts)
        return _IN_PIECES.format(at.path) if is_stream else ""

    def fault_of_facts(self, *facts: _Field) -> str:
        """Say why facts are not suggested; "" if they are read alone, and not what was said."""
        at, answers = facts[0], [each for each in self.read(*facts) if each]
        seen = {text for each in facts for text in each.texts}
        read = _texts_of(answers)
        is_alone = read <= seen or len(seen) >= _MAX_ITEMS
        if len(answers) < len(self.samples) or not is_alone:
            return _NOT_ALONE.format(at.path)
        if not read:  # the reader leaves out the question
            return _IN_PROMPT if seen else ""
        if not is_of_tool(at.names) and all(map(_is_quoted, answers)):
            return _REPEATED.format(at.path, "are in the answer, too")
        found = sum(_repeats(each, each.answer_text, each.query or "") for each in answers)
        counted = f"hold the answer or the question of {found} of {len(answers)} messages"
        return _REPEATED.format(at.path, counted) if found else ""


def suggest_map(samples: Sequence[Sample], wanted: Sequence[str] = ("answer", "facts")) -> str:
    """Write the flags that would read answers or their facts, as a sentence for a person.

    The flags come last, quoted for a shell, so that they can be copied to the end of the line.
    Names are spelled as in the messages. Where these differ in the place of the answer, the flags
    are for the most frequent place. The map was tried: it reads each of these messages, and no fact
    is, or holds, the answer or the question.
    """
    fields = _fields_of(samples)
    trial = _Trial(samples, wanted).with_answer(fields)
    if (messages := len(trial.samples)) < len(samples):
        fields = _fields_of(trial.samples)
    time = next(filter(_is_time, fields), None)
    sessions = (each for each in fields if _SESSION.search(each.name) and not each.item_path)
    session = next(sessions, None)
    others = [each for each in fields if each not in (time, session)]
    ids = (each for each in others if _is_id(each, messages))
    own_id = min(ids, key=lambda each: len(each.name), default=None)
    by_content = _by_content(others)
    questions = [each for each in by_content["facts"] if each.is_question]
    single = [each for each in questions if not each.item_path]
    trial = trial._replace(query=_likeliest(by_content["query"]) or _likeliest(single))
    if (reason := trial.fault_of_answer()) and trial.is_whole:
        return reason
    sources = [each for each in by_content["facts"] if each not in questions]
    facts, of_facts = _facts(sources, trial)
    document = None
    if len(facts) == 1:
        document = next((each for each in fields if _names_document(each, facts[0])), None)
    beside = ("document", document), ("id", own_id), ("time", time), ("session", session)
    found = trial.pairs(facts, *beside)
    if "facts" in wanted and not facts:
        reason += of_facts or _IN_PROMPT
    if found and messages < len(samples):
        reason += f" These flags read {messages} of {len(samples)} messages."
    paths = (f"{field}={path}".replace("'", "'\\''") for field, path in found)
    lead = "Try" if facts or "facts" not in wanted else "The other flags are"
    flags = [lead, *(f"--map '{each}'" for each in paths)] if found else []
    return " ".join(filter(None, [reason.strip(), *flags]))


def _by_content(fields: Iterable[_Field]) -> Mapping[FieldContent | None, list[_Field]]:
    found: dict[FieldContent | None, list[_Field]] = defaultdict(list)
    for each in fields:
        found[each.content].append(each)
    return found


def _answers(by_content: Mapping[FieldContent | None, Sequence[_Field]]) -> Sequence[_Field]:
    """Rank the fields that may hold the answer: those of one kind, by their names or without."""
    facts = " ".join(each.text for each in by_content["facts"])
    named = _ranked(by_content["answer"], facts)
    if named and named[0].has_words:
        return named
    unnamed = (each for each in by_content[None] if _TEXT.search(each.names))
    texts = (each for each in unnamed if each.has_words or _TEXT.search(each.name))
    return _ranked(texts, facts) or named


def _facts(fields: Sequence[_Field], trial: _Trial) -> tuple[Sequence[_Field], str]:
    """Return the likeliest field of the facts, or all columns that differ in a number alone.

    The second value says why texts that look like the facts are none.
    """
    columns: dict[str, list[_Field]] = defaultdict(list)
    for each in fields:
        columns[_DIGITS.sub("0", each.path)].append(each)
    joined = [
        each[0]._replace(values=tuple(value for field in each for value in field.values))
        for each in columns.values()
    ]
    texts = [each for each in joined if each.has_words]
    reason = ""
    for likeliest in _ranked(texts)[:_MAX_TRIALS]:
        found = columns[_DIGITS.sub("0", likeliest.path)]
        if fault := trial.fault_of_facts(*found):
            reason = reason or fault
            found = [each for each in found if not trial.fault_of_facts(each)]
        if len(found) == 1:
            others = _in_other_items(found[0], texts)
            more = [each for each in others if not trial.fault_of_facts(each)]
            found = [*found, *more] if more else [_with_source(found[0], trial)]
        if found:
            return found, ""
    return (), reason


def _is_quoted(answer: Answer) -> bool:
    """Return whether the answer has all its facts: citations often repeat its words."""
    text = _one_line(answer.answer_text).casefold()
    return all(_one_line(each.text).casefold() in text for each in answer.facts)


def _repeats(answer: Answer, *said: str) -> bool:
    """Return whether a fact is, or holds, what was said; a single word may be there by chance."""
    facts = [_one_line(each.text).casefold() for each in answer.facts]
    texts = [_one_line(each).casefold() for each in said]
    return any(
        each in facts or (count_words(each) > 1 and any(each in fact for fact in facts))
        for each in filter(None, texts)
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _likeliest(fields: Iterable[_Field]) -> _Field | None:
    return next(iter(_ranked(fields)), None)


def _ranked(fields: Iterable[_Field], supporting: str = "") -> list[_Field]:
    """Sort fields by words, by a name of texts, by the words of facts, and by length."""
    words = {*supporting.lower().split()}

    def rank(field: _Field) -> tuple[int, int, int, int]:
        supported = words.intersection(field.text.lower().split())
        return (field.has_words, field.is_text, len(supported), len(field.text))

    return sorted((each for each in fields if each.text), key=rank, reverse=True)


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


def _with_source(facts: _Field, trial: _Trial) -> _Field:
    """Return the objects around the facts, which have their titles and addresses.

    They must read as the same texts: beside a source may be the words of the answer that cite it.
    """
    if not facts.item_path:
        return facts
    around = facts._replace(path=facts.item_path)
    read, seen = _texts_of(filter(None, trial.read(around))), set(filter(None, facts.texts))
    return around if read == seen or (read > seen and len(seen) >= _MAX_ITEMS) else facts


def _texts_of(answers: Iterable[Answer]) -> set[str]:
    return {_one_line(fact.text) for each in answers for fact in each.facts}


def _fields_of(samples: Sequence[Sample]) -> Sequence[_Field]:
    values = [each.value for each in samples]
    return [*islice(_fields(values, _Field("$", "", "", ())), _MAX_FIELDS)]


def _fields(values: Sequence[object], at: _Field) -> Iterator[_Field]:
    """Yield the fields below the values that one path finds."""
    read = [read_text_as_json(each) for each in values]
    texts = tuple(each for each in read if isinstance(each, str))
    numbers = tuple(each for each in read if isinstance(each, int | float))
    objects = [each for each in read if isinstance(each, dict)]
    if bool(texts) != bool(numbers) and not objects:
        yield at._replace(values=texts or numbers)
    lists = [each for each in read if isinstance(each, list) and each]
    if any(len(each) > 1 for each in lists) and at.name in _ALTERNATIVES:
        first = at._replace(path=f"{at.path}[0]", item_path=f"{at.path}[0]")
        yield from _fields([each[0] for each in lists], first)
    elif lists:
        yield from _items(lists, at)
    writers = [next(iter(found)) for found in _writers(objects).values() if len(found) == 1]
    at = at._replace(names=".".join([at.names, *map(snake_case, writers)]))
    below: dict[str, list[object]] = {}
    for each in objects:
        for name, field in each.items():
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
        chosen = [each for each in objects if _at(each, key) == kind]
        path = f'{at.path}[?(@.{key}=="{kind}")]'
        is_last = len(chosen) > len(last) and all(each in chosen for each in last)
        if is_last and kind not in TEXT_BLOCKS and content_by_names(names) == "answer":
            path, chosen = f"{at.path}[-1]", last
        named = [[each for each in some if _at(each, key) == kind] for some in lists]
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


def _kinds(objects: Sequence[dict[str, Any]], at: _Field) -> tuple[str, dict[str, str]]:
    """Return the field by which objects with different contents differ, and its values.

    With each value are the names on the way to its objects. There is none if all hold the same.
    """
    texts = {
        key: [kind for each in objects if isinstance(kind := _at(each, key), str)]
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
    """Return what tells apart who wrote the items of one list, "" if nothing does."""
    writers = (each for items in lists for each in _writers(items).items())
    return next((f"{path}.{key}" for key, found in writers if len(found) > 1), "")


def _writers(items: Sequence[object]) -> Mapping[str, set[str]]:
    """Return what each field says of who wrote some items."""
    found = {key: [_at(each, key) for each in items[:_MAX_ITEMS]] for key in _WRITERS}
    return {key: {str(each) for each in found[key] if isinstance(each, str | int)} for key in found}


def _at(item: object, key: str) -> object:
    for name in key.split("."):
        item = item.get(name) if isinstance(item, dict) else None
    return item


def _step(name: str) -> str:
    """Write a field's name as a step; "" for a name that may be text of an answer."""
    if _PLAIN_NAME.fullmatch(name):
        return f".{name}"
    # A shell expands $['A'] within double quotes: the path has these, and single ones around it.
    return f'["{name}"]' if _NAME.fullmatch(name) and name.count(" ") <= _MAX_SPACES else ""
