"""How answers are checked, and by whom."""

from enum import StrEnum

from schemas import Record
from schemas.quantities import MEGABYTE
from transforms.rules.limits import CheckLimits

LOCAL = "local"
DISCOVERY_ENGINE = "discoveryengine"

_LATE_CALLS_A_CALL = 7

SERVICE_CITATION_THRESHOLD = 0.6
"""What the service uses where no threshold is sent (documentation of `citationThreshold`)."""


class OutagePolicy(StrEnum):
    """What becomes of an answer that an unavailable checker could not check."""

    FAIL = "fail"
    """It is a retryable failure after its attempts: of a bounded run."""

    HOLD = "hold"
    """It is held and tried again in the background, and the others go on: of the worker."""

    REDELIVER = "redeliver"
    """It fails its bundle, so that the runner delivers it again: of a stream on an engine."""


class GoogleAccount(Record, frozen=True, kw_only=True):
    """Who asks Google's service.

    Attributes:
      credentials_file: a service account's key file; None for the application's default
        credentials.
      impersonate: the e-mail address of a service account to act as.
      quota_project: the project whose quota counts; None for what the credentials say.
    """

    credentials_file: str | None = None
    impersonate: str | None = None
    quota_project: str | None = None


class RetrySettings(Record, frozen=True, kw_only=True):
    """How long one call, and all of them, may fail.

    Attributes:
      timeout_s: seconds from the start of one attempt to the last byte of its reply.
      max_attempts: attempts a call.
      total_s: seconds from the first attempt after which no further one starts.
      give_up_after_s: seconds without any success after which the run ends.
      max_answer_attempts: with OutagePolicy.HOLD in place of the two before: attempts of a call,
        of which only those count between which the checker answered other calls.
    """

    timeout_s: float = 10.0
    max_attempts: int = 9
    total_s: float = 120.0
    give_up_after_s: float = 600.0
    max_answer_attempts: int = 5


class Budget(Record, frozen=True, kw_only=True):
    """What all calls of a run together may take; None for no limit.

    Attributes:
      max_calls: calls.
      max_characters: of answers and facts in them.
    """

    max_calls: int | None = None
    max_characters: int | None = None


class CheckSettings(Record, frozen=True, kw_only=True):
    """Everything the check needs to know, set once for a run.

    Attributes:
      checker: ``local``, ``discoveryengine``, or the address of a server that speaks the protocol.
      endpoint: the address that is called; empty for ``local``.
      scorer: the folder of a model that scores claims in the embedded checker; None for words.
      account: who asks; None sends no credentials.
      api_version: ``v1`` or ``v1beta``, part of the path.
      grounding_config: resource name of the configuration, part of the path.
      citation_threshold: 0..1, from which score a fact is cited; None leaves it to the service.
      user_labels: labels sent with each call, for the bill.
      limits: what the service takes in one call.
      max_calls_per_answer: an answer that needs more is not checked.
      max_in_flight: calls under way at once in a process.
      requests_per_minute: attempts a minute in this process, None for no limit.
      retries: how long calls may fail.
      max_reply_bytes: a longer reply is refused, packed or unpacked.
      cache_bytes: how much of the replies is kept for identical checks; 0 for nothing.
      reply_store: a file that keeps all replies of the run, None for memory alone.
      budget: what the run may take; it needs a `reply_store`.
      proxy: the address of a proxy to call through, None for none.
      outage: what becomes of an answer that an unavailable checker could not check.
    """

    checker: str = LOCAL
    endpoint: str = ""
    scorer: str | None = None
    account: GoogleAccount | None = None
    api_version: str = "v1beta"
    grounding_config: str = "projects/-/locations/global/groundingConfigs/default_grounding_config"
    citation_threshold: float | None = SERVICE_CITATION_THRESHOLD
    user_labels: dict[str, str] = {}
    limits: CheckLimits = CheckLimits()
    max_calls_per_answer: int = 20
    max_in_flight: int = 128
    requests_per_minute: float | None = None
    retries: RetrySettings = RetrySettings()
    max_reply_bytes: int = 4 * MEGABYTE
    cache_bytes: int = 64 * MEGABYTE
    reply_store: str | None = None
    budget: Budget = Budget()
    proxy: str | None = None
    outage: OutagePolicy = OutagePolicy.FAIL

    @property
    def checker_name(self) -> str:
        """What records say of who checked: ``local+my-model`` where a model scored."""
        name = self.scorer and self.scorer.rstrip("/").rpartition("/")[2]
        return f"{self.checker}+{name}" if name else self.checker

    @property
    def most_late_calls(self) -> int:
        """How many calls without a reply may be under way besides `max_in_flight`."""
        return _LATE_CALLS_A_CALL * self.max_in_flight if self.outage is OutagePolicy.HOLD else 0

    @property
    def pays_once(self) -> bool:
        """Whether replies are kept, so that identical calls are paid for once."""
        return bool(self.cache_bytes or self.reply_store)
