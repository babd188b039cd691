"""One spelling of member names, lowerCamelCase, for messages that come in snake_case."""

import re
from functools import lru_cache

# Maps whose keys are the user's own.
_FREE_FORM = frozenset({"structData", "attributes"})

# Each match is tried from one underscore to the next, so that hostile input costs linear time.
_SNAKE_CASE_MEMBER = re.compile(rb'_[A-Za-z0-9]*"\s*:')
_WORD = re.compile(r"_([a-z0-9])")


def holds_snake_case(payload: bytes) -> bool:
    """Whether some member name in a JSON text may have an underscore."""
    return _SNAKE_CASE_MEMBER.search(payload) is not None


def to_camel_case(value: object) -> object:
    """Rename the members of parsed JSON, at every level but inside free-form maps.

    Of two spellings of one member the lowerCamelCase one counts. A trailing underscore, with
    which Python's clients avoid keywords (`type_`), goes.
    """
    if isinstance(value, list):
        return [to_camel_case(item) for item in value]
    if not isinstance(value, dict):
        return value
    renamed = {
        _camel(name): _renamed_member(_camel(name), member)
        for name, member in value.items()
        if "_" in name
    }
    for name, member in value.items():
        if "_" not in name:
            renamed[name] = _renamed_member(name, member)
    return renamed


def _renamed_member(name: str, member: object) -> object:
    return member if name in _FREE_FORM else to_camel_case(member)


@lru_cache(maxsize=1024)
def _camel(name: str) -> str:
    return _WORD.sub(lambda match: match[1].upper(), name.rstrip("_"))
