"""What stands in parsed JSON where a value was written that nobody may read.

Neither class fits any wire type, so a member that is never read does no harm.
"""


class RepeatedMember:
    """Stands for the value of a member that one JSON object holds twice."""


class OutOfRangeNumber:
    """Stands for a number too large for a double, such as 1e400."""
