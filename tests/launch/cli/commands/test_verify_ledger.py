"""`groundwatch verify`: the ledger as a person reads it."""

from contextlib import closing
from pathlib import Path

import pytest

from groundwatch.launch.cli.main import main
from groundwatch.launch.engine.journal import LedgerHour
from groundwatch.launch.engine.outbox_rows import Delivered
from groundwatch.schemas.grounding_result import GroundingResult
from groundwatch.schemas.quantities import HOUR_US
from groundwatch.schemas.summary import RunCounts
from tests.support.journals import HOUR_OF_NOON_US, an_account, open_journal
from tests.support.results import a_result


def keep(folder: Path, *accounts: LedgerHour) -> None:
    """Keep a ledger of these hours."""
    with closing(open_journal(folder)) as journal:
        for account in accounts:
            journal._count(account, RunCounts())


def told(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, list[list[str]]]:
    """Run the command; returns its exit status and the words of each line."""
    exit_status = main(["verify", *arguments])
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
    _, lines = told([str(tmp_path)], capsys)
    assert lines[:4] == [
        HEAD,
        ["2026-03-03", "12", "h", "1,300", "1,200", "50", "30", "20", "0"],
        ["2026-03-03", "13", "h", "1", "1", "0", "0", "0", "0"],
        ["all", "1,301", "1,201", "50", "30", "20", "0"],
    ]


def test_what_became_of_the_results_for_each_tool(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(open_journal(tmp_path)) as journal:
        journal.outbox.add_destination("phoenix", GroundingResult)
        journal.outbox.add([a_result()])
        journal.outbox.record_delivered("langfuse", [], Delivered(sent=1_200, refused=2, skipped=3))
    _, lines = told([str(tmp_path)], capsys)
    start = lines.index(["all", *"000000"]) + 1
    assert lines[start : start + 3] == [
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
    assert [line[-1] for line in lines[1:4]] == [str(gap), str(-gap), "0"]
    path = f"{tmp_path}/run.sqlite:"
    for hour, missing in (("12", gap), ("13", -gap)):
        words = f"{missing} messages of 2026-03-03 {hour} h ended nowhere".split()
        assert [path, *words] in lines


def test_the_work_folder_itself_may_be_named_and_stays_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep(tmp_path, an_account())
    with closing(open_journal(tmp_path)) as at_work:
        with at_work.database.transaction():
            assert told([str(tmp_path)], capsys)[1][0] == HEAD
        assert at_work.ledger() == [an_account()]


def test_a_ledger_without_hours_is_an_empty_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep(tmp_path)
    exit_status, lines = told([str(tmp_path)], capsys)
    assert (exit_status, lines[:2]) == (0, [HEAD, ["all", *"000000"]])


def test_a_file_that_is_no_ledger_is_told_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "run.sqlite").write_bytes(b"lamps " * 1_000)
    assert main(["verify", str(tmp_path)]) == 1
    told = capsys.readouterr()
    reason = f"{tmp_path}/run.sqlite is damaged (file is not a database), and was left as it is"
    assert told.err.startswith(f"groundwatch: cannot verify {tmp_path}: {reason}")
