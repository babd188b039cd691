"""The options of the check: by whom, how often, how long."""

import re
from pathlib import Path
from urllib.parse import urlsplit

from pipeline.option import (
    Option,
    fraction_or_none,
    one_of,
    pair,
    positive,
    whole,
    whole_or_zero,
)
from schemas.quantities import MEGABYTE
from transforms.grounding.endpoints import LOCATIONS
from transforms.grounding.local.entailment import MODEL, TOKENIZER
from transforms.grounding.settings import (
    DISCOVERY_ENGINE,
    LOCAL,
    CheckSettings,
    RetrySettings,
)
from transforms.rules.limits import CheckLimits

_CHECK = CheckSettings()
_RETRIES = RetrySettings()
_LIMITS = CheckLimits()
_LABEL_KEY = re.compile(r"[a-z][a-z0-9_-]{0,62}")
_LABEL_VALUE = re.compile(r"[a-z0-9_-]{0,63}")
"""What `CheckGroundingRequest.userLabels` takes."""

_PART = r"[^/?#\s]+"
_CONFIG_NAME = re.compile(f"projects/{_PART}/locations/{_PART}/groundingConfigs/{_PART}")


def _checker(text: str) -> str:
    if text not in {LOCAL, DISCOVERY_ENGINE} and not _is_address(text):
        raise ValueError("must be local, discoveryengine, or an address: http://127.0.0.1:8080")
    return text.rstrip("/")


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:  # brackets that do not match, or a port that is none
        return False
    return port != 0 and bool(re.fullmatch(r"https?://[^/?#@\s]+/?", text)) and bool(parts.hostname)


def _proxy(text: str) -> str:
    if not _is_address(text):
        raise ValueError("must be an address such as http://proxy:3128")
    return text


def _config_name(text: str) -> str:
    if not _CONFIG_NAME.fullmatch(text):
        raise ValueError("must have the form projects/P/locations/L/groundingConfigs/C")
    return text


def _label(text: str) -> tuple[str, str]:
    key, value = pair(text)
    if not (_LABEL_KEY.fullmatch(key) and _LABEL_VALUE.fullmatch(value)):
        raise ValueError(
            "must be KEY=VALUE of lower-case letters, digits, - and _, at most 63 each,"
            " the key beginning with a letter"
        )
    return key, value


def scorer_folder(text: str) -> str:
    """Read the folder of a model, and see whether its files are there."""
    missing = [name for name in (MODEL, TOKENIZER) if not (Path(text) / name).is_file()]
    if missing:
        raise ValueError(f"must be a folder that holds {' and '.join(missing)}")
    return text


CHECK = (
    Option(
        name="checker",
        meaning="local, discoveryengine, or the address of a server that speaks the protocol",
        read=_checker,
        default=_CHECK.checker,
    ),
    Option(
        name="scorer",
        meaning="folder of an ONNX model of entailment (model.onnx, tokenizer.json, config.json)"
        " that scores claims in the embedded checker instead of words; needs groundwatch[scorer]",
        read=scorer_folder,
    ),
    Option(
        name="project",
        meaning="Google Cloud project of the check, for its default_grounding_config",
    ),
    Option(
        name="location",
        meaning="global, us or eu: which of the service's addresses is called",
        read=one_of(LOCATIONS),
    ),
    Option(
        name="api_version",
        meaning="v1 or v1beta",
        read=one_of(("v1", "v1beta")),
        default=_CHECK.api_version,
    ),
    Option(
        name="grounding_config",
        meaning="resource name of the grounding configuration; by default the project's own",
        read=_config_name,
    ),
    Option(
        name="citation_threshold",
        meaning="0..1, the score from which a fact is cited; none leaves it to the service",
        read=fraction_or_none,
        default=_CHECK.citation_threshold,
    ),
    Option(
        name="user_labels",
        meaning="KEY=VALUE labels sent with each call, for the bill",
        read=_label,
        takes_many=True,
        at_most=_LIMITS.max_user_labels,
    ),
    Option(
        name="max_in_flight",
        meaning="calls under way at once in a process",
        read=whole,
        default=_CHECK.max_in_flight,
    ),
    Option(
        name="requests_per_minute",
        meaning="quota of the whole job, divided by its workers; by default none",
        read=positive,
    ),
    Option(
        name="timeout_s",
        meaning="seconds from the start of one attempt to the last byte of its reply",
        read=positive,
        default=_RETRIES.timeout_s,
    ),
    Option(
        name="max_attempts",
        meaning="attempts a call",
        read=whole,
        default=_RETRIES.max_attempts,
    ),
    Option(
        name="retry_timeout_s",
        meaning="seconds after which a call is not tried again",
        read=positive,
        default=_RETRIES.total_s,
    ),
    Option(
        name="give_up_after_s",
        meaning="seconds without any success after which the run ends",
        read=positive,
        default=_RETRIES.give_up_after_s,
    ),
    Option(
        name="cache_mb",
        meaning="megabytes of replies kept in a process, so that an identical check is paid once",
        read=whole_or_zero,
        default=_CHECK.cache_bytes // MEGABYTE,
    ),
    Option(
        name="proxy",
        meaning="address of a proxy to call through; the environment's proxies are not used",
        read=_proxy,
    ),
    Option(
        name="credentials_file",
        meaning="key file of a service account; by default the application's default credentials",
    ),
    Option(
        name="impersonate_service_account",
        meaning="e-mail address of a service account to act as",
    ),
    Option(
        name="quota_project",
        meaning="project whose quota counts; by default what the credentials say",
    ),
    Option(
        name="max_calls_per_answer",
        meaning="an answer that needs more calls is UNSCORABLE, OVER_LIMIT",
        read=whole,
        default=_CHECK.max_calls_per_answer,
    ),
    Option(
        name="max_facts",
        meaning="facts the service takes in one call",
        read=whole,
        default=_LIMITS.max_facts,
    ),
    Option(
        name="max_fact_chars",
        meaning="characters the service takes in one fact",
        read=whole,
        default=_LIMITS.max_fact_chars,
    ),
    Option(
        name="max_answer_tokens",
        meaning="words and full stops the service takes in one answer",
        read=whole,
        default=_LIMITS.max_answer_tokens,
    ),
    Option(
        name="price_per_1k_chars",
        meaning="price of 1,000 checked characters, to put a cost into the summary",
        read=positive,
    ),
    Option(
        name="max_calls",
        meaning="calls after which the run stops: requests sent, failed and repeated ones included,"
        " in all its tries; a higher limit resumes it",
        read=whole,
    ),
    Option(
        name="max_cost",
        meaning="cost, at --price_per_1k_chars, before which the run stops, as with --max_calls",
        read=positive,
    ),
)
