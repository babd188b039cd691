"""Format numbers and untrusted text for people."""

from groundwatch.schemas.quantities import to_datetime
from groundwatch.schemas.summary import Summary
from groundwatch.transforms.grounding.settings import LOCAL, SMALL
from groundwatch.transforms.rules.spans import without_controls

NOTHING = "—"  # shown instead of a missing number
_ACCURACY = (
    "On 437 real answers (RAGTruth-QA), {} of what the embedded checker flags is unsupported, and"
    " it flags {} of what is unsupported."
)
# By `groundwatch evaluate` on RAGTruth's question answering set.
ACCURACY = {
    f"{LOCAL}+{SMALL}": _ACCURACY.format("46%", "63%"),
    LOCAL: _ACCURACY.format("48%", "64%"),
}
"""How far the embedded checker can be trusted, by its name in records."""
_SECOND_MS = 1_000
_MAX_CHARACTERS = 500
_SHORT_ID, _MAX_OWN_ID = 12, 40


def count(number: int | None) -> str:
    """Format a whole number: 12,345."""
    return NOTHING if number is None else f"{number:,}"


def counted(number: int, noun: str) -> str:
    """Format a number with its noun: 1 answer, 2 answers."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def percent(share: float | None) -> str:
    """Format a share, 0..1, in percent; only exact values are 0.0% and 100.0%."""
    if share is None:
        return NOTHING
    rounded = round(share * 100, 1)
    if share > 0 and not rounded:
        return "<0.1%"
    if share < 1 and rounded == 100.0:  # noqa: PLR2004 - all of a hundred
        return ">99.9%"
    return f"{rounded:.1f}%"


def score(number: float | None) -> str:
    """Format a score, 0..1, to two digits."""
    return NOTHING if number is None else f"{number:.2f}"


def drift(number: float | None) -> str:
    """Format a difference of scores with its sign: +0.12."""
    return NOTHING if number is None else f"{number:+.2f}"


def points(difference: float) -> str:
    """Format a difference of two shares in percentage points: +1.2."""
    return f"{100 * difference:+.1f}"


def duration(latency_ms: int | None) -> str:
    """Format milliseconds; from one second on, as seconds."""
    if latency_ms is None:
        return NOTHING
    if latency_ms < _SECOND_MS:
        return f"{latency_ms} ms"
    return f"{latency_ms / _SECOND_MS:,.1f} s"


def printable(text: str) -> str:
    """Remove from untrusted text what could control or flood a terminal."""
    return without_controls(f"{text[:_MAX_CHARACTERS]}…" if len(text) > _MAX_CHARACTERS else text)


def answer_ids(record_id: str | None, answer_name: str | None) -> str:
    """Name an answer by the start of its record id, and its own id: ``7fba21cb90d0 (a-1)``."""
    own = printable((answer_name or "").rpartition("/")[2][:_MAX_OWN_ID])
    return " ".join(filter(None, ((record_id or "")[:_SHORT_ID], own and f"({own})")))


def moment(time_us: int | None) -> str:
    """Format a time as ``3 Mar 2026, 14:05``, UTC."""
    if time_us is None:
        return NOTHING
    return format_time(time_us, "{0.day} {0:%b} {0.year}, {0:%H:%M}")


def format_time(time_us: int, template: str) -> str:
    """Fill the placeholders of a template with a time, UTC."""
    # A bucket of years may start before the calendar, or end after it.
    return template.format(to_datetime(time_us))


def accounts_line(summary: Summary) -> str:
    """Say where the messages of a run ended, and whether all are accounted for."""
    errors = ", ".join(f"{count:,} {name}" for name, count in summary.failures_by_error.items())
    failures = f"{counted(summary.failures, 'failure')}{f' ({errors})' if errors else ''}"
    sampled_out = f", {summary.sampled_out:,} sampled out" if summary.sampled_out else ""
    others = f"{failures}, {counted(summary.duplicates, 'duplicate')}{sampled_out}"
    if not summary.closes:
        closing = "THE COUNTS DO NOT ADD UP"
    elif waiting := summary.undelivered:
        messages = waiting.get("messages", 0)
        rows = sum(waiting.values()) - messages
        left = [f"{counted(rows, 'row')} not delivered"] if rows else []
        left += [f"{counted(messages, 'message')} not processed"] if messages else []
        closing = ", ".join(left)
    else:
        closing = "every message is accounted for"
    cost = "" if summary.cost is None else f"; cost {summary.cost:,.2f}"
    return f"{summary.enriched:,} enriched, {others}: {closing}{cost}"
