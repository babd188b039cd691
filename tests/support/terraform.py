"""Terraform's files, read without Terraform."""

import json
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import hcl2

Json = dict[str, Any]

SCHEMA: Json = json.loads(
    (Path(__file__).parents[1] / "data" / "terraform" / "google-beta-6.50.0.json").read_bytes()
)
"""The arguments of the provider's resources, by kind."""

OF_TERRAFORM = {"count", "depends_on", "dynamic", "for_each", "lifecycle", "provider"}


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


def name_of(resource: Resource) -> str:
    """How other resources refer to it."""
    return f"{resource.kind}.{resource.name}"


def _blocks_in(arguments: Json) -> Iterator[tuple[str, Json]]:
    """The blocks within a block, the dynamic ones included."""
    for name, value in arguments.items():
        if name == "dynamic":
            for dynamic in value:
                for made, block in dynamic.items():
                    yield made, block["content"][0]
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            yield from ((name, block) for block in value)


def problems(resource: Resource) -> Iterator[str]:
    """Name the arguments that the provider does not know, or misses."""
    yield from _problems(resource.arguments, SCHEMA[resource.kind], name_of(resource))


def _problems(arguments: Json, schema: Json, place: str) -> Iterator[str]:
    inner = list(_blocks_in(arguments))
    given = (set(arguments) | {name for name, _ in inner}) - OF_TERRAFORM
    yield from (
        f"{place}: {name} is unknown"
        for name in given - set(schema["required"]) - set(schema["optional"])
    )
    yield from (f"{place}: {name} is missing" for name in set(schema["required"]) - given)
    for name, block in inner:
        if name in schema.get("blocks", {}):
            yield from _problems(block, schema["blocks"][name], f"{place}.{name}")


ASSIGNMENT = re.compile(r'^( *)[\w"][^={}()]*? *(=) [^{(\[]*[^{(\[]$')


def misaligned(lines: list[str]) -> Iterator[str]:
    """Lines that `terraform fmt` would change for their white space."""
    yield from (line for line in lines if line != line.rstrip() or "\t" in line)
    yield from (line for line in lines if (len(line) - len(line.lstrip())) % 2)
    matches = [ASSIGNMENT.match(line) for line in lines]
    for place, run in groupby(matches, key=lambda match: match and match[1]):
        if place is not None and len({match.start(2) for match in run if match}) > 1:
            yield f"the equals signs at indent {len(place)}"


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
