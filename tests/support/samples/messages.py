"""A message before it is written, and what may still happen to it."""

from collections.abc import Callable
from typing import Any

Json = dict[str, Any]
"""A message: lowerCamelCase fields, enum names, plain integers."""

Edit = Callable[[Json], None]
"""A change to a message, in place."""


def as_it_was(_: Json) -> None:
    """Change nothing."""
