"""The settings of the grounding check: which checker, how it is called, and at which cost."""

from collections.abc import Iterator
from typing import Annotated, Literal

import msgspec

from pipeline.settings.definition import Note, Settings
from pipeline.settings.kinds import (
    Checker,
    Count,
    FractionOrNone,
    GroundingConfigName,
    Label,
    MegabytesOrNone,
    ModelFolder,
    Positive,
    Proxy,
    Seconds,
    ServiceAccount,
    Text,
)
from schemas.quantities import MEGABYTE
from transforms.grounding.settings import (
    DISCOVERY_ENGINE,
    GLOBAL,
    LOCAL,
    LOCATIONS,
    Budget,
    CheckSettings,
    GoogleAccount,
    OutagePolicy,
    RetrySettings,
    endpoint,
    grounding_config,
    location_of,
)
from transforms.rules.limits import CheckLimits

_CHECK = CheckSettings()
_RETRIES = RetrySettings()
_LIMITS = CheckLimits()
REPLY_STORE = "paid.sqlite"
"""The file of cached replies in a run's work folder."""

_MOST_COUNTED = 2**62
"""Calls or characters: more than any run sends, and still an integer of SQLite."""


class CheckerSettings(Settings, frozen=True, kw_only=True):
    """Which checker is called, and how."""

    checker: Annotated[
        Checker | None,
        "The embedded checker (local), Google's check grounding API (discoveryengine), or the URL"
        " of a server with the same protocol.",
        Note(default="local; evaluate: the scores that enriched records have, else local"),
    ] = None
    scorer: Annotated[
        ModelFolder | None,
        "Folder of an ONNX entailment model (model.onnx, tokenizer.json, config.json) that scores"
        " claims in the embedded checker. Needs groundwatch[scorer].",
    ] = None
    project: Annotated[
        Text | None,
        "Google Cloud project of the check, for its default_grounding_config; and of the job on"
        " Dataflow.",
    ] = None
    location: Annotated[
        Literal["global", "us", "eu"] | None,
        "Location of Google's service.",
        Note(default="that of --grounding_config, else global"),
    ] = None
    api_version: Annotated[Literal["v1", "v1beta"], "Version of the API."] = "v1beta"
    grounding_config: Annotated[
        GroundingConfigName | None,
        "Resource name of the grounding configuration.",
        Note(default="the project's default_grounding_config"),
    ] = None
    citation_threshold: Annotated[
        FractionOrNone,
        "Score from which a fact is cited; none leaves it to the service.",
    ] = _CHECK.citation_threshold
    user_labels: Annotated[
        tuple[Label, ...],
        "Labels sent with each call, for Google Cloud billing.",
        Note(at_most=_LIMITS.max_user_labels),
    ] = ()
    max_in_flight: Annotated[Count, "Concurrent calls of one process."] = _CHECK.max_in_flight
    requests_per_minute: Annotated[
        Positive | None,
        "Quota of the whole job, divided among its workers.",
        Note(default="no limit"),
    ] = None
    timeout_s: Annotated[
        Seconds, "Deadline of one attempt, from its start to the last byte of the reply."
    ] = _RETRIES.timeout_s
    cache_mb: Annotated[
        MegabytesOrNone,
        "Memory of a process for cached replies, so that an identical check is paid once.",
    ] = _CHECK.cache_bytes // MEGABYTE
    proxy: Annotated[
        Proxy | None,
        "Proxy for the calls; without it, that of HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY.",
    ] = None
    credentials_file: Annotated[
        Text | None,
        "Key file of a service account.",
        Note(default="application default credentials", is_local=True),
    ] = None
    impersonate_service_account: Annotated[
        ServiceAccount | None, "Email address of a service account to impersonate."
    ] = None
    quota_project: Annotated[
        Text | None,
        "Project whose quota is used.",
        Note(default="that of the credentials"),
    ] = None
    max_calls_per_answer: Annotated[
        Count, "An answer that needs more calls is UNSCORABLE with the reason OVER_LIMIT."
    ] = _CHECK.max_calls_per_answer
    max_facts: Annotated[Count, "Facts that the service accepts in one call."] = _LIMITS.max_facts
    max_fact_chars: Annotated[Count, "Characters that the service accepts in one fact."] = (
        _LIMITS.max_fact_chars
    )
    max_answer_tokens: Annotated[
        Count, "Tokens (words and full stops) that the service accepts in one answer."
    ] = _LIMITS.max_answer_tokens

    def problems(self) -> Iterator[str]:
        """Name the settings that contradict each other."""
        config, location = self.grounding_config, self.location
        if self.checker == DISCOVERY_ENGINE and not (config or self.project):
            yield "--checker discoveryengine: needs --project, or a --grounding_config"
        if self.scorer and self.name != LOCAL:
            yield "--scorer: needs --checker local"
        if config and location and location_of(config) != location:
            yield f"--location {location}: is not the location in --grounding_config"
        if config and location_of(config) not in LOCATIONS:
            yield f"--grounding_config {config}: its location must be global, us or eu"

    @property
    def name(self) -> str:
        """The checker; the embedded one by default."""
        return self.checker or LOCAL

    @property
    def account(self) -> GoogleAccount:
        """The credentials for Google's services."""
        return GoogleAccount(
            credentials_file=self.credentials_file,
            impersonate=self.impersonate_service_account,
            quota_project=self.quota_project,
        )

    def check(
        self,
        *,
        workers: int = 1,
        retries: RetrySettings = _RETRIES,
        budget: Budget = _CHECK.budget,
        reply_folder: str | None = None,
        outage: OutagePolicy = OutagePolicy.FAIL,
    ) -> CheckSettings:
        """Derive the settings of the client.

        Args:
          workers: processes that share the quota.
          retries: how long calls may fail.
          budget: how much the run may send.
          reply_folder: local folder for the replies of this run; None caches them in memory only.
          outage: what happens to an answer while the checker is unavailable.
        """
        is_google = self.name == DISCOVERY_ENGINE
        config, location = self._place()
        quota = self.requests_per_minute
        # The embedded checker is free and faster than a disk.
        has_store = reply_folder and (self.name != LOCAL or budget != Budget())
        return CheckSettings(
            checker=self.name,
            endpoint=self._endpoint(location),
            scorer=self.scorer,
            account=self.account if is_google else None,
            api_version=self.api_version,
            grounding_config=config,
            citation_threshold=self.citation_threshold,
            user_labels=dict(self.user_labels),
            limits=CheckLimits(
                max_facts=self.max_facts,
                max_fact_chars=self.max_fact_chars,
                max_answer_tokens=self.max_answer_tokens,
            ),
            max_calls_per_answer=self.max_calls_per_answer,
            max_in_flight=self.max_in_flight,
            requests_per_minute=None if quota is None else quota / workers,
            retries=msgspec.structs.replace(retries, timeout_s=self.timeout_s),
            cache_bytes=self.cache_mb * MEGABYTE,
            reply_store=f"{reply_folder}/{REPLY_STORE}" if has_store else None,
            budget=budget,
            proxy=self.proxy,
            outage=outage,
        )

    def _endpoint(self, location: str) -> str:
        if self.name == LOCAL:
            return ""
        return endpoint(location) if self.name == DISCOVERY_ENGINE else self.name

    def _place(self) -> tuple[str, str]:
        """The grounding configuration and its location, each derived from the other."""
        if self.grounding_config:
            return self.grounding_config, location_of(self.grounding_config)
        location = self.location or GLOBAL
        return grounding_config(self.project or "-", location), location


class RetryPolicySettings(Settings, frozen=True, kw_only=True):
    """How failed calls are retried."""

    max_attempts: Annotated[Count, "Attempts of one call."] = _RETRIES.max_attempts
    retry_timeout_s: Annotated[Seconds, "Stop retrying a call after this time."] = _RETRIES.total_s
    give_up_after_s: Annotated[
        Seconds, "Stop the run after this time without a successful call."
    ] = _RETRIES.give_up_after_s

    @property
    def policy(self) -> RetrySettings:
        """The retry policy of the client."""
        return RetrySettings(
            max_attempts=self.max_attempts,
            total_s=self.retry_timeout_s,
            give_up_after_s=self.give_up_after_s,
        )


class CostSettings(Settings, frozen=True, kw_only=True):
    """What calls cost, and how much a run may spend."""

    price_per_1k_chars: Annotated[
        Positive | None, "Price of 1,000 checked characters, to report the cost."
    ] = None
    max_calls: Annotated[
        Count | None,
        "Stop after this many requests of the run, including failed ones, retries and earlier"
        " attempts at the run. A higher limit resumes it.",
        Note(default="no limit", is_local=True),
    ] = None
    max_cost: Annotated[
        Positive | None,
        "Stop before this cost, at --price_per_1k_chars, as with --max_calls.",
        Note(default="no limit", is_local=True),
    ] = None

    def problems(self) -> Iterator[str]:
        """Name the settings that contradict each other."""
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
