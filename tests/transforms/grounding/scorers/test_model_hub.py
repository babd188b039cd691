"""A model of the Hugging Face Hub is found, kept and named; errors say what to do."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.entailment_models import write_model
from tests.support.model_hub import COMMIT, Hub, files_of, model_hub
from tests.support.repository import python_path

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
CHECK = ("-m", "groundwatch", "check", "--answer", "red", "--fact", "red", "--json")


class Cache:
    """Where a process looks for models: its cache, and the Hub's address."""

    def __init__(self, folder: Path, hub: Hub) -> None:
        self.folder, self.hub = folder, hub

    def run(self, *arguments: str, **environment: str) -> tuple[int, str, str]:
        """Run Python with the Hub of this machine; return status, output and errors."""
        given = {
            "HF_ENDPOINT": self.hub.address,
            "HF_HOME": str(self.folder),
            "PYTHONPATH": python_path(),
        }
        ended = subprocess.run(  # noqa: S603 - it runs this interpreter
            [sys.executable, *arguments],
            env=os.environ | given | environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return ended.returncode, ended.stdout, ended.stderr

    def find(self, name: str, **environment: str) -> str:
        """Find a model in a process of its own; return what it prints, or the error."""
        _, output, errors = self.run("-c", FIND, name, **environment)
        return (output or errors).strip()


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, bytes]:
    return files_of(write_model(tmp_path_factory.mktemp("model")))


def cached(tmp_path: Path, hub: Hub) -> Cache:
    return Cache(tmp_path / "cache", hub)


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        (["model.onnx"], "model.onnx"),
        (["onnx/model.onnx"], "onnx/model.onnx"),
        (["onnx/model.onnx", "onnx/model_O3.onnx", "onnx/model_quint8_avx2.onnx"], None),
        (["model.onnx", "onnx/model_quantized.onnx", "onnx/model_fp16.onnx"], None),
    ],
)
def test_only_the_model_that_fits_is_downloaded_once(
    names: list[str], chosen: str | None, model: Mapping[str, bytes], tmp_path: Path
) -> None:
    chosen = chosen or next(name for name in names if "int8" in name or "quantized" in name)
    others = dict.fromkeys(names, model["model.onnx"])
    files = {"README.md": b"# A card", "pytorch_model.bin": b"...", **model} | others
    if "model.onnx" not in names:
        del files["model.onnx"]
    with model_hub(red=files) as hub:
        cache = cached(tmp_path, hub)
        found = f"{chosen} owner/red@{COMMIT[:12]}"
        assert cache.find("owner/red") == found
        assert sorted(hub.sent) == sorted([chosen, "config.json", "tokenizer.json"])
        assert cache.find("owner/red@main") == found
        assert cache.find(f"owner/red@{COMMIT}") == found
        assert len(hub.sent) == 3
    assert cache.find("owner/red") == found
    assert cache.find("owner/red", HF_HUB_OFFLINE="1") == found


def test_a_check_names_the_model_and_sends_the_token(
    model: Mapping[str, bytes], tmp_path: Path
) -> None:
    with model_hub(red=model) as hub:
        cache = cached(tmp_path, hub)
        scorer = "--scorer", "owner/red@main", "--scorer_weight", "inf"
        status, output, errors = cache.run(*CHECK, *scorer, HF_TOKEN=TOKEN)
    assert (status, TOKEN in errors) == (0, False)
    check = json.loads(output)["check"]
    assert check["checker"] == "local+red@main"
    assert check["revision"] == f"owner/red@{COMMIT[:12]}"
    assert f"Bearer {TOKEN}" in hub.tokens


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
    name: str, reason: str, model: Mapping[str, bytes], tmp_path: Path
) -> None:
    weights = {"model.safetensors": b"...", "tokenizer.json": model["tokenizer.json"]}
    bare = {"model.onnx": model["model.onnx"]}
    with model_hub(red=model, weights=weights, bare=bare) as hub:
        cache = cached(tmp_path, hub)
        found = cache.find(name)
        assert found.startswith(f"Misconfigured: --scorer {name}: {reason.format(hub.address)}")
        status, _, errors = cache.run(*CHECK, "--scorer", name)
    assert (status, "Traceback" in errors) == (1, False)
    assert reason.format(hub.address) in errors


def test_without_the_hub_and_without_a_cached_model_it_says_which_of_both_is_needed(
    model: Mapping[str, bytes], tmp_path: Path
) -> None:
    with model_hub(red=model) as hub:
        cache = cached(tmp_path, hub)
        offline = cache.find("owner/red", HF_HUB_OFFLINE="1")
        assert not hub.tokens
    unreachable = cache.find("owner/red")
    missing = f"Misconfigured: --scorer owner/red: it is not in the cache ({cache.folder}/hub), and"
    assert offline == f"{missing} HF_HUB_OFFLINE is set"
    assert unreachable == f"{missing} {hub.address} cannot be reached"


def test_a_download_that_breaks_off_goes_on_at_the_next_start(
    model: Mapping[str, bytes], tmp_path: Path
) -> None:
    with model_hub(red=model) as hub:
        cache = cached(tmp_path, hub)
        hub.breaks_off = True
        broken = cache.find("owner/red")
        assert "Misconfigured: --scorer owner/red: cannot be downloaded from" in broken
        hub.breaks_off = False
        assert cache.find("owner/red") == f"model.onnx owner/red@{COMMIT[:12]}"


def test_a_cache_that_cannot_be_written_is_named(
    model: Mapping[str, bytes], tmp_path: Path
) -> None:
    with model_hub(red=model) as hub:
        cache = cached(tmp_path, hub)
        cache.folder.write_text("a file")
        found = cache.find("owner/red")
    assert f"cannot be stored in {cache.folder}/hub" in found


def test_a_file_that_cannot_be_written_whole_is_an_error_of_the_cache(
    model: Mapping[str, bytes], tmp_path: Path
) -> None:
    limited = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200)){FIND}"
    with model_hub(red=model) as hub:
        cache = cached(tmp_path, hub)
        _, _, errors = cache.run("-c", limited, "owner/red")
        assert f"cannot be stored in {cache.folder}/hub: File too large" in errors
        assert cache.find("owner/red") == f"model.onnx owner/red@{COMMIT[:12]}"
