"""Placeholders in parsed JSON for values that cannot be read.

Neither class fits any wire type, so a field that is never read does no harm.
"""

from collections.abc import Sequence


class RepeatedField:
    """Stands for the value of a field that one JSON object has twice.

    Attributes:
      values: all that were written.
    """

    def __init__(self, values: Sequence[object]) -> None:
        self.values = tuple(values)


class OutOfRangeNumber:
    """Stands for a number too large for a double, such as 1e400."""
