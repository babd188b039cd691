"""Terraform's files, read without Terraform."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import hcl2

Json = dict[str, Any]

SCHEMA: Json = json.loads(
    (Path(__file__).parents[1] / "data" / "terraform" / "google-beta-6.50.0.json").read_bytes()
)
"""The arguments of the provider's resources, by kind."""

OF_TERRAFORM = {"count", "depends_on", "dynamic", "for_each", "lifecycle", "provider"}
PLAIN = hcl2.SerializationOptions(
    with_comments=False, explicit_blocks=False, strip_string_quotes=True
)


class Resource(NamedTuple):
    """A resource block."""

    kind: str
    name: str
    arguments: Json


def load(folder: Path) -> dict[str, list[Json]]:
    """Read a folder's files: the blocks of each kind."""
    blocks: dict[str, list[Json]] = {}
    for path in sorted(folder.glob("*.tf")):
        content = hcl2.loads(path.read_text("utf-8"), serialization_options=PLAIN)
        for kind, found in content.items():
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


def problems(arguments: Json, schema: Json, place: str) -> Iterator[str]:
    """Name the arguments that the provider does not know, or misses."""
    inner = list(_blocks_in(arguments))
    given = (set(arguments) | {name for name, _ in inner}) - OF_TERRAFORM
    yield from (
        f"{place}: {name} is unknown"
        for name in given - set(schema["required"]) - set(schema["optional"])
    )
    yield from (f"{place}: {name} is missing" for name in set(schema["required"]) - given)
    for name, block in inner:
        if name in schema.get("blocks", {}):
            yield from problems(block, schema["blocks"][name], f"{place}.{name}")
