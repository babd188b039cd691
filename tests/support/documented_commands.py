"""The commands of the documentation: what its shell blocks say, page by page."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from groundwatch.schemas import Record
from tests.support.repository import ROOT

PAGES = (
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted(ROOT.glob("docs/*.md")),
    *sorted(ROOT.glob("launch/deploy/*/README.md")),
)
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
_HERE_DOCUMENT = re.compile(r"^cat > (\S+) <<'END'\n(.*?)^END\n", re.DOTALL | re.MULTILINE)
_INLINE = re.compile(r"`(groundwatch [a-z-]+ [^`…]+)`")
_SAVED_AS = re.compile(r"`([\w.-]+\.(?:jsonl|yaml|py))`")
# What these run is not of this repository, or is run by the whole build.
_PROGRAMS = {
    *("bq", "cd", "curl", "docker", "gcloud", "git", "go", "kubectl", "kustomize", "make", "pip"),
    *("optimum-cli", "terraform", "launch/deploy/bigquery/deploy", "launch/deploy/container/pin"),
    "launch/deploy/dataflow/build",
}
_SHELL = re.compile(rf"(groundwatch|python|{'|'.join(_PROGRAMS)}) ")
_CLOUD = re.compile(
    r"gs://|projects/(?!local/)|discoveryengine|--runner|--to (langfuse|ml|open|ph)"
)
_PLACEHOLDERS = re.compile(r"\b(OUT|DIR|W1|FILE|PORT|F)\b")


class Command(Record, frozen=True):
    """One command of a page."""

    page: str
    text: str

    @property
    def words(self) -> list[str]:
        """Its words, as a shell splits them."""
        return shlex.split(self.text.removesuffix(" &"), comments=True)

    @property
    def arguments(self) -> list[str] | None:
        """The arguments if it runs groundwatch, None for another program."""
        name, *rest = self.words
        return rest if name.removeprefix(".venv/bin/") == "groundwatch" else None

    @property
    def only_parsed_for(self) -> str | None:
        """Why a test does not run it; None if it does."""
        if self.words[0] in _PROGRAMS:
            return f"runs {self.words[0]}"
        if _CLOUD.search(self.text):
            return "needs a cloud, a cluster or another tool"
        if self.text.startswith(("groundwatch review ", "groundwatch watch --listen ")):
            return "serves until it is interrupted"
        return "has placeholders" if _PLACEHOLDERS.search(self.text) else None


class Page(Record, frozen=True):
    """A page: the files that it asks to be saved, and its commands, in their order."""

    name: str
    files: dict[str, str]
    commands: tuple[Command, ...]
    inline: tuple[Command, ...]


def read_page(path: Path) -> Page:
    """Read a page of the documentation."""
    text = path.read_text(encoding="utf-8")
    name = str(path.relative_to(ROOT))
    files: dict[str, str] = {}
    commands: list[Command] = []
    before = 0
    for block in _BLOCK.finditer(text):
        language, content = block.groups()
        paragraph = text[before : block.start()].strip().rpartition("\n\n")[2]
        if language in {"json", "yaml", "python"} and (saved := _SAVED_AS.findall(paragraph)):
            files[saved[-1]] = content
        if language == "sh" or (not language and _SHELL.match(content)):
            files |= dict(_HERE_DOCUMENT.findall(content))
            commands += (Command(name, line) for line in _lines(content))
        before = block.end()
    inline = _INLINE.findall(_BLOCK.sub("", text))
    return Page(name, files, tuple(commands), tuple(Command(name, each) for each in inline))


def _lines(script: str) -> Iterator[str]:
    """List the commands of a shell block; text in quotes goes on over lines."""
    pending = ""
    for line in _HERE_DOCUMENT.sub("", script).replace("\\\n", " ").splitlines():
        pending += line
        try:
            words = shlex.split(pending, comments=True)
        except ValueError:  # no closing quotation mark yet
            pending += " "
            continue
        if words:
            yield " ".join(pending.split())
        pending = ""
