"""Columns of a table that are times as people write them."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.launch.cli.main import main
from groundwatch.pipeline.sources.time_columns import TimeColumns, TimeForm, with_times
from tests.support.outputs import records_in
from tests.support.runs import backfill

READ: dict[str, tuple[list[str], list[str] | None]] = {
    "with dots, the day is first": (["16.11.2026 08:00"], ["2026-11-16T08:00:00Z"]),
    "with seconds and a comma": (["1.2.2026, 8:05:09"], ["2026-02-01T08:05:09Z"]),
    "a day above 12 says which is the month": (
        ["03/04/2026 08:00", "13/04/2026 09:00"],
        ["2026-04-03T08:00:00Z", "2026-04-13T09:00:00Z"],
    ),
    "and in the other order": (
        ["11/16/2026 12:10 AM", "3/4/2026 12:10 pm"],
        ["2026-11-16T00:10:00Z", "2026-03-04T12:10:00Z"],
    ),
    "an empty cell says nothing": (["", "16.11.2026 08:00"], ["", "2026-11-16T08:00:00Z"]),
    "no day above 12": (["03/04/2026 08:00", "05/06/2026 08:00"], None),
    "two orders in one column": (["13/04/2026 08:00", "04/13/2026 08:00"], None),
    "two separators in one column": (["13/04/2026 08:00", "13.04.2026 08:00"], None),
    "a cell of another form": (["16.11.2026 08:00", "tomorrow"], None),
    "RFC 3339 among them": (["16.11.2026 08:00", "2026-11-16T08:00:00Z"], None),
    "a day that no month has": (["31.02.2026 08:00"], None),
    "an hour that no day has": (["16.11.2026 24:00"], None),
    "an hour that no half of a day has": (["16.11.2026 13:00 PM"], None),
    "dates alone, as an answer may be": (["16.11.2026"], None),
    "versions": (["1.2.2026"], None),
    "nothing": (["", ""], None),
}


@pytest.mark.parametrize("name", READ)
def test_a_column_is_read_if_all_its_cells_are_of_one_form(name: str) -> None:
    cells, expected = READ[name]
    columns = TimeColumns()
    rows = [columns.add({"when": cell or None, "reply": "Yes."}) for cell in cells]
    read = [with_times(row, columns.found())["when"] or "" for row in rows]
    assert read == (cells if expected is None else expected)
    assert columns.found().keys() == (set() if expected is None else {"when"})


PATTERNS: Sequence[tuple[TimeForm, str]] = (
    ("D.M.Y", "%d.%m.%Y %H:%M"),
    ("D/M/Y", "%d/%m/%Y, %H:%M:%S"),
    ("M/D/Y", "%m/%d/%Y %I:%M:%S %p"),
)


@given(
    st.datetimes(datetime(1000, 1, 1), datetime(9999, 12, 31)),  # noqa: DTZ001 - as cells are
    st.sampled_from(PATTERNS),
)
def test_a_cell_is_the_time_that_was_written(time: datetime, pattern: tuple[TimeForm, str]) -> None:
    form, written = pattern
    [read] = with_times({"when": time.strftime(written)}, {"when": form}).values()
    second = time.second if "%S" in written else 0
    expected = time.replace(second=second, microsecond=0, tzinfo=UTC)
    assert datetime.fromisoformat(read or "") == expected


PATHS = "id=$.id", "answer=$.reply", "facts=$.context", "time=$.when"
LINES = "id;reply;context;when\n", "1;Lamps glow.;Lamps glow.;16.11.2026 08:00\n"


@pytest.mark.parametrize(
    ("last", "tags"),
    [("2;Lamps glow.;Lamps glow.;17.11.2026 09:30\n", []), ("2;a;b;soon\n", ["BAD_TIMESTAMP"])],
)
@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
def test_the_records_of_a_file_have_the_times_of_its_column(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, last: str, tags: list[str]
) -> None:
    path, flags = tmp_path / name, ("--map", *PATHS)
    path.write_text("".join((*LINES, last)), encoding="utf-8")
    assert backfill(path, tmp_path / "out", *flags) == 0
    first, second = sorted(records_in(tmp_path / "out"), key=lambda each: each["answer_name"])
    assert all(set(tags) <= {*each["tags"]} for each in (first, second))
    if not tags:
        assert first["event_time"] == datetime(2026, 11, 16, 8, tzinfo=UTC)
        assert second["event_time"] == datetime(2026, 11, 17, 9, 30, tzinfo=UTC)
    assert main(["inspect", str(path), *flags]) == 0
    assert ("16 Nov 2026, 08:00 UTC" in capsys.readouterr().out) == (not tags)
