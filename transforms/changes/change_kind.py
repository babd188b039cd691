"""The kinds of changes."""

from enum import StrEnum


class ChangeKind(StrEnum):
    """What is changed in a statement so that its fact does not support it any more."""

    NUMBER = "number"
    DATE = "date"
    UNIT = "unit"
    DENIAL = "denial"
    NAME = "name"
    CONDITION = "condition"
    ROLE = "role"
    MERGED = "merged"


IN_ANY_LANGUAGE = (ChangeKind.NUMBER, ChangeKind.DATE, ChangeKind.UNIT)
"""The others are made of English statements alone."""
