"""Decide by the name of a field whether it holds a question, an answer or facts."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

FieldContent = Literal["query", "answer", "facts", "other"]

_EXPECTED = r"reference|expected|ideal|target|correct|gold(?:en)?|ground_truths?"
_RETURNED = r"outputs?|responses?|res|results?|returns?"
_SEARCHES = r"search|retriev[a-z]*|tools?|functions?|kb|knowledge"
# At the same place, what is longer comes first: the answer of an evaluation is not the chatbot's.
_RESULT = re.compile(rf"(?:^|_)(?:{_RETURNED}|observation|return(?:ed|_value))\Z")
_WORDS = {
    "neutral": r"citations_content",
    "facts": (
        rf"(?:{_SEARCHES})(?:_calls?)?[_.](?:{_RETURNED}|messages?|references?|answers?)|retriev[a-z]*"
        r"|references|docs?|documents?|sources?|chunks?|contexts?|ctx|snippets?|passages?|facts?"
        r"|evidence|citations?|hits|nodes|matches|excerpts?|extracts?|articles?|kb|pages|files"
        r"|page_content|paragraphs?|knowledge|grounding|policy|policies|faqs?|observation"
    ),
    "other": (
        rf"(?:{_EXPECTED})(?:_(?:{_RETURNED}|messages?|answers?|reply|replies|completions?))?"
        r"|(?:tools?|functions?)_(?:calls?|use|input)|arguments|args|systems?|developers?"
        r"|instructions|reasoning|thoughts?|thinking|rationale|explanations?|feedback|comments?"
        r"|errors?"
    ),
    "searched": r"tools?|functions?|search",
    "query": r"users?|customers?|humans?|asked|asks|question|query|prompt|input|request|req",
    "answer": (
        r"answers?|reply|replies|completions?|bots?|assistants?|agents?|ai|models?|gpt|answered"
        r"|generations?|generated|predictions?|predicted|said"
    ),
    "returned": _RETURNED,
}
_WORD = re.compile(
    rf"(?<![^\W_])(?:{'|'.join(f'(?P<{kind}>{words})' for kind, words in _WORDS.items())})"
    r"(?![^\W\d_])"
)
_OF_TOOL = re.compile(r"(?:^|[_.])(?:tools?|functions?)(?:[_.]|$)")
_CONTENT: dict[str | None, FieldContent] = {
    "query": "query",
    "answer": "answer",
    "returned": "answer",
    "facts": "facts",
    "searched": "facts",
    "other": "other",
}
_ABOUT = re.compile(
    r"(?:^|_)(?:ids?|uuid|keys?|hash|roles?|types?|kind|names?|titles?|headings?|labels?|status"
    r"|state|model|ur[il]s?|links?|lang|language|locale|reason|score|version|author|category)$"
)
# Narrower than the words above: a message is refused where a short text has such a name.
_FACTS_NAMES = frozenset(
    {
        *("facts", "contexts", "context", "retrieved_contexts", "documents", "docs", "sources"),
        *("source_documents", "passages", "chunks", "references", "retrieved", "evidence"),
        *("snippets", "citations", "search_results", "results", "nodes", "hits", "matches"),
        *("excerpts", "extracts", "articles", "pages", "paragraphs", "knowledge", "files"),
    }
)
# Who writes an answer, and what it is called; the answer that an evaluation expects has neither.
_PROGRAM = r"generated|predicted|models?|llm|ai|(?:chat)?bots?|assistants?|agents?|system|gpt"
_SAID = r"answers?|responses?|outputs?|reply|completions?|text|generations?|predictions?"
_GENERATED = (
    rf"(?:{_PROGRAM})_(?:final_)?(?:{_SAID})|(?:{_SAID})_(?:generated|predicted)|actual_output"
    r"|generat(?:ed|ion)|predict(?:ed|ion)"
)
_ANSWERS = (_GENERATED, "response|reply|completion", "output", "answer")
ANSWER_RANK = len(_ANSWERS) - 1
"""The rank of the field `answer`, which may hold what an evaluation expects."""
ANSWER_LISTS = ("choices", "candidates", "generations")
"""Lists of several answers, of which the first one is read."""
_NUMBER = re.compile(r"_?\d+\Z")  # of one of several columns


def snake_case(name: str) -> str:
    """Write a name in lower case, with `_` between its words."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|\W+", "_", name).lower()


def content_by_names(names: str) -> FieldContent | None:
    """Return what is usually in a field, by its name and those around it, in snake_case.

    Names are joined by a dot. The last word that says something counts: `search_query` is a query,
    `answer_documents` are facts; but an `output` is that of the search around it, and a tool's
    `input` is not a query. The answer that an evaluation expects is `other`; None if no word says
    anything.

    >>> content_by_names("retrieved_documents"), content_by_names("expected_answer")
    ('facts', 'other')
    """
    content: FieldContent | None = None
    for match in _WORD.finditer(names):
        found = match.lastgroup
        if found == "query" and is_of_tool(names[: match.start()]):
            content = "other"
        elif found != "neutral" and not (found == "returned" and content == "facts"):
            content = _CONTENT[found]
    return content


def is_of_tool(names: str) -> bool:
    """Return whether a field is a tool's, or is in one of a tool."""
    return bool(_OF_TOOL.search(names))


def is_about(name: str) -> bool:
    """Return whether a field says something about a text, such as its title, id or role."""
    return bool(_ABOUT.search(name))


def is_facts_name(name: str) -> bool:
    """Return whether facts usually stand in fields of a name, such as `context`."""
    return _NUMBER.sub("", snake_case(name)) in _FACTS_NAMES


@lru_cache(maxsize=1024)
def is_result_name(name: str) -> bool:
    """Return whether a field of a call is what the tool returned, such as `tool_output`."""
    return _RESULT.search(snake_case(name)) is not None


@lru_cache(maxsize=1024)
def answer_rank(name: str) -> int | None:
    """Return which of several fields named as answers counts: the least, 0 if a program wrote it.

    >>> answer_rank("modelResponse"), answer_rank("answer"), answer_rank("expected_answer")
    (0, 3, None)
    """
    snake = snake_case(name)
    return next((rank for rank, each in enumerate(_ANSWERS) if re.fullmatch(each, snake)), None)


def ranked_names(value: object) -> Sequence[str]:
    """Return the fields of an object that are named as answers, the likeliest first."""
    return _ranked(tuple(value)) if isinstance(value, dict) else ()


@lru_cache(maxsize=1024)  # the objects of a producer have the same fields
def _ranked(names: tuple[str, ...]) -> tuple[str, ...]:
    ranked = [(rank, name) for name in names if (rank := answer_rank(name)) is not None]
    return tuple(name for _, name in sorted(ranked))
