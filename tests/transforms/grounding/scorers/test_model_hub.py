"""A model of the Hugging Face Hub is found, kept and named; errors say what to do."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.commands import GROUNDWATCH, run
from tests.support.entailment_models import write_model
from tests.support.model_hub import COMMIT, Hub, files_of, model_hub

FIND = """
import sys
from groundwatch.transforms.grounding.errors import Misconfigured
from groundwatch.transforms.grounding.scorers.model_files import find_model
try:
    found = find_model(sys.argv[1])
except Misconfigured as error:
    sys.exit(f"Misconfigured: {error}")
print(found.model.relative_to(found.folder), found.revision)
"""
TOKEN = "hf_0123456789"  # noqa: S105 - it opens nothing
CHECK = (*GROUNDWATCH, "check", "--answer", "red", "--fact", "red", "--json")


UNREACHABLE = "http://127.0.0.1:9"
FOUND = f"model.onnx owner/red@{COMMIT[:12]}"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return files_of(write_model(tmp_path_factory.mktemp("model")))


@pytest.fixture
def hub(model: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with model_hub({"owner/red": model}) as running:
        monkeypatch.setenv("HF_ENDPOINT", running.address)
        yield running


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which the processes of a test keep models, and more of the Hub."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("HF_HOME", str(folder))
    return folder


def find(name: str) -> str:
    """Find a model in a process of its own; return what it prints, or the error."""
    _, output, errors = run("-c", FIND, name)
    return (output or errors).strip()


@pytest.mark.parametrize(
    ("chosen", "others"),
    [
        ("model.onnx", []),
        ("onnx/model.onnx", []),
        ("onnx/model_quint8_avx2.onnx", ["onnx/model.onnx", "onnx/model_O3.onnx"]),
        ("onnx/model_quantized.onnx", ["model.onnx", "onnx/model_fp16.onnx"]),
    ],
)
def test_only_the_model_that_fits_is_downloaded_once(
    chosen: str,
    others: list[str],
    model: dict[str, bytes],
    hub: Hub,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = {**model, "README.md": b"..."}
    content, *rest = model["model.onnx"], "tokenizer.json", "config.json", "README.md"
    hub.repositories["owner/red"] = {
        **{name: model[name] for name in rest},
        **dict.fromkeys([*others, chosen], content),
        "pytorch_model.bin": b"...",
    }
    found = f"{chosen} owner/red@{COMMIT[:12]}"
    assert find("owner/red") == found
    assert sorted(hub.sent) == sorted([chosen, *rest])
    assert find("owner/red@main") == found
    assert find(f"owner/red@{COMMIT}") == found
    assert len(hub.sent) == 4
    monkeypatch.setenv("HF_ENDPOINT", UNREACHABLE)
    assert find("owner/red") == found
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert find("owner/red") == found


def test_a_check_names_the_model_and_sends_the_token(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    scorer = "--scorer", "owner/red@main", "--scorer_weight", "inf"
    status, output, errors = run(*CHECK, *scorer)
    assert (status, TOKEN in errors) == (0, False)
    check = json.loads(output)["check"]
    assert check["checker"] == "local+red@main"
    assert check["revision"] == f"owner/red@{COMMIT[:12]}"
    assert f"Bearer {TOKEN}" in hub.tokens


@pytest.mark.parametrize(
    ("card", "is_read"),
    [
        ("---\nlanguage: en\n---\n# A model", False),
        ("---\nlanguage:\n- en\nlicense: mit\n---\n", False),
        ("---\nlanguage:\n- en\n- de\n---\n", True),
        ("---\nlanguage: [en\n---\n", True),
        ("# A model", True),
    ],
)
def test_words_alone_decide_in_a_language_that_the_card_does_not_name(
    card: str, is_read: bool, hub: Hub
) -> None:
    hub.repositories["owner/red"] = {**hub.repositories["owner/red"], "README.md": card.encode()}
    german = "--answer", "Sie sind rot.", "--fact", "Sie sind rot."
    _, output, _ = run(*GROUNDWATCH, "check", *german, "--json", "--scorer", "owner/red")
    assert ("UNREAD_LANGUAGE" in json.loads(output)["tags"]) is not is_read


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("owner/none", "there is no such folder, and the Hub has no such model, or HF_TOKEN may"),
        ("gated/model", "the Hub asks for consent: accept the terms on {}/gated/model, and set"),
        ("owner/red@v9", "the model on the Hub has no revision v9"),
        ("owner/weights", "the model on the Hub has no ONNX file; export it, as docs/own_model.md"),
        ("owner/bare", "the model on the Hub has no tokenizer.json; export it"),
    ],
)
def test_what_the_hub_does_not_give_is_said(
    name: str, reason: str, model: dict[str, bytes], hub: Hub
) -> None:
    hub.repositories["owner/weights"] = {
        "model.safetensors": b"...",
        "tokenizer.json": model["tokenizer.json"],
    }
    hub.repositories["owner/bare"] = {"model.onnx": model["model.onnx"]}
    said = reason.format(hub.address)
    assert find(name).startswith(f"Misconfigured: --scorer {name}: {said}")
    status, _, errors = run(*CHECK, "--scorer", name)
    assert (status, "Traceback" in errors) == (1, False)
    assert said in errors


def test_without_the_hub_and_without_a_cached_model_it_says_which_of_both_is_needed(
    hub: Hub, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = f"Misconfigured: --scorer owner/red: it is not in the cache ({cache}/hub), and"
    with monkeypatch.context() as offline:
        offline.setenv("HF_HUB_OFFLINE", "1")
        assert find("owner/red") == f"{missing} HF_HUB_OFFLINE is set"
    assert not hub.tokens
    monkeypatch.setenv("HF_ENDPOINT", UNREACHABLE)
    assert find("owner/red") == f"{missing} {UNREACHABLE} cannot be reached"


def test_a_download_that_breaks_off_goes_on_at_the_next_start(hub: Hub) -> None:
    hub.breaks_off = True
    assert "Misconfigured: --scorer owner/red: cannot be downloaded from" in find("owner/red")
    hub.breaks_off = False
    assert find("owner/red") == FOUND


@pytest.mark.usefixtures("hub")
def test_a_cache_that_cannot_be_written_is_named(cache: Path) -> None:
    cache.write_text("a file")
    assert f"cannot be stored in {cache}/hub" in find("owner/red")


@pytest.mark.usefixtures("hub")
def test_a_file_that_cannot_be_written_whole_is_an_error_of_the_cache(cache: Path) -> None:
    limited = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200)){FIND}"
    _, _, errors = run("-c", limited, "owner/red")
    assert f"cannot be stored in {cache}/hub: File too large" in errors
    assert find("owner/red") == FOUND
