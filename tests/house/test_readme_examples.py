"""The programs of the README, of ARCHITECTURE.md and for the library run as they are written.

test_documented_commands.py runs the README's commands.
"""

import re
from pathlib import Path

import pytest

from tests.support.commands import WITHOUT_EXTRAS, run
from tests.support.repository import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
ARCHITECTURE = (ROOT / "docs" / "ARCHITECTURE.md").read_text(encoding="utf-8")
CHECKERS = (ROOT / "docs" / "checkers.md").read_text(encoding="utf-8")
IN_PYTHON = CHECKERS.partition("\n## In Python\n")[2].partition("\n## ")[0]
PYTHON = re.findall(
    r"^```python\n(.*?)^```", README + ARCHITECTURE + IN_PYTHON, re.DOTALL | re.MULTILINE
)


def test_all_examples_are_found() -> None:
    assert len(PYTHON) == 4


@pytest.mark.parametrize("program", PYTHON, ids=["function", "pipeline", "library", "failures"])
def test_a_program_runs(program: str, tmp_path: Path) -> None:
    path = tmp_path / "example.py"
    path.write_text(f"{WITHOUT_EXTRAS}\n{program}", encoding="utf-8")
    exit_status, printed, errors = run(str(path))
    assert (exit_status, errors) == (0, "")
    assert "LOW_GROUNDED" in printed
