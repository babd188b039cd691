"""Find the files of a model: in a folder of this machine, or on the Hugging Face Hub."""

import os
import re
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from groundwatch.transforms.grounding.errors import Misconfigured
from groundwatch.transforms.grounding.settings import SMALL

MODEL, TOKENIZER, CONFIG, PROMPT = "model.onnx", "tokenizer.json", "config.json", "prompt.txt"
_CARD = "README.md"
_PACKAGED = Path(__file__).parent / SMALL
_SMALL_REVISION = "small-1"
"""The version of its weights and of its configuration: another one gives other scores."""

_QUANTIZED = "model_quantized.onnx"
"""The name that Optimum's quantizer gives to a model."""

_ON_THE_HUB = (
    _QUANTIZED,
    f"onnx/{_QUANTIZED}",
    "onnx/model_qint8_avx2.onnx",
    "onnx/model_quint8_avx2.onnx",
    MODEL,
    f"onnx/{MODEL}",
)
"""What repositories of the Hub call their model, the smallest and fastest first."""

_HUB_NAME = re.compile(r"(?P<name>\w[\w.-]*/[\w.-]+)(?:@(?P<revision>[\w./-]+))?")
REVISION_DIGITS = 12


class ModelFiles(NamedTuple):
    """Where a model and what belongs to it are.

    Attributes:
      name: how the user names it.
      folder: holds the tokenizer, the configuration and the prompt.
      model: the ONNX file.
      revision: the name on the Hub with the first 12 digits of the commit, or the version of
        `small`; None for a folder.
    """

    name: str
    folder: Path
    model: Path
    revision: str | None = None


class HubName(NamedTuple):
    """A model of the Hub, and a branch, tag or commit of it; None is its main branch."""

    name: str
    revision: str | None

    @classmethod
    def parse(cls, text: str) -> "HubName | None":
        """Read OWNER/NAME[@REVISION]; None for a folder.

        >>> HubName.parse("owner/model@v1")
        HubName(name='owner/model', revision='v1')
        >>> HubName.parse("./owner/model")
        """
        found = None if Path(text).is_dir() else _HUB_NAME.fullmatch(text)
        return found and cls(found["name"], found["revision"])

    def __str__(self) -> str:
        return f"{self.name}@{self.revision}" if self.revision else self.name


def find_model(name: str) -> ModelFiles:
    """Find a model by its folder, or download it from the Hub, unless its cache has it.

    ``small`` is the model that comes with groundwatch. A folder has ``model.onnx``, or
    ``model_quantized.onnx`` if it is alone. Of a repository of the Hub only the model, its
    tokenizer and its configuration are downloaded. A process keeps the commit that it found first.

    Raises:
      Misconfigured: the Hub has no such model, refuses it or cannot be reached.
    """
    if name == SMALL:
        return ModelFiles(SMALL, _PACKAGED, _PACKAGED / MODEL, _SMALL_REVISION)
    if on_hub := HubName.parse(name):
        return _download(on_hub)
    plain, quantized = (Path(name) / each for each in (MODEL, _QUANTIZED))
    is_alone = quantized.is_file() and not plain.is_file()
    return ModelFiles(name, Path(name), quantized if is_alone else plain)


@cache
def _download(named: HubName) -> ModelFiles:
    import_scorer_module("huggingface_hub.utils").disable_progress_bars()
    try:
        folder, file = _snapshot(*named)
    except Exception as error:  # noqa: BLE001 - the library documents few of its exceptions
        raise Misconfigured(f"--scorer {named}: {_problem(error, *named)}") from None
    if file is None or not (folder / TOKENIZER).is_file():
        what = TOKENIZER if file else "ONNX file"
        raise Misconfigured(
            f"--scorer {named}: the model on the Hub has no {what}; export it, as docs/own_model.md"
            " shows, and pass the folder"
        )
    commit = folder.name[:REVISION_DIGITS]
    return ModelFiles(str(named), folder, folder / file, f"{named.name}@{commit}")


def _snapshot(name: str, revision: str | None) -> tuple[Path, str | None]:
    """Download what is needed of a commit, or find it in the cache where the Hub is out of reach.

    Returns:
      The folder, named as the commit, and the ONNX file in it, if the repository has one.
    """
    api = import_scorer_module("huggingface_hub").HfApi(library_name="groundwatch")
    try:
        info = api.model_info(name, revision=revision)
    except Exception as error:
        # Other errors of the system are those of the cache, or of the Hub's reply.
        if isinstance(error, OSError) and not isinstance(error, ConnectionError):
            raise
        cached = api.snapshot_download(
            name, revision=revision, allow_patterns=[TOKENIZER], local_files_only=True
        )
        folder = Path(cached)
        return folder, _model_of(each for each in _ON_THE_HUB if (folder / each).is_file())
    file = _model_of(each.rfilename for each in info.siblings)
    wanted = [TOKENIZER, CONFIG, PROMPT, _CARD, *([file, f"{file}_data"] if file else ())]
    return Path(api.snapshot_download(name, revision=revision, allow_patterns=wanted)), file


def _model_of(files: Iterable[str]) -> str | None:
    there = {*files}
    return next((each for each in _ON_THE_HUB if each in there), None)


def card_language(files: ModelFiles) -> object:
    """Return the language or languages that a model's card names; None without such a card.

    Source: https://huggingface.co/docs/hub/model-cards
    """
    card = files.folder / _CARD
    if not card.is_file():
        return None
    try:
        return (import_scorer_module("huggingface_hub").metadata_load(card) or {}).get("language")
    except Exception:  # noqa: BLE001 - a card that cannot be read names none
        return None


def _problem(error: Any, name: str, revision: str | None) -> str:
    """Say why a model cannot be had, and what to do."""
    errors = import_scorer_module("huggingface_hub.errors")
    constants = import_scorer_module("huggingface_hub.constants")
    if isinstance(error, errors.GatedRepoError):
        page = f"{constants.ENDPOINT}/{name}"
        return f"the Hub asks for consent: accept the terms on {page}, and set HF_TOKEN"
    if isinstance(error, errors.RevisionNotFoundError):
        return f"the model on the Hub has no revision {revision}"
    if isinstance(error, errors.RepositoryNotFoundError):
        return "there is no such folder, and the Hub has no such model, or HF_TOKEN may not read it"
    if isinstance(error, errors.LocalEntryNotFoundError):
        reason = (
            "HF_HUB_OFFLINE is set"
            if constants.HF_HUB_OFFLINE
            else f"{constants.ENDPOINT} cannot be reached"
        )
        return f"it is not in the cache ({constants.HF_HUB_CACHE}), and {reason}"
    if isinstance(error, OSError) and error.errno:
        return f"cannot be stored in {constants.HF_HUB_CACHE}: {os.strerror(error.errno)}"
    reason = f"{type(error).__name__}: {error}".partition("\n")[0]
    return f"cannot be downloaded from {constants.ENDPOINT}: {reason}"


def import_scorer_module(name: str) -> ModuleType:
    """Import a library that only models need.

    onnxruntime would send events to Microsoft and keep an identifier in the home folder, from the
    moment it is imported: both are turned off, unless ORT_DISABLE_TELEMETRY is set.

    Raises:
      Misconfigured: it is not installed.
    """
    # Source: the chapter "Disabling Telemetry" in onnxruntime's docs/Privacy.md.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    try:
        return import_module(name)
    except ImportError:
        raise _missing(name) from None


def require_modules() -> None:
    """Find what a model needs, without the time to import it.

    Raises:
      Misconfigured: a library is not installed.
    """
    for name in ("onnxruntime", "tokenizers"):
        if find_spec(name) is None:
            raise _missing(name)


def _missing(name: str) -> Misconfigured:
    return Misconfigured(
        f"the model of the checker needs {name}: pip install {name}, or pass --scorer none"
    )
