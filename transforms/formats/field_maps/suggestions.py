"""Suggest a field map for JSON that nothing reads, by the likeness of its field names."""

import re
from collections.abc import Iterator, Sequence

from transforms.formats.field_maps.field_map import TEXT_NAMES
from transforms.formats.field_maps.json_path import read_text_as_json

_MAX_FIELDS = 500
# The answer stands neither in what was asked nor in the sources.
_ASKING = re.compile(r"request|input|prompt|question|query|instructions", re.IGNORECASE)
_GIVEN = re.compile(
    r"references|documents|sources|chunks|contexts|snippets|metadata", re.IGNORECASE
)
_PLAIN_NAME = re.compile(r"[A-Za-z_][\w-]{0,59}")
_QUOTED_NAME = re.compile(r"[\w.$@: -]{1,60}")
# The likelier a name, the earlier it stands.
_LIKE = {
    "answer": (
        *("answer", "response", "actual_output", "output", "completion", "reply", "generation"),
        *("prediction", "result", "answer_text", "generated_text", "content", "message", "text"),
    ),
    "facts": (
        *("facts", "contexts", "context", "retrieved_contexts", "documents", "docs", "sources"),
        *("source_documents", "passages", "chunks", "references", "retrieved", "evidence"),
        *("snippets", "citations", "search_results", "results", "nodes", "hits", "matches"),
        *("excerpts", "extracts", "articles", "pages", "paragraphs", "knowledge", "files"),
    ),
}
_IN_PROMPT = (
    "No field looks like the facts: where they stand only in the prompt, log them in a field of"
    " their own, too, and name it, as in --map 'facts=$.FIELD[*]'."
)
_UNNAMED = (
    "No field looks like the answer or the facts: name them, as in"
    " --map 'answer=$.FIELD' 'facts=$.FIELD'."
)


def suggest_map(value: object, wanted: Sequence[str] = ("answer", "facts")) -> str:
    """Write the flags that would read an answer or its facts, as a sentence for a person."""
    paths = list(_paths(value))
    flags = [f"--map '{field}={path}'" for field in wanted if (path := _likeliest(field, paths))]
    if not flags and {"answer", "facts"} <= {*wanted}:
        return _UNNAMED
    sentences = [f"Try {' '.join(flags)}."] if flags else []
    if "facts" in wanted and not any("facts=" in flag for flag in flags):
        sentences.append(_IN_PROMPT)
    return " ".join(sentences)


def is_facts_name(name: str) -> bool:
    """Return whether facts usually stand in fields of a name, such as `context`."""
    rank = _rank(name, _LIKE["facts"])
    return rank is not None and rank < len(_LIKE["facts"])  # the whole name, not its last word


def _likeliest(field: str, paths: Sequence[tuple[str, str, object]]) -> str | None:
    """Choose the path whose last name is most like a field's usual names."""
    ranked = []
    for place, (path, name, value) in enumerate(paths):
        rank = _rank(name, _LIKE[field])
        is_text = isinstance(value, str) and bool(value.strip())
        is_elsewhere = _ASKING.search(path) or (field == "answer" and _GIVEN.search(path))
        if rank is None or is_elsewhere:
            continue
        if is_text or (field == "facts" and _is_list(value)):
            ranked.append((isinstance(value, str) and field == "facts", rank, place, path, value))
    if not ranked:
        return None
    *_, path, value = min(ranked, key=lambda each: each[:3])
    return path if isinstance(value, str) else f"{path}[*]{_text_name(value)}"


def _rank(name: str, names: Sequence[str]) -> int | None:
    lowered = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    last = re.split(r"[_.]", lowered)[-1]
    ranks = [(lowered, 0), (last, len(names))]
    return next((names.index(each) + more for each, more in ranks if each in names), None)


def _is_list(value: object) -> bool:
    return isinstance(value, list) and any(isinstance(each, str | dict) for each in value)


def _text_name(items: object) -> str:
    """Return the step to the text of objects whose text has no usual name."""
    first = items[0] if isinstance(items, list) and items else None
    if not isinstance(first, dict) or not TEXT_NAMES.isdisjoint(first):
        return ""
    texts = {name: len(field) for name, field in first.items() if isinstance(field, str)}
    return _step(max(texts, key=texts.__getitem__)) if texts else ""


def _paths(value: object) -> Iterator[tuple[str, str, object]]:
    """Yield paths to the fields of nested objects, the outer ones first, with name and value."""
    level: list[tuple[str, object]] = [("$", value)]
    count = 0
    while level:
        below: list[tuple[str, object]] = []
        for path, given in level:
            each = read_text_as_json(given)
            if isinstance(each, list) and each and path != "$":
                below.append((f"{path}[0]", each[0]))
            for name, field in each.items() if isinstance(each, dict) else ():
                count += 1
                if count > _MAX_FIELDS:
                    return
                if step := _step(name):
                    yield f"{path}{step}", name, field
                    below.append((f"{path}{step}", field))
        level = below


def _step(name: str) -> str:
    """Write a field's name as a step; "" for a name that may be text of an answer."""
    if _PLAIN_NAME.fullmatch(name):
        return f".{name}"
    return f"['{name}']" if _QUOTED_NAME.fullmatch(name) and " " not in name else ""
