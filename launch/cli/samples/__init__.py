"""The bundled sample: three days of the help chatbot of Quillow, an invented thermostat maker."""

from importlib import resources


def sample_paths() -> list[str]:
    """List the files of the bundled sample, JSON Lines, sorted by name."""
    folder = resources.files(__name__)
    return sorted(str(entry) for entry in folder.iterdir() if entry.name.endswith(".jsonl"))
