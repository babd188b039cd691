"""How a run is cut into batches."""

from pathlib import Path

import pytest

from groundwatch.launch.backfill.begin_run import make_plan
from groundwatch.pipeline.settings.config import Config


@pytest.mark.parametrize(
    ("processes", "sizes"),
    [
        pytest.param(1, [3000, 1000], id="one process shares with nobody"),
        pytest.param(2, [500] * 8, id="four batches a process"),
        pytest.param(9, [500] * 8, id="a batch is worth its start"),
    ],
)
def test_several_processes_have_some_batches_each(
    tmp_path: Path, processes: int, sizes: list[int]
) -> None:
    archive = tmp_path / "answers.jsonl"
    archive.write_bytes(b'{"answer": "Lamps glow."}\n' * 4000)
    config = Config(inputs=(str(archive),), output=str(tmp_path / "out"), run="r1")
    planned, batches = make_plan(config, processes, segment_messages=3000)
    assert [batch.messages for batch in batches] == sizes
    assert planned.messages == 4000
