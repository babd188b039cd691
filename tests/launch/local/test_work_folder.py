"""The state of a run on disk after a crash."""

from pathlib import Path

import pytest

from launch.local.work_folder import WorkFolder


class Crash(Exception):
    """The process ends here."""


def test_a_segment_counts_as_started_after_a_crash_while_its_folder_is_emptied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: object) -> None:
        raise Crash

    work = WorkFolder(str(tmp_path / "work"))
    folder, again = work.begin_segment(0)
    assert not again
    (Path(folder) / "part").write_bytes(b"rows")
    with monkeypatch.context() as patched:
        # The last step of a start.
        patched.setattr("launch.local.work_folder.make_folder", crash)
        with pytest.raises(Crash):
            work.begin_segment(0)
    folder, again = work.begin_segment(0)
    assert again
    assert list(Path(folder).iterdir()) == []
