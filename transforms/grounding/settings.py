"""How answers are checked, and by whom."""

from schemas.record import Record
from transforms.rules.limits import CheckLimits

SERVICE_CITATION_THRESHOLD = 0.6
"""What the service uses where no threshold is sent (documentation of `citationThreshold`)."""


class CheckSettings(Record, frozen=True, kw_only=True):
    """Everything the check needs to know, set once for a run.

    Attributes:
      checker: ``local``, or the address of a server that speaks the protocol.
      api_version: ``v1`` or ``v1beta``, part of the path.
      grounding_config: resource name of the configuration, part of the path.
      citation_threshold: 0..1, from which score a fact is cited; None leaves it to the service.
      user_labels: labels sent with each call, for the bill.
      limits: what the service takes in one call.
      max_calls_per_answer: an answer that needs more is not checked.
      max_in_flight: answers under way at once in a process.
      timeout_s: seconds from the start of one attempt to the last byte of its reply.
      max_attempts: attempts a call.
      retry_timeout_s: seconds from the first attempt after which no further one starts.
      max_reply_bytes: a longer reply is refused, packed or unpacked.
    """

    checker: str = "local"
    api_version: str = "v1beta"
    grounding_config: str = "projects/-/locations/global/groundingConfigs/default_grounding_config"
    citation_threshold: float | None = SERVICE_CITATION_THRESHOLD
    user_labels: dict[str, str] = {}
    limits: CheckLimits = CheckLimits()
    max_calls_per_answer: int = 20
    max_in_flight: int = 128
    timeout_s: float = 10.0
    max_attempts: int = 9
    retry_timeout_s: float = 120.0
    max_reply_bytes: int = 4 * 1024 * 1024
