"""The table of statuses in docs/results.md says what every tool and channel does."""

import pytest

from groundwatch.launch.targets.target import RowsRefused, TargetMisconfigured, TargetUnavailable
from tests.support.http_messages import Reply
from tests.support.result_targets import CHANNELS, TOOLS, OpenNamed, send_to
from tests.support.results_server import ResultsServer
from tests.support.statuses_table import PAGE, Outcome, of_tool, page_with_table

RAISED = {
    Outcome.REFUSED: RowsRefused,
    Outcome.CORRECTED: TargetMisconfigured,
    Outcome.LATER: TargetUnavailable,
}
STATUSES = (302, 308, 400, 401, 403, 404, 405, 407, 408, 409, 410, 413, 422, 429, 500, 503, 504)


def test_the_page_has_the_statuses_of_the_code() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == page_with_table(page), (
        "after a change of statuses: python -m tests.support.statuses_table"
    )


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("name", [*TOOLS, *CHANNELS])
def test_every_target_treats_a_status_as_the_table_says(
    name: str, status: int, server: ResultsServer, open_named: OpenNamed
) -> None:
    server.answer = lambda _: Reply(status, b"{}", {"Location": "http://elsewhere.example/"})
    with pytest.raises(RAISED[of_tool(status)]):
        send_to(open_named(name), name)
