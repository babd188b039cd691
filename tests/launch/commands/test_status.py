"""`groundwatch status`: the ledger as a person reads it."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from launch.__main__ import main
from launch.engine.database import EngineDatabase
from launch.engine.journal import Journal
from launch.engine.ledger import LedgerHour
from launch.export.target import Delivered
from pipeline.settings.checker import DATABASE
from pipeline.settings.config import Config
from pipeline.sinks.row_formats import row_formats
from schemas.grounding_result import GroundingResult
from schemas.quantities import HOUR_US
from schemas.summary import RunCounts
from tests.support.builders import NOON_US
from tests.support.results import a_result

HOUR_OF_NOON_US = NOON_US // HOUR_US * HOUR_US


def an_account(**fields: Any) -> LedgerHour:
    """An hour that closes: two messages, two records."""
    given = {"hour_us": HOUR_OF_NOON_US, "first_batch": 1, "read": 2, "enriched": 2}
    return LedgerHour(**given | fields)


@contextmanager
def opened(folder: Path) -> Iterator[Journal]:
    """Open the journal of a work folder."""
    with closing(EngineDatabase.owned(str(folder))) as database:
        yield Journal(database, row_formats(Config(output="", run="r1")))


def keep(folder: Path, *accounts: LedgerHour) -> None:
    """Keep a ledger of these hours, one of which a commit would refuse."""
    with opened(folder) as journal:
        for account in accounts:
            journal._count(account, RunCounts())


def told(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, list[list[str]]]:
    """Run the command; returns its exit status and the words of each line."""
    exit_status = main(["status", *arguments])
    return exit_status, [line.split() for line in capsys.readouterr().out.splitlines()]


HEAD = ["hour", "(UTC)", "read", "enriched", "failures", "duplicates", "sampled_out", "gap"]


def test_every_hour_and_the_sums_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep(
        tmp_path / ".groundwatch-r1",
        an_account(read=1_300, enriched=1_200, failures=50, duplicates=30, sampled_out=20),
        an_account(hour_us=HOUR_OF_NOON_US + HOUR_US, read=1, enriched=1),
    )
    assert told([str(tmp_path)], capsys) == (
        0,
        [
            HEAD,
            ["2026-03-03", "12", "h", "1,300", "1,200", "50", "30", "20", "0"],
            ["2026-03-03", "13", "h", "1", "1", "0", "0", "0", "0"],
            ["all", "1,301", "1,201", "50", "30", "20", "0"],
        ],
    )


def test_what_became_of_the_results_for_each_tool(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with opened(tmp_path) as journal:
        journal.outbox.add_destination("phoenix", GroundingResult)
        journal.outbox.add([a_result()])
        journal.outbox.record_delivered("langfuse", [], Delivered(sent=1_200, refused=2, skipped=3))
    _, lines = told([str(tmp_path)], capsys)
    assert lines[-3:] == [
        ["sent", "to", "waiting", "sent", "refused", "skipped", "dropped"],
        ["langfuse", "0", "1,200", "2", "3", "0"],
        ["phoenix", "1", "0", "0", "0", "0"],
    ]


@pytest.mark.parametrize("gap", [1, -1], ids=["ended nowhere", "ended twice"])
def test_a_gap_is_a_fault(gap: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    later = an_account(hour_us=HOUR_OF_NOON_US + HOUR_US, read=2 - gap)
    keep(tmp_path, an_account(read=2 + gap), later)
    exit_status, lines = told([str(tmp_path)], capsys)
    # Two hours that do not close are no pair that does.
    assert exit_status == 1
    assert [line[-1] for line in lines[1:]] == [str(gap), str(-gap), "0"]


def test_the_work_folder_itself_may_be_named_and_stays_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep(tmp_path, an_account())
    with opened(tmp_path) as at_work:
        with at_work.database.transaction():
            assert told([str(tmp_path)], capsys)[0] == 0
        assert at_work.ledger() == [an_account()]


def test_a_ledger_without_hours_is_an_empty_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep(tmp_path)
    assert told([str(tmp_path)], capsys) == (0, [HEAD, ["all", *"000000"]])


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "DIR is missing"),
        (["a", "b"], "unexpected argument 'b'"),
        (["nowhere"], "nowhere: has no ledger of a worker"),
    ],
    ids=["none", "two", "no ledger"],
)
def test_what_names_no_ledger_is_refused(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["status", *arguments]) == 2
    assert complaint in capsys.readouterr().err


def test_a_file_that_is_no_ledger_is_told_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = b"lamps " * 1_000
    (tmp_path / DATABASE).write_bytes(content)
    assert main(["status", str(tmp_path)]) == 1
    told = capsys.readouterr().err
    assert told.startswith(
        f"groundwatch: {tmp_path}/{DATABASE} is damaged (file is not a database), and was left"
    )
    assert told.count("\n") == 1
    assert (tmp_path / DATABASE).read_bytes() == content


def test_help_says_what_it_does(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", "--help"]) == 0
    assert "usage: groundwatch status DIR" in capsys.readouterr().out
