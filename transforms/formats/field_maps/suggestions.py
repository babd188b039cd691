"""Suggest a field map for JSON that nothing reads, by its field names and by what they hold."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import compress
from operator import not_
from typing import NamedTuple

from groundwatch.schemas.answer import Answer
from groundwatch.transforms.formats.field_values import first_time
from groundwatch.transforms.formats.text_parts import count_words
from .field_map import FIELDS, FieldMap, PathPairs, parse_map
from .field_names import FieldContent, answer_rank, content_by_names, is_of_tool
from .found_fields import MAX_ITEMS, FoundField, find_fields, one_line, step_of

_MAX_TRIALS = 10  # of fields, each with all messages
_TIME = re.compile(r"(^|_)(time|timestamp|created(_at)?|date|ts|at|started|when)$")
_ID = re.compile(r"(^|_)(id|uuid|guid|key|ticket|case|ref|reference|number|no|nr)$")
_ENGINE = re.compile(r"^(engine|bot|chatbot)(_?(id|name))?$")
_SESSION = re.compile(r"(^|_)(session|conversation|thread|dialog)(_(id|key))?$")
_TEXT = re.compile(r"(^|[_.])(content|message|text|body)([_.]|$)")
_DOCUMENT = re.compile(
    r"(^|_)((doc(ument)?|source|article|file|page)s?|src)(_?(id|name|title|ur[il])s?)?$"
)
_MAX_DOCUMENT_NAME = 200  # characters
_FEW_WORDS = 3
_DIGITS = re.compile(r"\d+")
_IN_PROMPT = (
    "No field looks like the facts: where they stand only in the prompt, log them in a field of"
    " their own, too, and name it, as in --map 'facts=$.FIELD[*]'."
)
_IN_PIECES = (
    "The texts at {} are pieces of one text: join them in a field of their own, since a map reads"
    " them as separate texts."
)
_OF_SENDERS = (
    "The texts at {} are of several senders, and no path selects the model's by {}: log its answers"
    " in a field of their own, and name it."
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


class _Trial(NamedTuple):
    """Messages, and the query and the answer of a map that is tried on them."""

    samples: Sequence[Sample]
    wanted: Sequence[str]
    query: FoundField | None = None
    answer: FoundField | None = None

    def pairs(
        self, facts: Sequence[FoundField], *others: tuple[str, FoundField | None]
    ) -> PathPairs:
        """Return the paths that are wanted."""
        found = (("query", self.query), ("answer", self.answer), *(("facts", at) for at in facts))
        named = ((name, at) for name, at in (*found, *others) if name in self.wanted)
        return tuple((name, at.path) for name, at in named if at)

    def read(self, *facts: FoundField) -> list[Answer | None]:
        """Read each message; None stands for one that the map does not read."""
        field_map = parse_map(self.pairs(facts))
        return [each.read(field_map) for each in self.samples]

    def with_answer(self, fields: Iterable[FoundField]) -> "_Trial":
        """Keep the messages whose likeliest answer is at the most frequent place."""
        left, tried = self.samples, list[_Trial]()
        answers = _answers(_by_content(fields)) if "answer" in self.wanted else ()
        for answer in answers[:_MAX_TRIALS]:
            if not left:
                break
            trial = self._replace(samples=left, answer=answer)
            is_read = list(map(bool, trial.read()))
            tried.append(trial._replace(samples=[*compress(left, is_read)]))
            left = [*compress(left, map(not_, is_read))]
        best = max(tried, key=lambda each: len(each.samples), default=self)
        return best if best.samples else best._replace(samples=self.samples)

    def fault_of_answer(self) -> str:
        """Say why the answer is not suggested; "" if it is read from each message, and alone."""
        at = self.answer
        if not at:
            return _UNNAMED if "query" in self.wanted else ""
        if at.senders:
            return _OF_SENDERS.format(at.path, at.senders)
        read = [each for each in self.read() if each]
        whole, texts = at.text, [each for each in at.values if isinstance(each, str)]
        is_alone = all(one_line(each.answer_text) in whole for each in read)
        if len(read) < len(self.samples) or not is_alone:
            return _NOT_ALONE.format(at.path)
        if 2 * sum(_repeats(each, each.answer_text) for each in read) > len(read):
            return _IN_FACTS.format(at.path)
        spaced = sum(each[:1].isspace() or each[-1:].isspace() for each in texts)
        text = "".join(texts)
        is_stream = 2 * spaced >= len(texts) and any(each.answer_text not in text for each in read)
        return _IN_PIECES.format(at.path) if is_stream else ""

    def fault_of_facts(self, *facts: FoundField) -> str:
        """Say why facts are not suggested; "" if they are read alone, and not what was said."""
        at, answers = facts[0], [each for each in self.read(*facts) if each]
        seen = {text for each in facts for text in each.texts}
        read = _texts_of(answers)
        is_alone = read <= seen or len(seen) >= MAX_ITEMS
        if len(answers) < len(self.samples) or not is_alone:
            return _NOT_ALONE.format(at.path)
        if not read:  # the reader leaves out the question
            return _IN_PROMPT if seen else ""
        if not is_of_tool(at.names) and all(map(_is_quoted, answers)):
            return _REPEATED.format(at.path, "are in the answer, too")
        found = sum(_repeats(each, each.answer_text, each.query or "") for each in answers)
        counted = f"hold the answer or the question of {found} of {len(answers)} messages"
        return _REPEATED.format(at.path, counted) if 2 * found > len(answers) else ""


def suggest_map(samples: Sequence[Sample], wanted: Sequence[str] = ("answer", "facts")) -> str:
    """Write the flags that would read answers or their facts, as a sentence for a person.

    The flags come last, quoted for a shell, so that they can be copied to the end of the line.
    Names are spelled as in the messages. Where these differ in the place of the answer, the flags
    are for the most frequent place. The map was tried: it reads each of these messages, and in most
    of them no fact is, or holds, the answer or the question.
    """
    wanted = FIELDS if {"answer", "facts"} <= {*wanted} else wanted
    fields = find_fields([each.value for each in samples])
    trial = _Trial(samples, wanted).with_answer(fields)
    if (messages := len(trial.samples)) < len(samples):
        fields = find_fields([each.value for each in trial.samples])
    time = next(filter(_is_time, fields), None)
    sessions = (each for each in fields if _SESSION.search(each.name) and not each.item_path)
    session = next(sessions, None)
    engine = next((each for each in fields if _is_engine(each, trial.answer)), None)
    others = [each for each in fields if each not in (time, session, engine)]
    ids = (each for each in others if _is_id(each, messages))
    own_id = min(ids, key=lambda each: len(each.name), default=None)
    by_content = _by_content(others)
    questions = [each for each in by_content["facts"] if each.is_question]
    single = [each for each in questions if not each.item_path]
    trial = trial._replace(query=_likeliest(by_content["query"]) or _likeliest(single))
    if reason := trial.fault_of_answer():
        return reason
    sources = [each for each in by_content["facts"] if each not in questions]
    facts, of_facts = _facts(sources, trial)
    documents = (each for each in fields if len(facts) == 1 and _names_document(each, facts[0]))
    document = next(documents, None)
    beside = ("document", document), ("id", own_id), ("time", time), ("engine", engine)
    found = trial.pairs(facts, *beside, ("session", session))
    if "facts" in wanted and not facts:
        reason += of_facts or _IN_PROMPT
    if found and messages < len(samples):
        reason += f" These flags read {messages} of {len(samples)} messages."
    paths = (f"{field}={path}".replace("'", "'\\''") for field, path in found)
    lead = "Try" if facts or "facts" not in wanted else "The other flags are"
    flags = [lead, *(f"--map '{each}'" for each in paths)] if found else []
    return " ".join(filter(None, [reason.strip(), *flags]))


def _by_content(fields: Iterable[FoundField]) -> Mapping[FieldContent | None, list[FoundField]]:
    found: dict[FieldContent | None, list[FoundField]] = defaultdict(list)
    for each in fields:
        found[each.content].append(each)
    return found


def _answers(
    by_content: Mapping[FieldContent | None, Sequence[FoundField]],
) -> Sequence[FoundField]:
    """Rank the fields that may hold the answer: those of one kind, by their names or without."""
    facts = " ".join(each.text for each in by_content["facts"])
    named = _ranked(by_content["answer"], facts)
    named.sort(key=lambda each: (each.has_words, answer_rank(each.name) == 0), reverse=True)
    if named and named[0].has_words:
        return named
    unnamed = (each for each in by_content[None] if _TEXT.search(each.names))
    texts = (each for each in unnamed if each.has_words or _TEXT.search(each.name))
    return _ranked(texts, facts) or named


def _facts(fields: Sequence[FoundField], trial: _Trial) -> tuple[Sequence[FoundField], str]:
    """Return the likeliest field of the facts, or all columns that differ in a number alone.

    The second value says why texts that look like the facts are none.
    """
    columns: dict[str, list[FoundField]] = defaultdict(list)
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
    text = one_line(answer.answer_text).casefold()
    return all(one_line(each.text).casefold() in text for each in answer.facts)


def _repeats(answer: Answer, *said: str) -> bool:
    """Return whether a fact is, or holds, what was said; a few words may be there by chance."""
    facts = [one_line(each.text).casefold() for each in answer.facts]
    texts = [one_line(each).casefold() for each in said]
    return any(
        each in facts or (count_words(each) > _FEW_WORDS and any(each in fact for fact in facts))
        for each in filter(None, texts)
    )


def _likeliest(fields: Iterable[FoundField]) -> FoundField | None:
    return next(iter(_ranked(fields)), None)


def _ranked(fields: Iterable[FoundField], supporting: str = "") -> list[FoundField]:
    """Sort fields by words, by a name of texts, by the words of facts, and by length."""
    words = {*supporting.lower().split()}

    def rank(field: FoundField) -> tuple[int, int, int, int]:
        supported = words.intersection(field.text.lower().split())
        return (field.has_words, field.is_text, len(supported), len(field.text))

    return sorted((each for each in fields if each.text), key=rank, reverse=True)


def _is_time(field: FoundField) -> bool:
    is_named = bool(_TIME.search(field.name)) and not field.item_path
    return is_named and first_time(*field.values[:1])[0] is not None


def _is_engine(field: FoundField, answer: FoundField | None) -> bool:
    """Return whether a field names the bot by a word, and does not hold what it said."""
    is_said = bool(answer and answer.path == field.path) or field.has_words
    return bool(_ENGINE.search(field.name) and field.text and not field.item_path) and not is_said


def _is_id(field: FoundField, messages: int) -> bool:
    """Return whether each of several messages has a value of its own in a field named as an id."""
    is_named = bool(_ID.search(field.name)) and not field.item_path and not field.has_words
    return is_named and 1 < messages == len(set(field.values))


def _names_document(field: FoundField, facts: FoundField) -> bool:
    """Return whether a field beside the facts may name their document, in a list of each."""
    is_beside = facts.path not in (field.path, item := field.item_path) and item == facts.item_path
    is_of_each = is_beside and (not item or len(field.values) == len(facts.values))
    length = max(map(len, field.texts), default=0)
    is_named = bool(_DOCUMENT.search(field.name)) and 0 < length <= _MAX_DOCUMENT_NAME
    return is_of_each and is_named and content_by_names(field.names) == "facts"


def _in_other_items(found: FoundField, fields: Iterable[FoundField]) -> Iterator[FoundField]:
    """Yield the texts of the same list that are in items without the field that is found."""
    items = [each for each in found.items if isinstance(each, dict)]
    steps = [{f"{found.item_path}{step_of(name)}" for name in each} for each in items]
    for each in fields:
        is_beside = each.item_path == found.item_path != "" and each.path != found.path
        if is_beside and each.is_text and not any({each.path, found.path} <= at for at in steps):
            yield each


def _with_source(facts: FoundField, trial: _Trial) -> FoundField:
    """Return the objects around the facts, which have their titles and addresses.

    They must read as the same texts: beside a source may be the words of the answer that cite it.
    """
    if not facts.item_path:
        return facts
    around = facts._replace(path=facts.item_path)
    read, seen = _texts_of(filter(None, trial.read(around))), set(filter(None, facts.texts))
    return around if read == seen or (read > seen and len(seen) >= MAX_ITEMS) else facts


def _texts_of(answers: Iterable[Answer]) -> set[str]:
    return {one_line(fact.text) for each in answers for fact in each.facts}
