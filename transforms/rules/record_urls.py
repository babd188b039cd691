"""Fill in the template of the address of a record, such as ``https://viewer/r/{record_id}``."""

import re
from urllib.parse import quote

from groundwatch.schemas.enriched_answer import AnswerRow, EnrichedAnswer

_FIELDS = ("record_id", "trace_id", "engine")
_FIELD = re.compile(r"\{(\w+)\}")
_TEMPLATE = re.compile(r"https?://(?![^/]*@)[^\s<>|\"'{}]+(\{\w+\}[^\s<>|\"'{}]*)+")


def check_template(template: str) -> str:
    """Return a template, or raise ValueError."""
    if not _TEMPLATE.fullmatch(template) or not {*_FIELD.findall(template)} <= {*_FIELDS}:
        names = ", ".join(f"{{{name}}}" for name in _FIELDS)
        raise ValueError(f"must be an http or https address with one or more of {names}")
    return template


def record_url(template: str | None, record: AnswerRow | EnrichedAnswer) -> str | None:
    """Return the address of a record, None if the record lacks a field of the template."""
    if not template:
        return None
    values = {name: getattr(record, name) for name in _FIELD.findall(template)}
    if not all(values.values()):
        return None
    return _FIELD.sub(lambda field: quote(values[field[1]], safe=""), template)
