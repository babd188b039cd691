"""What the steps towards a Discovery Engine answer tell: the searches and what they found."""

import html
import re
from collections.abc import Iterator

from schemas.wire import discovery_engine as wire
from transforms.formats.facts import FactCollection

_TAG = re.compile(r"<[^<>]*>")


def first_search(steps: tuple[wire.Step | None, ...]) -> str | None:
    """The first search's query, which may be rephrased from the user's words."""
    queries = (action.search_action.query for action in _actions(steps))
    return next(filter(None, queries), None)


def add_search_results(steps: tuple[wire.Step | None, ...], facts: FactCollection) -> None:
    """Add the chunks that the searches found, or the snippets of a result without chunks."""
    for action in _actions(steps):
        for result in filter(None, action.observation.search_results):
            for text in _texts(result):
                facts.add(text, uri=result.uri, title=result.title, document=result.document)


def _actions(steps: tuple[wire.Step | None, ...]) -> Iterator[wire.Action]:
    for step in filter(None, steps):
        yield from filter(None, step.actions)


def _texts(result: wire.SearchResult) -> list[str]:
    chunks = [chunk.content for chunk in filter(None, result.chunk_info) if chunk.content]
    return chunks or [
        _plain_text(snippet.snippet)
        for snippet in filter(None, result.snippet_info)
        if snippet.snippet_status in ("", "SUCCESS")
    ]


def _plain_text(snippet: str) -> str:
    return html.unescape(_TAG.sub("", snippet))
