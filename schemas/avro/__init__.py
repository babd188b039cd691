"""The Avro schemas of the output, which other programs rely on."""

import json
from importlib.resources import files
from typing import Any


def load_schema(name: str) -> dict[str, Any]:
    """Load a schema of this package: ``enriched_answer``, ``alert`` or ``failure``."""
    return _load(f"{name}.avsc")


def load_released(name: str, version: str) -> dict[str, Any]:
    """Load a released version of a schema, of which ``enriched_answer``'s are installed."""
    return _load(f"released/{name}/{version}.avsc")


def _load(path: str) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads(files(__name__).joinpath(path).read_text(encoding="utf-8"))
    return schema
