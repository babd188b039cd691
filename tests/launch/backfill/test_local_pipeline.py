"""A pipeline that runs many batches in one process."""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from apache_beam.options.pipeline_options import PipelineOptions

from launch.engine.local_pipeline import LocalPipeline
from pipeline.settings.config import Config
from pipeline.sinks.outcomes import Outcome
from pipeline.sinks.sink import EngineSink
from pipeline.sources.read_archives import MessageRange
from schemas.message import Message
from schemas.summary import RunCounts
from schemas.verdict import Verdict
from tests.support.archives import an_envelope
from transforms import deduplicate
from transforms.deduplicate import _DropSeen


@pytest.fixture
def life(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count how often a step is set up and torn down."""
    counted: Counter[str] = Counter()

    def count(name: str) -> None:
        method = getattr(_DropSeen, name)

        def counting(step: _DropSeen) -> None:
            counted[name] += 1
            method(step)

        monkeypatch.setattr(_DropSeen, name, counting)

    count("setup")
    count("teardown")
    return counted


@pytest.fixture
def pipeline(tmp_path: Path, life: Counter[str]) -> Iterator[LocalPipeline]:  # noqa: ARG001 - it patches before
    config = Config(inputs=(), output=str(tmp_path), run="run", work_folder=str(tmp_path))
    with closing(LocalPipeline(config, PipelineOptions([]), EngineSink)) as pipeline:
        yield pipeline


def run(pipeline: LocalPipeline, *numbers: int) -> tuple[Outcome, RunCounts]:
    """Run a batch of numbered answers."""
    messages = [Message(payload=an_envelope(each), place=str(each)) for each in numbers]
    return pipeline.run([MessageRange(place="here", messages=messages)])


def test_the_steps_are_set_up_once_and_torn_down_at_the_end(
    pipeline: LocalPipeline, life: Counter[str]
) -> None:
    for number in range(3):
        run(pipeline, number)
    assert life == {"setup": 1}
    pipeline.close()
    assert life == {"setup": 1, "teardown": 1}
    # The ids are closed, too.
    assert not deduplicate._SEEN_IDS._resources
    run(pipeline, 7)
    pipeline.close()
    assert life == {"setup": 2, "teardown": 2}


def test_each_batch_has_its_own_outcome_and_counts(pipeline: LocalPipeline) -> None:
    first_outcome, first = run(pipeline, 1, 2, 3)
    second_outcome, second = run(pipeline, 3, 4)
    assert (first.read, first.checked, first.duplicates) == (3, 3, 0)
    assert (second.read, second.checked, second.duplicates) == (2, 1, 1)
    assert (first_outcome.enriched, second_outcome.enriched) == (3, 1)


def test_a_batch_without_checks_and_failures_counts_none_of_an_earlier_one(
    pipeline: LocalPipeline,
) -> None:
    unreadable = Message(payload=b"{", place="x")
    checked = Message(payload=an_envelope(1), place="1")
    for messages in ([checked, unreadable], []):
        outcome, counts = pipeline.run([MessageRange(place="here", messages=messages)])
    assert (outcome, counts) == (Outcome(), RunCounts(verdicts=dict.fromkeys(Verdict, 0)))


def test_a_batch_that_fails_does_not_disturb_the_next(
    pipeline: LocalPipeline, life: Counter[str]
) -> None:
    def broken() -> Iterator[Message]:
        yield Message(payload=an_envelope(2), place="2")
        raise OSError("the disk is gone")

    run(pipeline, 1)
    with pytest.raises(OSError, match="the disk is gone"):
        pipeline.run([MessageRange(place="here", messages=broken())])
    outcome, counts = run(pipeline, 3)
    assert outcome.enriched == 1
    assert (counts.read, counts.duplicates) == (1, 0)
    assert life == {"setup": 2, "teardown": 1}


def test_no_temporary_folder_of_beam_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    config = Config(inputs=(), output=str(tmp_path), run="run", work_folder=str(tmp_path))
    LocalPipeline(config, PipelineOptions([]), EngineSink).close()
    assert list(tmp_path.iterdir()) == []
