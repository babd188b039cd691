"""The bundled sample: three days of the help chatbot of Quillow, a thermostat maker.

Quillow, its help centre and its customers are invented. `python -m launch.samples.generate`
rewrites the `*.jsonl` files from `content/*.md` and the cases beside it.
"""

from importlib import resources


def sample_paths() -> list[str]:
    """Say where the bundled sample answers are.

    Returns:
      Paths of real JSONL files, one message a line, sorted by name.
    """
    folder = resources.files(__name__)
    return sorted(str(entry) for entry in folder.iterdir() if entry.name.endswith(".jsonl"))
