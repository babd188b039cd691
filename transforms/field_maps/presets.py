"""The presets, field maps of other tools, which `presets.toml` lists."""

import tomllib
from collections.abc import Mapping
from functools import cached_property
from importlib.resources import files
from typing import Any

from schemas import Record
from schemas.wire.json_input import camel_case_name
from schemas.wire.wire_type import words
from transforms.field_maps.field_map import FieldMap, parse_map
from transforms.field_maps.json_path import JsonPath, json_path


class Preset(Record, frozen=True, kw_only=True, dict=True):
    """The field map of a tool; `presets.toml` describes its fields."""

    name: str
    marks: tuple[JsonPath, ...]
    paths: dict[str, str]
    ignored: tuple[str, ...]
    comes_first: bool

    @cached_property
    def field_map(self) -> FieldMap:
        """The parsed paths."""
        return parse_map(tuple(self.paths.items()), self.ignored)

    @cached_property
    def rarest_name(self) -> str:
        """The field that few rows of other tools have."""
        return camel_case_name(self.marks[0].first_name)

    def matches(self, value: Mapping[str, object]) -> bool:
        """Return whether parsed JSON, in camelCase, is a row of the tool."""
        return self.rarest_name in value and all(mark.find(value) for mark in self.marks)


def _preset(
    name: str, *, marks: str, ignored: str = "", comes_first: bool = False, **paths: str
) -> Preset:
    return Preset(
        name=name,
        marks=tuple(map(json_path, words(marks))),
        paths=paths,
        ignored=tuple(map(camel_case_name, words(ignored))),
        comes_first=comes_first,
    )


_TABLE: dict[str, dict[str, Any]] = tomllib.loads(
    files(__package__).joinpath("presets.toml").read_text(encoding="utf-8")
)
PRESETS = tuple(_preset(name, **row) for name, row in _TABLE.items())
"""Presets are tried in this order."""
