"""Write the tables of docs/configuration.md: `python -m launch.commands`."""

from pathlib import Path

from launch.commands import documented_commands
from pipeline.settings.reference import reference_page

PAGE = Path(__file__).parents[2] / "docs" / "configuration.md"

if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(reference_page(page, [*documented_commands()]), encoding="utf-8")
