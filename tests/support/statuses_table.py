"""Write what becomes of a request, by the status of its reply, into docs/results.md.

python -m tests.support.statuses_table
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from enum import StrEnum

import grpc
from google.api_core import exceptions

from groundwatch.launch.engine.pubsub.pubsub_errors import is_transient
from groundwatch.launch.targets.http_sender import reply_error
from groundwatch.launch.targets.target import RowsRefused, TargetMisconfigured
from groundwatch.pipeline.storage.buckets import RETRY
from groundwatch.transforms.grounding.errors import CheckFailed, Misconfigured, Rejected
from groundwatch.transforms.grounding.protocol import HttpReply, interpret_reply
from tests.support.checks import check_request
from tests.support.repository import ROOT

PAGE = ROOT / "docs" / "results.md"
_STATUSES = range(300, 600)


class Outcome(StrEnum):
    """What becomes of a request that is answered with a status."""

    REFUSED = "refused, not sent again"
    CORRECTED = "kept until a person corrects something"
    LATER = "sent again"


def of_tool(status: int) -> Outcome:
    """Return what becomes of a request to a tool or a channel."""
    return _outcome(reply_error("tool", status, None, ""), RowsRefused, TargetMisconfigured)


def of_check(status: int) -> Outcome:
    """Return what becomes of a call to a checker; a judge's status is passed on to its caller."""
    try:
        interpret_reply(HttpReply(status, b""), check_request("A.", "A."), datetime.now(UTC))
    except CheckFailed as error:
        return _outcome(error, Rejected, Misconfigured)
    raise AssertionError(f"{status} is taken for a success")


def of_bucket(status: int) -> Outcome:
    """Return what becomes of a request to Cloud Storage; nothing of it is ever dropped."""
    is_retried = RETRY._predicate(exceptions.from_http_status(status, ""))
    return Outcome.LATER if is_retried else Outcome.CORRECTED


def of_topic(code: grpc.StatusCode) -> Outcome:
    """Return what becomes of messages for a topic; none is ever dropped."""
    is_retried = is_transient(exceptions.from_grpc_status(code, ""))
    return Outcome.LATER if is_retried else Outcome.CORRECTED


def _outcome(error: Exception, refused: type[Exception], corrected: type[Exception]) -> Outcome:
    if isinstance(error, refused):
        return Outcome.REFUSED
    return Outcome.CORRECTED if isinstance(error, corrected) else Outcome.LATER


def statuses_table() -> str:
    """Return the table: what becomes of a request by its status."""
    codes = [code for code in grpc.StatusCode if code is not grpc.StatusCode.OK]
    return "".join(
        [
            _row("answered by", *Outcome),
            _row(*["---"] * 4),
            _row("tools, channels", *_by_status(of_tool)),
            _row("checkers, judges", *_by_status(of_check)),
            _row("Cloud Storage", *_by_status(of_bucket)),
            _row("Pub/Sub topics", *(_names(codes, outcome) for outcome in Outcome)),
        ]
    )


def page_with_table(page: str) -> str:
    """Replace the table of the page by the current one."""
    before, _, rest = page.partition("| answered by")
    _, _, after = rest.partition("\n\n")
    return f"{before}{statuses_table()}\n{after}"


def _by_status(outcome_of: Callable[[int], Outcome]) -> Iterator[str]:
    """Yield the statuses of each outcome; those of most are the others."""
    outcomes = {status: outcome_of(status) for status in _STATUSES}
    others = Counter(outcomes.values()).most_common(1)[0][0]
    for outcome in Outcome:
        found = [status for status in _STATUSES if outcomes[status] is outcome]
        yield "all others" if outcome is others else _ranges(found)


def _ranges(statuses: Sequence[int]) -> str:
    """Write numbers in order, hundreds as one: 3xx."""
    hundreds = {each // 100 for each in statuses if {*range(each, each + 100)} <= {*statuses}}
    single = [str(each) for each in statuses if each // 100 not in hundreds]
    return ", ".join([*single, *(f"{each}xx" for each in sorted(hundreds))])


def _names(codes: Iterable[grpc.StatusCode], outcome: Outcome) -> str:
    return ", ".join(f"`{code.name}`" for code in codes if of_topic(code) is outcome)


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |\n"


if __name__ == "__main__":
    PAGE.write_text(page_with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
