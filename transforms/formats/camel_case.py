"""Rename the fields of messages in snake_case to lowerCamelCase."""

import re
from functools import lru_cache

# Maps whose keys are the user's own.
_FREE_FORM = frozenset({"structData", "attributes"})

# Each match is tried from one underscore to the next, so that hostile input costs linear time.
_SNAKE_CASE_FIELD = re.compile(rb'_[A-Za-z0-9]*"\s*:')
_WORD = re.compile(r"_([a-z0-9])")


def has_snake_case(payload: bytes) -> bool:
    """Return whether some field name in a JSON text may have an underscore."""
    return _SNAKE_CASE_FIELD.search(payload) is not None


def to_camel_case(value: object) -> object:
    """Rename the fields of parsed JSON, at every level except inside free-form maps.

    Of two spellings of one field the lowerCamelCase one counts.
    """
    if isinstance(value, list):
        return [to_camel_case(item) for item in value]
    if not isinstance(value, dict):
        return value
    renamed = {
        _camel(name): _renamed_field(_camel(name), field)
        for name, field in value.items()
        if "_" in name
    }
    for name, field in value.items():
        if "_" not in name:
            renamed[name] = _renamed_field(name, field)
    return renamed


def camel_case_name(name: str) -> str:
    """Write a field's name in lowerCamelCase.

    A trailing underscore, with which Python's clients avoid keywords (`type_`), is dropped.
    """
    return _camel(name) if "_" in name else name


@lru_cache(maxsize=1024)
def _camel(name: str) -> str:
    return _WORD.sub(lambda match: match[1].upper(), name.rstrip("_"))


def _renamed_field(name: str, field: object) -> object:
    return field if name in _FREE_FORM else to_camel_case(field)
