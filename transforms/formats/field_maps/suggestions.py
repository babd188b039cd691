"""Suggest a field map for JSON that nothing reads, by the likeness of its field names."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from groundwatch.transforms.formats.field_maps.field_map import read_fact
from groundwatch.transforms.formats.field_maps.json_path import read_text_as_json

_MAX_FIELDS = 500
_ASKING = re.compile(
    r"(^|_)(users?|customers?|humans?|asked|asks|question|query|prompt|input|request|req"
    r"|instructions|systems?)(_|$)"
)
_ANSWERING = re.compile(
    r"(^|_)(bots?|assistants?|agents?|ai|models?|answers?|answered|reply|replies|outputs?|response"
    r"|responses|res|completions?|generations?|generated|predictions?|said|results?)(_|$)"
)
_TEXT = re.compile(r"(^|_)(content|message|text|body)(_|$)")
_GIVEN = re.compile(
    r"(^|_)(references?|docs?|documents?|sources?|chunks?|contexts?|ctx|snippets?|passages?|facts?"
    r"|evidence|citations?|retriev\w*|hits|nodes|matches|excerpts?|extracts?|articles?|kb|pages"
    r"|paragraphs?|knowledge|files|grounding|search|metadata)(_|$)"
)
# Narrower than the pattern above: a message is refused where a short text has such a name.
_FACTS_NAMES = frozenset(
    {
        *("facts", "contexts", "context", "retrieved_contexts", "documents", "docs", "sources"),
        *("source_documents", "passages", "chunks", "references", "retrieved", "evidence"),
        *("snippets", "citations", "search_results", "results", "nodes", "hits", "matches"),
        *("excerpts", "extracts", "articles", "pages", "paragraphs", "knowledge", "files"),
    }
)
_NAMED = {
    "time": re.compile(r"(^|_)(time|timestamp|created(_at)?|date|ts|at|started)$"),
    "session": re.compile(r"(^|_)(session|conversation|thread|dialog)(_(id|key))?$"),
}
_ROLES = {
    "assistant": "answer",
    "bot": "answer",
    "ai": "answer",
    "model": "answer",
} | dict.fromkeys(("user", "human", "customer"), "query")
_NUMBER = re.compile(r"_?\d+\Z")  # of one of several columns
_LISTED = re.compile(r"\[[*?]")
_ROLE_NAMES = ("role", "type", "sender", "author")
_MOST_SPACES = 2  # in a name; more may be text of an answer
_NAME = re.compile(r"[^\W\d][\w .$@:/-]{0,59}")
_PLAIN_NAME = re.compile(r"[A-Za-z_][\w-]{0,59}", re.ASCII)
_IN_PROMPT = (
    "No field looks like the facts: where they stand only in the prompt, log them in a field of"
    " their own, too, and name it, as in --map 'facts=$.FIELD[*]'."
)
_UNNAMED = (
    "No field looks like the answer or the facts: name them, as in"
    " --map 'answer=$.FIELD' 'facts=$.FIELD'."
)
_DOCUMENT = re.compile(
    r"(^|_)(documents?|docs?|sources?|articles?|files?|pages?)(_?(ids?|names?|titles?|ur[il]s?))?$"
)
_MOST_IN_DOCUMENT = 200  # characters of its name
_FIELDS = ("query", "answer", "facts", "document", "time", "session")


class _Leaf(NamedTuple):
    """A text or number in nested objects: its path, the names on the way, and the last of them."""

    path: str
    names: str
    name: str
    value: object
    fact_path: str = ""  # to the object around it, with its title and address

    @property
    def text(self) -> str:
        return self.value if isinstance(self.value, str) else ""


def suggest_map(value: object, wanted: Sequence[str] = ("answer", "facts")) -> str:
    """Write the flags that would read an answer or its facts, as a sentence for a person.

    Names are spelled as in the value, which is the message as it was written.
    """
    found = _find(list(islice(_leaves(value, "$", ""), _MAX_FIELDS)))
    is_whole = {"answer", "facts"} <= {*wanted}
    fields = [each for each in _FIELDS if each in found and (is_whole or each in wanted)]
    if not {"answer", "facts"} & {*fields}:
        return _UNNAMED if is_whole else _IN_PROMPT if "facts" in wanted else ""
    sentence = f"Try {' '.join(_flag(field, found[field]) for field in fields)}."
    return sentence if "facts" in fields or "facts" not in wanted else f"{sentence} {_IN_PROMPT}"


def is_facts_name(name: str) -> bool:
    """Return whether facts usually stand in fields of a name, such as `context`."""
    return _NUMBER.sub("", _snake_case(name)) in _FACTS_NAMES


def _flag(field: str, path: str) -> str:
    return f"--map '{field}={path}'"


def _find(leaves: Sequence[_Leaf]) -> dict[str, str]:
    found = {
        field: leaf.path.removesuffix("[*]")
        for field, pattern in _NAMED.items()
        for leaf in reversed(leaves)
        if pattern.search(leaf.name) and not _LISTED.search(leaf.path)
    }
    taken = {*found.values()}
    texts = [each for each in leaves if each.text.strip() and each.path not in taken]
    facts = _likeliest(texts, _GIVEN, _ASKING)
    given = [each for each in texts if _GIVEN.search(each.names)]
    others = [each for each in texts if each not in given]
    query = _likeliest(others, _ASKING, _ANSWERING)
    candidates = [each for each in others if not _ASKING.search(each.name)]
    named = _likeliest(candidates, _ANSWERING, _ASKING, facts)
    answer = named
    if named is None or " " not in named.text:  # a word, such as the name of a model
        answer = _likeliest(candidates, _TEXT, _ASKING, facts) or named
    document = next((each for each in given if facts and _names(each, facts)), None)
    for field, leaf in (
        *(("query", query), ("answer", answer), ("facts", facts)),
        ("document", document),
    ):
        if leaf is not None:
            found[field] = (leaf.fact_path if field == "facts" else "") or leaf.path
    return found


def _names(leaf: _Leaf, facts: _Leaf) -> bool:
    """Return whether a field beside the facts may name their document."""
    is_beside = not facts.fact_path and len(leaf.text) <= _MOST_IN_DOCUMENT
    return is_beside and leaf.path != facts.path and bool(_DOCUMENT.search(leaf.name))


def _likeliest(
    leaves: Sequence[_Leaf],
    pattern: re.Pattern[str],
    other: re.Pattern[str],
    facts: _Leaf | None = None,
) -> _Leaf | None:
    """Choose by name, then by the words that facts support, then by length."""
    supporting = {*facts.text.lower().split()} if facts else set()

    def rank(leaf: _Leaf) -> tuple[int, int, int, int]:
        words = {*leaf.text.lower().split()}
        is_own = bool(pattern.search(leaf.names))
        is_other = bool(other.search(leaf.names)) and not pattern.search(leaf.name)
        is_text = " " in leaf.text.strip()
        return (is_own - is_other, is_text, len(words & supporting), len(leaf.text))

    named = [each for each in leaves if pattern.search(each.names) and rank(each)[0] > 0]
    return max(named, key=rank, default=None)


def _leaves(value: object, path: str, names: str) -> Iterator[_Leaf]:
    """Yield the texts and numbers in nested objects, one of the items of a list."""
    each = read_text_as_json(value)
    if isinstance(each, dict):
        for name, field in each.items():
            if step := _step(name):
                snake = _snake_case(name)
                yield from _leaves_of(field, f"{path}{step}", f"{names}_{snake}", snake)
    elif isinstance(each, list) and path != "$":
        yield from _items(each, path, names)


def _leaves_of(value: object, path: str, names: str, name: str) -> Iterator[_Leaf]:
    each = read_text_as_json(value)
    if isinstance(each, dict | list):
        if isinstance(each, list) and any(isinstance(item, str) for item in each):
            yield _Leaf(f"{path}[*]", names, name, " ".join(filter(_is_text, each)))
        yield from _leaves(each, path, names)
    elif each is not None:
        yield _Leaf(path, names, name, each)


def _items(items: Sequence[object], path: str, names: str) -> Iterator[_Leaf]:
    """Yield the leaves of a list's first object, or of the last one of each role in a chat."""
    objects = [each for each in items if isinstance(each, dict)]
    for key in _ROLE_NAMES:
        roles = {str(each.get(key)).lower(): each for each in objects}
        if known := roles.keys() & _ROLES.keys():
            for role in sorted(known):
                spelled = roles[role][key]
                below = f'{path}[?(@.{key}=="{spelled}")]'
                kind = "output" if _ROLES[role] == "answer" else "input"
                yield from _leaves(
                    {name: each for name, each in roles[role].items() if name != key},
                    below,
                    f"{names}_{kind}",
                )
            return
    if objects:
        fact = read_fact(objects[0])
        for leaf in _leaves(objects[0], f"{path}[*]", names):
            is_its_text = fact is not None and fact.text == leaf.value
            yield leaf._replace(fact_path=f"{path}[*]") if is_its_text else leaf


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|\W+", "_", name).lower()


def _step(name: str) -> str:
    """Write a field's name as a step; "" for a name that may be text of an answer."""
    if _PLAIN_NAME.fullmatch(name):
        return f".{name}"
    # A shell expands $['A'] within double quotes: the path has these, and single ones around it.
    return f'["{name}"]' if _NAME.fullmatch(name) and name.count(" ") <= _MOST_SPACES else ""
