"""Terraform's files, read without Terraform."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import hcl2

Json = dict[str, Any]


class Resource(NamedTuple):
    """A resource block."""

    kind: str
    name: str
    arguments: Json


def load(folder: Path) -> dict[str, list[Json]]:
    """Read a folder's files: the blocks of each kind."""
    blocks: dict[str, list[Json]] = {}
    for path in sorted(folder.glob("*.tf")):
        with path.open(encoding="utf-8") as stream:
            for kind, found in _plain(hcl2.load(stream)).items():
                blocks.setdefault(kind, []).extend(found)
    return blocks


def resources(blocks: dict[str, list[Json]]) -> Iterator[Resource]:
    """List the resources."""
    for block in blocks["resource"]:
        for kind, named in block.items():
            for name, arguments in named.items():
                yield Resource(kind, name, arguments)


def _plain(value: Any) -> Any:
    """Take off the marks of the parser, and the quotes of keys and texts."""
    if isinstance(value, dict):
        items = ((key, item) for key, item in value.items() if not key.startswith("__"))
        return {_unquoted(key): _plain(item) for key, item in items}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return _unquoted(value) if isinstance(value, str) else value


def _unquoted(text: str) -> str:
    return text[1:-1] if text.startswith('"') and text.endswith('"') else text
