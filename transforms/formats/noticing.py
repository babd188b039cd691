"""Tags for what reading a message noticed."""

from collections.abc import Mapping

from schemas.verdict import Tag


def true_tags(noticed: Mapping[Tag, bool]) -> tuple[Tag, ...]:
    """The tags that are true, in their order."""
    return tuple(tag for tag, is_true in noticed.items() if is_true)
