"""List the presets: the field maps of well-known tools, which `presets.toml` describes."""

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from msgspec.structs import replace

from groundwatch.schemas import Record
from groundwatch.schemas.message import UnreadableAnswer
from groundwatch.schemas.wire.json_input import camel_case_name
from groundwatch.schemas.wire.wire_type import words
from groundwatch.transforms.formats.finish_reasons import deciding_reason, may_lack_text
from .field_map import ALTERNATIVES, FIELDS, FieldMap, PathPairs, has_text, parse_map
from .field_names import ANSWER_LISTS
from .json_path import JsonPath, json_path


class Preset(Record, frozen=True):
    """The field map of a tool, as `presets.toml` describes it; the rarest marks come first.

    `places` are pairs of a side, `input` or `output`, and a path where its shapes begin.
    """

    name: str
    marks: tuple[tuple[JsonPath, ...], ...]
    field_map: FieldMap
    comes_first: bool = False
    needs_text: bool = False
    type_name: str = ""
    types: tuple[str, ...] = ()
    places: PathPairs = ()

    @property
    def rarest_names(self) -> frozenset[str]:
        """The fields of which some is in each row, and in few rows of other tools."""
        return frozenset(camel_case_name(marks[0].first_name) for marks in self.marks)

    def matches(self, value: Mapping[str, object]) -> bool:
        """Return whether parsed JSON, in camelCase, is a row of the tool."""
        return any(all(mark.find(value) for mark in marks) for marks in self.marks) and (
            not self.needs_text
            or has_text(self.field_map.find("answer", value))
            or may_lack_text(deciding_reason(self.field_map.end_words(value)))
        )

    def reject_other(self, value: object) -> None:
        """Raise UnreadableAnswer for a row of another type than an answer, such as a search."""
        kind = value.get(self.type_name) if isinstance(value, dict) else None
        if self.types and kind not in self.types:
            raise UnreadableAnswer(
                "The message is not recognised as an answer, but as a row of another type of"
                f" {self.name}. Its {self.type_name} is {str(kind)[:40]!r}: export only rows of"
                f" {', '.join(self.types)}."
            )


def _preset(
    name: str, *, marks: str, comes_first: bool = False, needs_text: bool = False, **others: Any
) -> Preset:
    pairs = [(field, others.pop(field)) for field in FIELDS if field in others]
    places = tuple(
        (side, place) for side in _SHAPES for place in words(others.pop(f"{side}_at", ""))
    )
    for side, place in places:
        pairs += [(field, path.replace("$", place)) for field, path in _SHAPES[side]]
    type_name, types = others.pop("type_name", ""), words(others.pop("types", ""))
    ignored, candidates = words(others.pop("ignored", "")), others.pop("candidates", "")
    if output := next((place for side, place in places if side == "output"), ""):
        candidates = f"{output}{[*ANSWER_LISTS]}[*]"
    field_map = replace(
        parse_map(tuple(pairs), ignored),
        candidates=json_path(candidates) if candidates else None,
        prompt=tuple(map(json_path, words(others.pop("prompt", "")))),
        shapes_at=tuple(dict.fromkeys(json_path(place).first_name for _, place in places)),
        **others,
    )
    mark_paths = tuple(
        tuple(map(json_path, words(alternative))) for alternative in ALTERNATIVES.split(marks)
    )
    return Preset(name, mark_paths, field_map, comes_first, needs_text, type_name, types, places)


_TABLE: dict[str, dict[str, Any]] = tomllib.loads(
    files(__package__).joinpath("presets.toml").read_text(encoding="utf-8")
)
_SHAPES: dict[str, PathPairs] = {
    side: tuple(shapes.items()) for side, shapes in _TABLE.pop("shapes").items()
}
INPUT, OUTPUT = (replace(parse_map(_SHAPES[side]), shapes_at=("",)) for side in ("input", "output"))
"""Where chains and models have the query and the answer, in what they are given and return.

The shapes begin at the value itself, in place of one of its fields.
"""

PRESETS = tuple(_preset(name, **row) for name, row in _TABLE.items())
"""Presets are tried in this order."""
