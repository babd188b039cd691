"""Name what replaces the settings of 1.0.0, so that their refusal helps."""

from collections.abc import Mapping

_AT_MOST_OUTSTANDING = "a worker keeps at most 4,000 messages and 64 MB outstanding"
_LIMITS_OF_SERVICE = "the limits are those of Google's service"
_RATES = "choose --rate_budget and --rate_burn"
_STEPS = "$.answer.steps[*].actions[*].observation.searchResults[*].chunkInfo[*].content"

GONE: Mapping[str, str] = {
    "batch_messages": "a batch has at most 1,000 messages, and fewer where checks are slow",
    "cache_mb": "a process caches 64 MB of replies",
    "canary": "run `groundwatch evaluate` on labelled answers on a schedule",
    "canary_every_s": "run `groundwatch evaluate` on labelled answers on a schedule",
    "citation_threshold": "a fact is cited from a score of 0.6, as the service does it",
    "drift_threshold": "SCORE_DRIFT is tagged from a difference of 0.3",
    "facts_from_steps": f"name the search results as facts, such as --map 'facts={_STEPS}'",
    "failure_subscription": "pass the subscription to --failures",
    "give_up_after_s": "a run stops after 600 s without a successful call; a call is retried for"
    " --retry_timeout_s",
    "held_mb": _AT_MOST_OUTSTANDING,
    "held_messages": _AT_MOST_OUTSTANDING,
    "idle_s": "a subscription counts as empty after 5 s without a message",
    "max_answer_tokens": _LIMITS_OF_SERVICE,
    "max_calls_per_answer": "an answer that needs more than 20 calls is UNSCORABLE",
    "max_fact_chars": _LIMITS_OF_SERVICE,
    "max_facts": _LIMITS_OF_SERVICE,
    "no_data_min_answers": "traffic is steady from 30 answers an hour; choose --no_data_after_s",
    "rate_min_answers": _RATES,
    "reason_min_answers": _RATES,
    "reason_rise": _RATES,
    "resume": "leave it out: the same command resumes an interrupted run",
    "segment_messages": "progress is committed every 10,000 messages",
    "shards": "a stream writes a file for each process of --max_num_workers, and at least 4",
    "user_labels": "bill the calls to a project of their own with --quota_project",
    "what_if": "the report's section on other thresholds shows them",
}
"""What to use instead of a setting that 1.0.0 had, by its name."""


def advice(name: str) -> str | None:
    """Return what to use instead of a setting that is gone; None for any other name."""
    instead = GONE.get(name.lower().replace("-", "_"))
    return f"is no longer a setting: {instead}" if instead else None
