"""The verdicts and tags that an enriched record can carry."""

from enum import StrEnum


class Verdict(StrEnum):
    """What groundwatch says of an answer; exactly one each."""

    GROUNDED = "GROUNDED"
    LOW_GROUNDED = "LOW_GROUNDED"
    POLICY_SKIPPED = "POLICY_SKIPPED"
    NOT_ANSWERED = "NOT_ANSWERED"
    UNSCORABLE = "UNSCORABLE"
    INCOMPLETE = "INCOMPLETE"
    GENERATION_FAILED = "GENERATION_FAILED"


class Tag(StrEnum):
    """What else is true of an answer; any number each."""

    # Seen while parsing.
    ADVERSARIAL_QUERY = "ADVERSARIAL_QUERY"
    BAD_OFFSETS = "BAD_OFFSETS"
    BAD_TIMESTAMP = "BAD_TIMESTAMP"
    MULTIPLE_CANDIDATES = "MULTIPLE_CANDIDATES"
    STREAM_ERROR = "STREAM_ERROR"
    # True of the answer before any check.
    ABNORMAL_FINISH = "ABNORMAL_FINISH"
    LOW_ANSWERABLE_PROBABILITY = "LOW_ANSWERABLE_PROBABILITY"
    SAFETY_RATED = "SAFETY_RATED"
    TRUNCATED = "TRUNCATED"
    UNFINISHED = "UNFINISHED"
    UNKNOWN_SKIP_REASON = "UNKNOWN_SKIP_REASON"
    # Seen by the check.
    CITATION_MISMATCH = "CITATION_MISMATCH"
    NUMBER_MISMATCH = "NUMBER_MISMATCH"
    RECOMBINED = "RECOMBINED"
    SCORE_DRIFT = "SCORE_DRIFT"
    UNSUPPORTED_CLAIM = "UNSUPPORTED_CLAIM"
