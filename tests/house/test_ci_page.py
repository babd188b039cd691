"""The page about CI: its test passes, and its job's command opens and closes the gate."""

import re
from pathlib import Path

import pytest
import yaml

from groundwatch.launch.cli.main import main
from tests.support.commands import run
from tests.support.repository import ROOT

PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
FACT = "The lamp is red."


def block(language: str) -> str:
    [found] = re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    return str(found)


@pytest.mark.parametrize(("years", "status"), [("2", 0), ("3", 1)])
def test_the_test_fails_for_an_unsupported_answer(tmp_path: Path, years: str, status: int) -> None:
    path = tmp_path / "test_answers.py"
    path.write_text(block("python").replace('is 2 years.", [', f'is {years} years.", ['))
    exit_status, printed, _ = run("-m", "pytest", "-q", str(path))
    assert exit_status == status, printed


@pytest.mark.parametrize(("answer", "status"), [(FACT, 0), ("Kettles vote in Peru.", 4)])
def test_the_job_fails_for_unsupported_answers_and_keeps_its_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, status: int
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("answers.jsonl").write_text(f'{{"answer": "{answer}", "facts": ["{FACT}"]}}\n')
    steps = yaml.safe_load(block("yaml"))["jobs"]["grounding"]["steps"]
    [command] = [step["run"] for step in steps if step.get("run", "").startswith("groundwatch")]
    assert main(command.split()[1:]) == status
    assert Path(steps[-1]["with"]["path"]).is_file()
