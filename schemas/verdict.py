"""The verdicts and tags that an enriched record can carry."""

from collections.abc import Collection
from enum import StrEnum


class _Value(StrEnum):
    """A value that prints as itself, also inside records and lists."""

    __repr__ = str.__repr__


class Verdict(_Value):
    """The verdict on an answer; each answer has exactly one."""

    GROUNDED = "GROUNDED"
    LOW_GROUNDED = "LOW_GROUNDED"
    POLICY_SKIPPED = "POLICY_SKIPPED"
    NOT_ANSWERED = "NOT_ANSWERED"
    UNSCORABLE = "UNSCORABLE"
    INCOMPLETE = "INCOMPLETE"
    GENERATION_FAILED = "GENERATION_FAILED"


class Tag(_Value):
    """A further finding about an answer; each answer has any number of them."""

    # Set by parsing.
    ADVERSARIAL_QUERY = "ADVERSARIAL_QUERY"
    BAD_OFFSETS = "BAD_OFFSETS"
    BAD_TIMESTAMP = "BAD_TIMESTAMP"
    MULTIPLE_CANDIDATES = "MULTIPLE_CANDIDATES"
    SOURCE_WITHOUT_TEXT = "SOURCE_WITHOUT_TEXT"
    STREAM_ERROR = "STREAM_ERROR"
    # Set by routing, before any check.
    ABNORMAL_FINISH = "ABNORMAL_FINISH"
    LOW_ANSWERABLE_PROBABILITY = "LOW_ANSWERABLE_PROBABILITY"
    REASONING_REMOVED = "REASONING_REMOVED"
    SAFETY_RATED = "SAFETY_RATED"
    TRUNCATED = "TRUNCATED"
    UNFINISHED = "UNFINISHED"
    UNKNOWN_SKIP_REASON = "UNKNOWN_SKIP_REASON"
    # Set by the check.
    ANTONYM_MISMATCH = "ANTONYM_MISMATCH"
    AUDITED = "AUDITED"
    CITATION_MISMATCH = "CITATION_MISMATCH"
    DATE_MISMATCH = "DATE_MISMATCH"
    ESCALATED = "ESCALATED"
    NAME_MISMATCH = "NAME_MISMATCH"
    NEGATION_MISMATCH = "NEGATION_MISMATCH"
    NOT_ESCALATED = "NOT_ESCALATED"
    NUMBER_MISMATCH = "NUMBER_MISMATCH"
    PARTLY_COMPARED = "PARTLY_COMPARED"
    RECOMBINED = "RECOMBINED"
    SCORE_DRIFT = "SCORE_DRIFT"
    UNIT_MISMATCH = "UNIT_MISMATCH"
    UNREAD_LANGUAGE = "UNREAD_LANGUAGE"
    UNSEEN_VALUE = "UNSEEN_VALUE"
    UNSUPPORTED_CLAIM = "UNSUPPORTED_CLAIM"
    # Set on the message to a topic, not on the record in a file.
    FACTS_DROPPED = "FACTS_DROPPED"


SECOND_DECIDED = (Tag.ESCALATED, Tag.AUDITED)
"""Why the second of two checkers decided an answer."""
ESCALATION_TAGS = (*SECOND_DECIDED, Tag.NOT_ESCALATED)
"""Why the second of two checkers decided an answer, or that it was to do so and did not."""


def is_of_second(tags: Collection[str]) -> bool:
    """Return whether the second of two checkers decided the answer with these tags."""
    return any(tag in tags for tag in SECOND_DECIDED)


class ContradictionKind(_Value):
    """The kind of value that contradicts the facts; each has a tag, such as ``UNIT_MISMATCH``."""

    ANTONYM = "ANTONYM"
    DATE = "DATE"
    NAME = "NAME"
    NEGATION = "NEGATION"
    NUMBER = "NUMBER"
    UNIT = "UNIT"

    @property
    def tag(self) -> Tag:
        return Tag(f"{self}_MISMATCH")
