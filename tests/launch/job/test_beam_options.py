"""Beam's pipeline options, before a job is started."""

from pathlib import Path

import pytest

from launch.__main__ import main
from launch.job import beam_options
from tests.support.archives import an_envelope
from tests.support.runs import an_archive


def test_dataflow_without_its_extra_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(beam_options, "find_spec", lambda _: None)
    archive = an_archive(tmp_path, an_envelope(1))
    command = ["backfill", "--input", str(archive), "--output", "gs://b/out"]
    assert main([*command, "--runner", "DataflowRunner", "--region", "europe-west1"]) == 2
    complained = capsys.readouterr().err
    assert "--runner DataflowRunner: Dataflow needs the extra groundwatch[dataflow]" in complained
