"""`python -m launch.flink`, as far as it goes without Flink."""

from pathlib import Path

import pytest

from launch.flink import __main__ as command
from launch.flink.__main__ import main


def test_what_is_missing_is_told_with_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "none"
    assert main(["--jars", str(folder), "backfill"]) == 2
    assert capsys.readouterr().err == (
        f"groundwatch: Flink's jars are not in {folder}: `python -m launch.flink fetch` fetches"
        " them\n"
    )


def test_a_job_server_that_does_not_start_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    java = tmp_path / "java"
    java.write_text("#!/bin/sh\necho 'version \"17\"' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    assert main(["--jar", "job-server.jar", "backfill"]) == 1
    assert capsys.readouterr().err.startswith("groundwatch: the job-server has ended:\n")


def test_an_interruption_is_a_word_and_no_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "find_java", lambda: "java")
    monkeypatch.setattr(command, "Cluster", interrupt)
    assert main(["--jar", "job-server.jar", "backfill"]) == 1
    assert capsys.readouterr().err == "groundwatch: interrupted\n"


def test_a_number_of_task_managers_that_makes_no_sense_is_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["--task_managers", "-1", "backfill"])
    assert "--task_managers -1: must be 0 or more" in capsys.readouterr().err


def test_two_task_managers_cannot_share_a_worker_pool(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["--task_managers", "2", "--workers", "EXTERNAL", "backfill"])
    assert "task managers that share a worker pool" in capsys.readouterr().err
