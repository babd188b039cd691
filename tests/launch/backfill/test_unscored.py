"""Runs in which answers have no text or no facts: nothing that was not scored looks good."""

from pathlib import Path

import pytest

from groundwatch.launch.cli.main import main
from tests.support import wire_faults
from tests.support.archives import an_envelope
from tests.support.fault_server import FaultServer, always
from tests.support.runs import an_archive, backfill

UNSCORED: dict[str, tuple[list[bytes], str]] = {
    "without facts": ([an_envelope(1, facts=[]), an_envelope(2, facts=[])], "(2 UNSCORABLE)"),
    "without text": ([an_envelope(1, answer="")], "(1 UNSCORABLE)"),
    "without claims": ([an_envelope(1, answer="Hello!"), b"{"], "(1 UNSCORABLE)"),
    "duplicates of none": ([an_envelope(1, facts=[])] * 2, "(1 UNSCORABLE)"),
}


@pytest.mark.parametrize("name", UNSCORED)
def test_a_gate_does_not_pass_where_no_answer_was_scored(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lines, found = UNSCORED[name]
    archive, output = an_archive(tmp_path, *lines), tmp_path / "out"
    assert backfill(archive, output, "--fail_above", "1") == 4
    complaint = f"no answer was scored {found}: --fail_above needs at least one"
    assert complaint in capsys.readouterr().err
    assert (output / "report.html").is_file()
    # The same command again, and without the gate.
    assert backfill(archive, output, "--fail_above", "1") == 4
    assert backfill(archive, output) == 0


def test_a_gate_does_not_pass_where_no_check_succeeded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive, output = an_archive(tmp_path, *map(an_envelope, range(3))), tmp_path / "out"
    flags = "--fail_above", "0.5", "--max_attempts", "1"
    with FaultServer(always(wire_faults.status(503, "UNAVAILABLE"))) as server:
        assert backfill(archive, output, "--checker", server.address, *flags) == 4
        given = "--failures", f"{output}/failures/*", "--output", str(output)
        assert main(["replay", *given, "--checker", server.address, *flags]) == 4
    assert capsys.readouterr().err.count("no answer was scored: --fail_above needs") == 2
    assert main(["replay", *given, "--fail_above", "0.5"]) == 0


def test_one_scored_answer_is_enough_for_a_gate(tmp_path: Path) -> None:
    archive = an_archive(tmp_path, an_envelope(1), *(an_envelope(n, facts=[]) for n in (2, 3)))
    assert backfill(archive, tmp_path / "out", "--fail_above", "0") == 0
