"""The programs of the README and of ARCHITECTURE.md run as they are written.

test_documented_commands.py runs the README's commands.
"""

import re
from pathlib import Path

import pytest

from tests.support.commands import WITHOUT_EXTRAS, run
from tests.support.repository import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
ARCHITECTURE = (ROOT / "docs" / "ARCHITECTURE.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"^```python\n(.*?)^```", README + ARCHITECTURE, re.DOTALL | re.MULTILINE)


def test_all_examples_are_found() -> None:
    assert len(PYTHON) == 3


@pytest.mark.parametrize("program", PYTHON, ids=["function", "test", "pipeline"])
def test_a_program_runs(program: str, tmp_path: Path) -> None:
    path = tmp_path / "test_example.py"
    path.write_text(f"{WITHOUT_EXTRAS}\n{program}", encoding="utf-8")
    is_test = "def test_" in program
    exit_status, told, complained = run(*(["-m", "pytest", "-q"] if is_test else []), str(path))
    assert (exit_status, complained) == (0, "")
    assert ("1 passed" if is_test else "LOW_GROUNDED") in told
