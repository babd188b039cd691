"""What a command prints when it fails."""

import pytest

from groundwatch.launch.cli.terminal.exit_status import FAILED, fail

ADVICE = "; free some space on this disk, and run the same command again"


@pytest.mark.parametrize(
    ("sentence", "advice"),
    [
        ("cannot write out/a: No space left on device", ADVICE),
        ("cannot write seen.sqlite: database or disk is full", ADVICE),
        ("cannot write out/a: Permission denied", ""),
    ],
)
def test_a_full_disk_gets_advice(
    sentence: str, advice: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fail(sentence) == FAILED
    assert capsys.readouterr().err == f"groundwatch: {sentence}{advice}\n"
