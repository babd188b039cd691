"""Write docs/configuration.md: `python -m launch.reference_page`."""

from pathlib import Path

from launch.command import documented_commands
from pipeline.settings.reference import reference_page

PAGE = Path(__file__).parents[1] / "docs" / "configuration.md"

if __name__ == "__main__":
    PAGE.write_text(reference_page(documented_commands()), encoding="utf-8")
