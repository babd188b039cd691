"""The settings of the grounding check: which checker, how it is called, and at which cost."""

from collections.abc import Iterator
from functools import partial
from math import inf
from typing import Annotated, Literal

import msgspec

from groundwatch.schemas.planned_run import Budget
from groundwatch.transforms.grounding.settings import (
    DISCOVERY_ENGINE,
    GLOBAL,
    LOCAL,
    LOCATIONS,
    WORDS_ALONE,
    CheckSettings,
    GoogleAccount,
    OutagePolicy,
    RetrySettings,
    endpoint,
    grounding_config,
    location_of,
    model_of,
    settings_for,
    with_screen,
)
from groundwatch.transforms.rules.thresholds import EscalationRule, Thresholds
from groundwatch.transforms.runtime.processors import usable_processors
from . import kinds
from .definition import Note, Settings

_CHECK = CheckSettings()
_RULE = EscalationRule()
_RETRIES = RetrySettings()
DATABASE = "run.sqlite"
"""The file in a work folder with everything of a run that must survive."""
_OF_LOCAL = f"checker={LOCAL} escalate={LOCAL}"
_OF_GOOGLE = f"checker={DISCOVERY_ENGINE} escalate={DISCOVERY_ENGINE}"
# The embedded checker is not called; `estimate` assumes that it is.
_OF_CALLS = f"checker!={LOCAL} escalate!={LOCAL} assumed_latency_ms!=0"
_OF_MODELS = f"{_OF_CALLS} scorer!={WORDS_ALONE}"
# Calls or characters: more than any run sends, and still an integer of SQLite.
_MOST_COUNTED = 2**62


class CheckerSettings(Settings, frozen=True, kw_only=True):
    """Which checker is called, and how.

    checker: Embedded checker (local), Google's API (discoveryengine), the URL of a server with the
      same protocol, or a Python object with a method check, as module:name. Default: local.
    escalate: A second checker, which decides what the first one is uncertain of, and a share of the
      rest. Flags of calls, costs and accounts are about it, and about a first checker that is not
      local.
    escalate_below: An answer with a claim that scores lower by the first checker is uncertain.
    escalate_share: Share of the other answers that the second checker checks at random.
    scorer: Model beside the words in the embedded checker: small, which comes with groundwatch;
      none; a folder with an ONNX classifier; or OWNER/NAME[@REVISION] of the Hugging Face Hub.
      Default: small.
    scorer_weight: Weight of the model: 0 for the words alone, inf for the model alone.
    project: Google Cloud project.
    location: Location of Google's service. Default: that of --grounding_config, else global.
    api_version: Version of the API.
    grounding_config: Resource name of the grounding configuration. Default: the project's
      default_grounding_config.
    max_in_flight: Concurrent calls of one process. Default: 128; of a Python object 8; of a scorer
      one for each processor, divided by the workers.
    requests_per_minute: Most calls a minute of the command, with all its processes. Default: no
      limit.
    timeout_s: Deadline of one attempt, to the last byte of the reply.
    proxy: Proxy for the calls. Default: that of HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY.
    credentials_file: Key file of a service account, for the check and for buckets. Default:
      application default credentials.
    impersonate_service_account: Service account to impersonate.
    quota_project: Project whose quota is used. Default: that of the credentials.
    """

    checker: kinds.Checker | None = None
    escalate: kinds.Checker | None = None
    escalate_below: Annotated[kinds.Fraction, Note(needs="escalate")] = _RULE.below
    escalate_share: Annotated[kinds.Fraction, Note(needs="escalate")] = _RULE.share
    scorer: Annotated[kinds.Scorer | None, Note(needs=_OF_LOCAL)] = None
    scorer_weight: Annotated[kinds.Weight, Note(needs="scorer")] = _CHECK.scorer_weight
    project: Annotated[kinds.Text | None, Note(needs=f"{_OF_GOOGLE} runner")] = None
    location: Annotated[Literal["global", "us", "eu"] | None, Note(needs=_OF_GOOGLE)] = None
    api_version: Annotated[Literal["v1", "v1beta"], Note(needs=_OF_GOOGLE)] = "v1beta"
    grounding_config: Annotated[kinds.GroundingConfigName | None, Note(needs=_OF_GOOGLE)] = None
    max_in_flight: Annotated[kinds.Count | None, Note(needs=_OF_MODELS)] = None
    requests_per_minute: Annotated[kinds.Positive | None, Note(needs=_OF_CALLS)] = None
    timeout_s: Annotated[kinds.Seconds, Note(needs=_OF_CALLS)] = _RETRIES.timeout_s
    proxy: Annotated[kinds.Proxy | None, Note(needs=_OF_CALLS)] = None
    credentials_file: Annotated[kinds.KeyFile | None, Note(is_local=True)] = None
    impersonate_service_account: Annotated[
        kinds.ServiceAccount | None, Note(needs=f"{_OF_GOOGLE} subscription")
    ] = None
    quota_project: Annotated[kinds.Text | None, Note(needs=f"{_OF_GOOGLE} subscription")] = None

    def problems(self) -> Iterator[str]:
        config, location = self.grounding_config, self.location
        named = (self.name, self.escalate)
        if DISCOVERY_ENGINE in named and not (config or self.project):
            flag = "escalate" if self.escalate == DISCOVERY_ENGINE else "checker"
            yield f"--{flag} discoveryengine: needs --project, or a --grounding_config"
        yield from self._escalation_problems()
        if config and location and location_of(config) != location:
            yield f"--location {location}: is not the location in --grounding_config"
        if config and location_of(config) not in LOCATIONS:
            yield f"--grounding_config {config}: its location must be global, us or eu"

    def _escalation_problems(self) -> Iterator[str]:
        if self.escalate and self.name == DISCOVERY_ENGINE:
            yield (
                "--checker discoveryengine: is paid for each answer, and --escalate is for a first"
                " checker that costs nothing: leave --checker out"
            )
        elif self.escalate == LOCAL and not (self.scorer and self._model):
            yield (
                "--escalate local: needs --scorer, a model, and --scorer_weight above 0, to differ"
                " from the first checker"
            )
        elif self.escalate and self.escalate == self.name != LOCAL:
            yield f"--escalate {self.escalate}: is the first checker, too"

    @property
    def name(self) -> str:
        """The first checker; the embedded one by default."""
        return self.checker or LOCAL

    @property
    def is_named(self) -> bool:
        """Whether a checker is asked for, of which answers that have scores need new ones."""
        return bool(self.checker or self.escalate or self.scorer)

    @property
    def _model(self) -> str | None:
        """The model of the embedded checker; None for the words alone."""
        return model_of(self.scorer) if self.scorer_weight else None

    @property
    def compared_weights(self) -> tuple[float, ...]:
        """The weights by which words, both and a model are compared; none without a model."""
        given = self.scorer_weight
        if not (self.scorer and self._model):
            return ()
        return (0.0, given if given < inf else _CHECK.scorer_weight, inf)

    def alone(self, weight: float) -> CheckSettings:
        """Derive the embedded checker alone, with another weight of its model and no quota."""
        only = msgspec.structs.replace(
            self, checker=None, escalate=None, scorer_weight=weight, requests_per_minute=None
        )
        return only.check()

    @property
    def account(self) -> GoogleAccount:
        return GoogleAccount(
            credentials_file=self.credentials_file,
            impersonate=self.impersonate_service_account,
            quota_project=self.quota_project,
        )

    def check(
        self,
        *,
        workers: int = 1,
        is_here: bool = True,
        retries: RetrySettings = _RETRIES,
        budget: Budget = _CHECK.budget,
        reply_folder: str | None = None,
        outage: OutagePolicy = OutagePolicy.FAIL,
        defers_over_budget: bool = False,
        thresholds: Thresholds = _RULE.thresholds,
    ) -> CheckSettings:
        """Derive the settings of the client; without a folder it caches replies in memory only.

        With a second checker they are its settings. The embedded checker as the first one is free:
        it has neither budget, nor quota, nor stored replies; `thresholds` decide the verdict of the
        first one. Where the `workers` are processes of this machine, a model uses its share of the
        processors in each of them, elsewhere one.
        """
        decides = self.escalate or self.name
        processors = max(1, usable_processors() // workers) if is_here else 1
        quota = self.requests_per_minute
        # The embedded checker is faster than a disk.
        has_store = reply_folder and ({self.name, decides} != {LOCAL} or budget != Budget())
        limited = partial(
            msgspec.structs.replace,
            requests_per_minute=None if quota is None else quota / workers,
            reply_store=f"{reply_folder}/{DATABASE}" if has_store else None,
            budget=budget,
        )
        settings = limited(self._client(decides, processors, retries, outage))
        if self.escalate is None:
            return settings
        rule = EscalationRule(
            below=self.escalate_below, share=self.escalate_share, thresholds=thresholds
        )
        first = self._client(self.name, processors, retries, outage)
        if self.name != LOCAL:
            first = limited(first)
        elif self.escalate == LOCAL:
            first = msgspec.structs.replace(first, scorer=None)  # it is the second one's
        return with_screen(first, settings, rule, defers_over_budget=defers_over_budget)

    def _client(
        self, name: str, processors: int, retries: RetrySettings, outage: OutagePolicy
    ) -> CheckSettings:
        """Derive how a checker of this name is called."""
        is_google = name == DISCOVERY_ENGINE
        scorer = self._model if name == LOCAL else None
        config = self.grounding_config or ""
        location = location_of(config) if config else self.location or GLOBAL
        if is_google:
            named = CheckSettings(checker=name, endpoint=endpoint(location))
        else:
            named = settings_for(name)
        return msgspec.structs.replace(
            named,
            scorer=scorer,
            scorer_weight=self.scorer_weight,
            account=self.account if is_google else None,
            api_version=self.api_version,
            grounding_config=config or grounding_config(self.project or "-", location),
            max_in_flight=self.max_in_flight or (processors if scorer else named.max_in_flight),
            retries=msgspec.structs.replace(retries, timeout_s=self.timeout_s),
            proxy=self.proxy,
            outage=outage,
        )


class RetryPolicySettings(Settings, frozen=True, kw_only=True):
    """How failed calls are retried.

    max_attempts: Attempts of one call.
    retry_timeout_s: Stop retrying a call after this time.
    """

    max_attempts: Annotated[kinds.Count, Note(needs=_OF_CALLS)] = _RETRIES.max_attempts
    retry_timeout_s: Annotated[kinds.Seconds, Note(needs=_OF_CALLS)] = _RETRIES.total_s

    @property
    def policy(self) -> RetrySettings:
        return RetrySettings(max_attempts=self.max_attempts, total_s=self.retry_timeout_s)


class CostSettings(Settings, frozen=True, kw_only=True):
    """What calls cost, and how much a run may spend.

    price_per_1k_chars: Price of 1,000 checked characters.
    max_calls: Stop after this many requests of the run, with failed ones, retries and earlier
      attempts. A higher limit resumes it. With --escalate the run goes on, and the verdict of the
      first checker stands. Default: no limit.
    max_cost: Stop before this cost, at --price_per_1k_chars, as with --max_calls. Default: no
      limit.
    """

    price_per_1k_chars: kinds.Positive | None = None
    max_calls: Annotated[kinds.Count | None, Note(is_local=True)] = None
    max_cost: Annotated[kinds.Positive | None, Note(is_local=True)] = None

    def problems(self) -> Iterator[str]:
        if self.max_cost and not self.price_per_1k_chars:
            yield "--max_cost: needs --price_per_1k_chars"

    @property
    def budget(self) -> Budget:
        """The budget of all calls of a run."""
        calls, cost, price = self.max_calls, self.max_cost, self.price_per_1k_chars
        return Budget(
            max_calls=min(calls, _MOST_COUNTED) if calls else None,
            max_characters=int(min(cost / price * 1000, _MOST_COUNTED)) if cost and price else None,
        )
