"""State what each tool and channel confirms, refuses and limits, as its vendor documents.

The code takes statuses and limits from here, and the tables of docs/results.md are made from it.
"""

from collections.abc import Mapping

from groundwatch.schemas import Record

REFUSED = frozenset({400, 409, 413, 422})
"""Statuses of a request with a row that is refused, and would be again."""

MISCONFIGURED: Mapping[int, str] = {
    401: "the key is not accepted",
    403: "the key has no permission",
    404: "there is no such address",
    405: "there is no such address",
    407: "the proxy does not accept its user name and password",
    410: "the address is gone",
}
"""Statuses after which a person has to correct something; redirects are such, too."""


class Limit(Record, frozen=True):
    """The most of something that is sent; `of` says of what."""

    most: int
    of: str


class Contract(Record, frozen=True, kw_only=True):
    """What a target answers, and how much it takes.

    Attributes:
      name: of the target, as its vendor writes it.
      confirmed: what the reply to a delivered request holds; its status is 200..299.
      rows: the most rows of one request, or of one call of `Target.send`.
      also_refused: how it refuses a single row, beside the statuses `REFUSED`.
      limits: what groundwatch keeps to, further ones.
      pause_s: between two requests about answers.
      part_pause_s: between the parts of a request that was refused.
      pages: where the vendor says so.
    """

    name: str
    confirmed: str
    rows: Limit
    also_refused: str = ""
    limits: tuple[Limit, ...] = ()
    pause_s: float = 0.0
    part_pause_s: float = 0.0
    pages: tuple[str, ...]


LANGFUSE = Contract(
    name="Langfuse",
    confirmed="JSON with the score's `id`",
    rows=Limit(50, "answers, two requests each, eight at a time"),
    pages=(
        "https://api.reference.langfuse.com/#tag/scores",
        "https://langfuse.com/faq/all/api-limits",
    ),
)
MLFLOW = Contract(
    name="MLflow",
    confirmed="JSON with `assessment`, and before it with the `trace`",
    rows=Limit(20, "answers, two requests each"),
    also_refused="404 with `RESOURCE_DOES_NOT_EXIST`: the trace is not known",
    pages=("https://mlflow.org/docs/latest/api_reference/rest-api.html",),
)
PHOENIX = Contract(
    name="Phoenix",
    confirmed="JSON with `data`, a list of ids",
    rows=Limit(100, "answers"),
    also_refused="404 with `do not exist`: span or trace are not known",
    pages=("https://arize.com/docs/phoenix/sdk-api-reference/rest-api",),
)
OPENTELEMETRY = Contract(
    name="OpenTelemetry",
    confirmed="nothing, or `ExportLogsServiceResponse` as protobuf or JSON",
    rows=Limit(500, "events"),
    also_refused="`rejected_log_records` in `partial_success`: so many events",
    pages=("https://opentelemetry.io/docs/specs/otlp/#otlphttp-response",),
)

SECTION = Limit(3_000, "UTF-16 units a section, after escaping")
TITLE = Limit(150, "characters of the title")
SLACK = Contract(
    name="Slack",
    confirmed="the text `ok`",
    rows=Limit(5_000, "alerts about answers, of which five are shown"),
    limits=(SECTION, TITLE),
    pause_s=60.0,
    part_pause_s=1.0,
    pages=(
        "https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks",
        "https://docs.slack.dev/reference/block-kit/blocks",
        "https://docs.slack.dev/apis/web-api/rate-limits",
    ),
)

PARAGRAPH = Limit(5_000, "bytes a paragraph, after escaping, of 32,000 for a message")
GOOGLE_CHAT = Contract(
    name="Google Chat",
    confirmed="JSON with the message's `name`",
    rows=Limit(5_000, "alerts about answers, of which five are shown"),
    limits=(PARAGRAPH, TITLE),
    pause_s=60.0,
    part_pause_s=1.0,
    pages=(
        "https://developers.google.com/workspace/chat/api/reference/rest/v1/spaces.messages/create",
        "https://developers.google.com/workspace/chat/limits",
    ),
)

SUMMARY = Limit(1_024, "characters of the summary")
SOURCE = Limit(255, "characters of the source")
PAGERDUTY = Contract(
    name="PagerDuty",
    confirmed='JSON with `"status": "success"`',
    rows=Limit(1, "incident"),
    limits=(SUMMARY, SOURCE),
    pages=(
        "https://developer.pagerduty.com/docs/events-api-v2/overview",
        "https://developer.pagerduty.com/docs/events-api-v2/trigger-events",
    ),
)
STANDARD_WEBHOOK = Contract(
    name="`json`",
    confirmed="anything but a page of HTML",
    rows=Limit(100, "alerts about answers"),
    pause_s=60.0,
    part_pause_s=1.0,
    pages=("https://github.com/standard-webhooks/standard-webhooks/blob/main/spec",),
)

CONTRACTS = (
    LANGFUSE,
    MLFLOW,
    OPENTELEMETRY,
    PHOENIX,
    SLACK,
    GOOGLE_CHAT,
    PAGERDUTY,
    STANDARD_WEBHOOK,
)
