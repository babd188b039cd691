"""`python -m launch.flink`, as far as it goes without Flink."""

from pathlib import Path

import pytest

from launch.flink import __main__ as command
from launch.flink.__main__ import main


def test_missing_jars_are_an_error_that_says_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "none"
    assert main(["--jars", str(folder), "backfill"]) == 2
    assert capsys.readouterr().err == (
        f"groundwatch: Flink's jars are not in {folder}: `python -m launch.flink fetch` fetches"
        " them\n"
    )


def test_a_job_server_that_does_not_start_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    java = tmp_path / "java"
    java.write_text("#!/bin/sh\necho 'version \"17\"' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    assert main(["--jar", "job-server.jar", "backfill"]) == 1
    assert capsys.readouterr().err.startswith("groundwatch: the job-server has ended:\n")


def test_an_interruption_prints_one_word_and_no_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "job_server", interrupt)
    assert main(["--jar", "job-server.jar", "backfill"]) == 1
    assert capsys.readouterr().err == "groundwatch: interrupted\n"
