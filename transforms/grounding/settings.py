"""The settings of the check, and the addresses of Google's service."""

from collections.abc import Collection
from enum import StrEnum

from msgspec.structs import replace

from groundwatch.schemas import Record
from groundwatch.schemas.planned_run import Budget
from groundwatch.schemas.quantities import MEGABYTE
from groundwatch.transforms.rules.limits import CheckLimits
from groundwatch.transforms.rules.thresholds import EscalationRule
from groundwatch.transforms.runtime.addresses import ANY_PATH, hide_secrets, is_address
from groundwatch.transforms.runtime.errors import type_name
from .python_checker import Checker, CheckerObject, is_checker, is_object_name

LOCAL = "local"
SMALL, WORDS_ALONE = "small", "none"
"""Scorers of the embedded checker by name: the model that comes with it, and no model."""
DISCOVERY_ENGINE = "discoveryengine"

GLOBAL = "global"
LOCATIONS = (GLOBAL, "us", "eu")
DEFAULT_CONFIG = "default_grounding_config"

SERVICE_CITATION_THRESHOLD = 0.6
"""What the service uses if a request has no threshold (documentation of `citationThreshold`)."""

_LATE_CALLS_PER_CALL = 7
_CALLS_PER_BATCHED_OUTCOME = 16
OBJECT_IN_FLIGHT = 8
"""Concurrent calls of a Python object: each has a thread, and may compute instead of waiting."""


def endpoint(location: str) -> str:
    """Return the address of the service in a location.

    Source: https://docs.cloud.google.com/generative-ai-app-builder/docs/locations
    """
    prefix = "" if location == GLOBAL else f"{location}-"
    return f"https://{prefix}discoveryengine.googleapis.com"


def grounding_config(project: str, location: str) -> str:
    """Return the resource name of the grounding configuration that every project has."""
    return f"projects/{project}/locations/{location}/groundingConfigs/{DEFAULT_CONFIG}"


def location_of(config: str) -> str:
    """Return the location in a configuration's resource name."""
    return config.split("/")[3]


class OutagePolicy(StrEnum):
    """What happens to an answer that could not be checked because the checker is unavailable.

    FAIL: it becomes a retryable failure after its attempts; for bounded runs.
    HOLD: it is retried in the background while others are checked; for the worker.
    REDELIVER: it fails its bundle, so that the runner redelivers it; for streaming runners.
    """

    FAIL = "fail"
    HOLD = "hold"
    REDELIVER = "redeliver"


class GoogleAccount(Record, frozen=True, kw_only=True):
    """The Google account that calls the service.

    Attributes:
      credentials_file: a key file; None for the application's default credentials.
      impersonate: the e-mail address of a service account to act as.
      quota_project: whose quota is used; None for the project in the credentials.
    """

    credentials_file: str | None = None
    impersonate: str | None = None
    quota_project: str | None = None


class RetrySettings(Record, frozen=True, kw_only=True):
    """How often and how long calls are retried.

    Attributes:
      timeout_s: seconds from the start of one attempt to the last byte of its reply.
      max_attempts: attempts per call.
      total_s: seconds after the first attempt in which another one may start.
      first_s: the same while no call has succeeded, without OutagePolicy.HOLD; None for `total_s`.
      give_up_after_s: seconds without any successful call after which the run stops.
      max_answer_attempts: attempts per call with OutagePolicy.HOLD, in place of `max_attempts` and
        `total_s`. An attempt counts if the checker answered another call since the last one.
      probe_after_s: seconds without any successful call after which, with OutagePolicy.HOLD, the
        checker is asked with an answer that it can check, at most every `probe_every_s` seconds.
    """

    timeout_s: float = 10.0
    max_attempts: int = 9
    total_s: float = 120.0
    first_s: float | None = None
    give_up_after_s: float = 600.0
    max_answer_attempts: int = 5
    probe_after_s: float = 30.0
    probe_every_s: float = 60.0


class CheckSettings(Record, frozen=True, kw_only=True):
    """The settings of the check, fixed for a run.

    Attributes:
      checker: ``local``, ``discoveryengine``, the address of a server that speaks the protocol, or
        ``module:name`` for a Python object.
      endpoint: the address that is called; empty for ``local`` and a Python object.
      given: the Python object, if it was not given by its name.
      scorer: the model of the embedded checker, `small` or another; None for the words alone.
      processes: in which the words of answers are checked side by side; 1 for the caller's own.
      scorer_weight: of the model's log odds, which are added to those of the words, from 0;
        infinite for the model alone.
      account: None sends no credentials.
      citation_threshold: 0..1, least score of a cited fact; None for the service's default.
      max_calls_per_answer: an answer that needs more calls is not checked.
      max_in_flight, requests_per_minute: of a process. A model runs at most once for each processor
        of the machine; where several processes share one, divide them.
      max_reply_bytes: longest reply, before and after decompression.
      cache_bytes: size of the reply cache in memory, if there is no `reply_store`; 0 for none.
      reply_store: a file that stores all replies of the run.
      budget: of the run; it needs a `reply_store`.
      proxy: the address of a proxy, None for that of the environment, if any.
      has_answered: whether the checker has answered a worker before this one.
      screen: a first checker, whose replies decide what this one checks; None checks each answer.
    """

    checker: str = LOCAL
    endpoint: str = ""
    given: CheckerObject | None = None
    scorer: str | None = None
    processes: int = 1
    scorer_weight: float = 1.0
    account: GoogleAccount | None = None
    api_version: str = "v1beta"
    grounding_config: str = "projects/-/locations/global/groundingConfigs/default_grounding_config"
    citation_threshold: float | None = SERVICE_CITATION_THRESHOLD
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
    has_answered: bool = False
    screen: "Screening | None" = None

    @property
    def checkers(self) -> tuple["CheckSettings", ...]:
        """The settings of each checker, in their order."""
        return (self.screen.first, self) if self.screen else (self,)

    @property
    def checker_name(self) -> str:
        """The checker in records, such as ``local`` or ``local+my-model``."""
        name = self.scorer and self.scorer.rstrip("/").rpartition("/")[2]
        return f"{self.checker}+{name}" if name else self.checker

    def by_words(self) -> "CheckSettings":
        """Return the settings without the model that comes with groundwatch."""
        own = self.scorer if self.scorer != SMALL else None
        screen = self.screen and replace(self.screen, first=self.screen.first.by_words())
        return replace(self, scorer=own, screen=screen)

    def in_processes(self, count: int) -> "CheckSettings":
        """Return the settings, with so many processes for checks by words."""
        screen = self.screen and replace(self.screen, first=self.screen.first.in_processes(count))
        return replace(self, processes=count, screen=screen)

    def with_answered(self, checkers: Collection[str]) -> "CheckSettings":
        """Return the settings, with what is known of these checkers: they have answered."""
        screen = self.screen and replace(
            self.screen, first=self.screen.first.with_answered(checkers)
        )
        return replace(self, has_answered=self.checker in checkers, screen=screen)

    @property
    def names(self) -> str:
        """The checkers of a run, such as ``local``, or ``local, then http://judge``."""
        return ", then ".join(each.checker_name for each in self.checkers)

    @property
    def revision(self) -> str | None:
        """The version of Google's API and its configuration; another checker's is in its reply."""
        is_google = self.checker == DISCOVERY_ENGINE
        return f"{self.api_version} {self.grounding_config}" if is_google else None

    @property
    def most_late_calls(self) -> int:
        """Most late calls, which run besides `max_in_flight`; a late model is at work."""
        may_hang = self.outage is OutagePolicy.HOLD and not self.scorer
        return _LATE_CALLS_PER_CALL * self.max_in_flight if may_hang else 0

    @property
    def outcomes_per_batch(self) -> int:
        """Outcomes that are stored and handed over together; few compared to the calls in flight.

        A commit and waking another thread are expensive, but not beside the time of a model.
        """
        if self.scorer:
            return 1
        return max(1, self.max_in_flight // _CALLS_PER_BATCHED_OUTCOME)

    @property
    def is_lexical(self) -> bool:
        """Whether the embedded checker scores by words, which is free and faster than a cache."""
        return self.checker == LOCAL and self.scorer is None

    @property
    def is_object(self) -> bool:
        """Whether the checker is a Python object."""
        return not self.endpoint and self.checker != LOCAL

    @property
    def pays_once(self) -> bool:
        """Whether replies are cached, so that identical calls are paid for once."""
        return bool(self.reply_store or (self.cache_bytes and not self.is_lexical))


class Screening(Record, frozen=True, kw_only=True):
    """A first checker, which checks each answer, and what a second one checks by its replies.

    Attributes:
      defers_over_budget: whether an answer that the budget does not let the second one check waits
        for a larger budget; otherwise it keeps the verdict of the first one.
    """

    first: CheckSettings = CheckSettings()
    rule: EscalationRule = EscalationRule()
    defers_over_budget: bool = False

    @property
    def pays_first(self) -> bool:
        """Whether the calls of the first checker count, too: those of the embedded one are free."""
        return self.first.checker != LOCAL


def with_screen(
    first: "str | Checker | CheckSettings",
    second: "str | Checker | CheckSettings | None",
    rule: EscalationRule,
    *,
    defers_over_budget: bool = False,
) -> CheckSettings:
    """Return the settings of a second checker behind a first one, or of the first one alone.

    Raises:
      Exception: as `settings_for`.
    """
    if second is None:
        return settings_for(first)
    screen = Screening(first=settings_for(first), rule=rule, defers_over_budget=defers_over_budget)
    return replace(settings_for(second), screen=screen)


def model_of(scorer: str | None) -> str | None:
    """Return the model that a scorer's name is for: `small` by default, None for the words alone.

    >>> model_of(None), model_of("none"), model_of("models/nli")
    ('small', None, 'models/nli')
    """
    return None if scorer == WORDS_ALONE else scorer or SMALL


def settings_for(checker: "str | Checker | CheckSettings") -> CheckSettings:
    """Return the settings of a checker that is named as by --checker, or is a Python object.

    Raises:
      TypeError: it is neither a text, nor settings, nor an object with a method `check`.
      ValueError: the text names no checker that needs no other settings.
    """
    if isinstance(checker, CheckSettings):
        return checker
    if not isinstance(checker, str):
        return _settings_of_object(checker)
    if checker == LOCAL:
        return CheckSettings(scorer=model_of(None))
    if checker == DISCOVERY_ENGINE:
        raise ValueError(
            f"checker {checker!r} needs an account and a project: pass CheckSettings(checker=…,"
            " endpoint=…, account=…, grounding_config=…)"
        )
    if is_object_name(checker):
        return CheckSettings(checker=checker, max_in_flight=OBJECT_IN_FLIGHT)
    if not is_address(checker, ANY_PATH):
        raise ValueError(
            f"checker {hide_secrets(checker)!r} is neither 'local', nor an address such as"
            " http://127.0.0.1:8080, nor module:name of a Python object"
        )
    return CheckSettings(checker=checker, endpoint=checker)


def _settings_of_object(checker: Checker) -> CheckSettings:
    if isinstance(checker, type):
        name = checker.__name__
        raise TypeError(f"checker is the class {name}: pass an object of it, such as {name}()")
    if not is_checker(checker):
        raise TypeError(
            f"checker is {type_name(checker)}: pass a text, CheckSettings, or an object with a"
            " method check(answer, facts, question)"
        )
    given = CheckerObject(checker)
    return CheckSettings(checker=given.name, given=given, max_in_flight=OBJECT_IN_FLIGHT)
