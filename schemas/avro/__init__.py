"""The Avro schemas of the output, which other programs rely on."""

import json
from importlib.resources import files
from typing import Any


def load_schema(name: str) -> dict[str, Any]:
    """Load a schema of this package: ``enriched_answer``, ``alert`` or ``failure``."""
    text = files(__name__).joinpath(f"{name}.avsc").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def load_released(name: str, version: str) -> dict[str, Any]:
    """Load a released version of a schema, of which ``enriched_answer``'s are installed."""
    return load_schema(f"released/{name}/{version}")
