"""Install a clone in editable mode so that type checkers find the package `groundwatch`."""

from pathlib import Path

from setuptools.command import editable_wheel


class EditableWheel(editable_wheel.editable_wheel):
    """Add folders to the path: setuptools' own choice, an import hook, is invisible to mypy."""

    def _select_strategy(self, name: str, *_unused: object) -> editable_wheel.EditableStrategy:
        root = Path(self.project_dir)
        folders = [root, root / "launch" / "library"]
        return editable_wheel._StaticPth(self.distribution, name, folders)  # noqa: SLF001
