"""From the options of the check to its settings, and what contradicts itself among them."""

from collections.abc import Iterator, Mapping
from typing import Any

from schemas.quantities import MEGABYTE
from transforms.grounding import endpoints
from transforms.grounding.settings import (
    DISCOVERY_ENGINE,
    LOCAL,
    Budget,
    CheckSettings,
    GoogleAccount,
    RetrySettings,
)
from transforms.rules.limits import CheckLimits

REPLY_STORE = "paid.sqlite"
"""The file of replies in a run's work folder."""

_MOST_COUNTED = 2**62
"""Calls or characters: as good as no limit, and no more than the file of replies can count."""


def check_problems(values: Mapping[str, Any]) -> Iterator[str]:
    """Say what is wrong with the options of the check, taken together.

    Args:
      values: by option name, each valid by itself.
    """
    config, location = values["grounding_config"], values["location"]
    if values["checker"] == DISCOVERY_ENGINE and not (config or values["project"]):
        yield "--checker discoveryengine: needs --project, or a --grounding_config"
    if values["scorer"] and values["checker"] != LOCAL:
        yield "--scorer: is for --checker local"
    if config and location and endpoints.location_of(config) != location:
        yield f"--location {location}: is not the location in --grounding_config"
    if values["max_cost"] and not values["price_per_1k_chars"]:
        yield "--max_cost: needs --price_per_1k_chars"
    if config and endpoints.location_of(config) not in endpoints.LOCATIONS:
        yield f"--grounding_config {config}: its location must be global, us or eu"


def check_settings_from(
    values: Mapping[str, Any], workers: int, work_folder: str | None
) -> CheckSettings:
    """Sort the options of the check into its settings.

    Args:
      values: by option name, without problems.
      workers: processes that share the quota, at least 1.
      work_folder: a local folder for the replies of this run, None to keep them in memory only.
    """
    is_google = values["checker"] == DISCOVERY_ENGINE
    config, location = _place(values)
    quota = values["requests_per_minute"]
    return CheckSettings(
        checker=values["checker"],
        endpoint=endpoints.endpoint(location) if is_google else values["checker"],
        scorer=values["scorer"],
        account=google_account(values) if is_google else None,
        api_version=values["api_version"],
        grounding_config=config,
        citation_threshold=values["citation_threshold"],
        user_labels=dict(values["user_labels"]),
        limits=_limits(values),
        max_calls_per_answer=values["max_calls_per_answer"],
        max_in_flight=values["max_in_flight"],
        requests_per_minute=None if quota is None else quota / workers,
        retries=_retries(values),
        cache_bytes=values["cache_mb"] * MEGABYTE,
        reply_store=_reply_store(values, work_folder),
        budget=_budget(values),
        proxy=values["proxy"],
    )


def google_account(values: Mapping[str, Any]) -> GoogleAccount:
    """Say who asks Google's services.

    Args:
      values: by option name, read and valid.
    """
    return GoogleAccount(
        credentials_file=values["credentials_file"],
        impersonate=values["impersonate_service_account"],
        quota_project=values["quota_project"],
    )


def _place(values: Mapping[str, Any]) -> tuple[str, str]:
    """The grounding configuration and its location, each following from the other."""
    config = values["grounding_config"]
    if config:
        return config, endpoints.location_of(config)
    location = values["location"] or endpoints.GLOBAL
    return endpoints.grounding_config(values["project"] or "-", location), location


def _limits(values: Mapping[str, Any]) -> CheckLimits:
    return CheckLimits(
        max_facts=values["max_facts"],
        max_fact_chars=values["max_fact_chars"],
        max_answer_tokens=values["max_answer_tokens"],
    )


def _retries(values: Mapping[str, Any]) -> RetrySettings:
    return RetrySettings(
        timeout_s=values["timeout_s"],
        max_attempts=values["max_attempts"],
        total_s=values["retry_timeout_s"],
        give_up_after_s=values["give_up_after_s"],
    )


def _reply_store(values: Mapping[str, Any], work_folder: str | None) -> str | None:
    """The file of replies; the embedded checker is not paid, and answers sooner than a disk."""
    is_wanted = values["checker"] != LOCAL or _budget(values) != Budget()
    return f"{work_folder}/{REPLY_STORE}" if work_folder and is_wanted else None


def _budget(values: Mapping[str, Any]) -> Budget:
    calls, cost, price = values["max_calls"], values["max_cost"], values["price_per_1k_chars"]
    return Budget(
        max_calls=min(calls, _MOST_COUNTED) if calls else None,
        max_characters=int(min(cost / price * 1000, _MOST_COUNTED)) if cost and price else None,
    )
