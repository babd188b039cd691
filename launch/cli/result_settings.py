"""The settings of results and alerts that other tools and channels receive."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Annotated

from groundwatch.pipeline.settings import kinds
from groundwatch.pipeline.settings.definition import Note, Settings

_VARIABLE = r"[A-Za-z_][A-Za-z0-9_]{0,99}"
RESULT_TARGETS = ("langfuse", "mlflow", "opentelemetry", "phoenix")
"""The tools that results are sent to."""

WEBHOOKS = ("google_chat", "json", "pagerduty", "slack")
"""The channels that alerts are sent to."""


def _parse_webhook(text: str) -> tuple[str, str]:
    kind, _, variable = text.partition(":")
    if kind not in WEBHOOKS or not re.fullmatch(_VARIABLE, variable):
        raise ValueError(
            "must be KIND:VARIABLE, such as slack:SLACK_WEBHOOK: the kind is one of"
            f" {', '.join(WEBHOOKS)}, and the secret is in that environment variable, or in the"
            " file that VARIABLE_FILE names"
        )
    return kind, variable


def _parse_target(text: str) -> tuple[str, str | None]:
    name, _, url = text.partition("=")
    if name not in RESULT_TARGETS:
        raise ValueError(f"must be one of {', '.join(RESULT_TARGETS)}, or TOOL=URL")
    if url:
        kinds.URL.parse(url)
    return name, url or None


ResultTarget = Annotated[
    tuple[str, str | None],
    kinds.ValueKind(_parse_target, "TOOL[=URL]", range=f"one of {', '.join(RESULT_TARGETS)}"),
]


Webhook = Annotated[
    tuple[str, str], kinds.ValueKind(_parse_webhook, "KIND:VARIABLE", is_secret=True)
]


def _repeated(flag: str, names: Iterable[str]) -> Iterator[str]:
    for name, number in Counter(names).items():
        if number > 1:
            yield f"--{flag} names {name} twice: pass it once"


class ResultSettings(Settings, frozen=True, kw_only=True):
    """Which other tools receive the result of each answer; docs/results.md describes them.

    results_to: Tool that receives the verdict and the scores of each answer, and its address.
      Repeat the flag for several. Default address: of the tool's own environment variables, which
      also have the keys.
    """

    results_to: tuple[ResultTarget, ...] = ()

    def problems(self) -> Iterator[str]:
        """Name the tools that are named twice."""
        return _repeated("results_to", (name for name, _ in self.results_to))


class WebhookSettings(Settings, frozen=True, kw_only=True):
    """Which people's channels receive alerts; docs/monitoring.md describes them.

    alert_webhook: Channel that also receives the alerts: slack, google_chat, pagerduty or json, and
      the environment variable with its secret, such as slack:SLACK_WEBHOOK. Instead, VARIABLE_FILE
      may name a file with the secret. Repeat the flag for several.
    test_alert: Open and close a test incident in each channel, then end.
    """

    alert_webhook: tuple[Webhook, ...] = ()
    test_alert: Annotated[kinds.Switch, Note(is_argument=True)] = False

    def problems(self) -> Iterator[str]:
        """Name the channels that are named twice, and a test without a channel."""
        yield from _repeated("alert_webhook", map(":".join, self.alert_webhook))
        if self.test_alert and not self.alert_webhook:
            yield "--test_alert: no channel to test: name it by --alert_webhook"
