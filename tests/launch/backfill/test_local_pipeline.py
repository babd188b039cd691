"""A pipeline that runs many batches in one process."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from groundwatch.launch.engine.batches import LocalPipeline
from groundwatch.pipeline.settings.config import Config
from groundwatch.pipeline.sinks.outcomes import Outcome
from groundwatch.pipeline.sources.read_batch import MessageRange
from groundwatch.schemas.message import Message
from groundwatch.schemas.summary import RunCounts
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.check_grounding import CountedSession, checks_open
from groundwatch.transforms.deduplicate import seen_ids_open
from groundwatch.transforms.persistence.seen_ids import SeenIds
from tests.support.archives import an_envelope


@pytest.fixture
def life(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count how often what the steps share is opened."""
    counted: Counter[str] = Counter()

    def count(kind: type, name: str, label: str) -> None:
        method = getattr(kind, name)

        def counting(shared: object, *given: object) -> None:
            counted[label] += 1
            method(shared, *given)

        monkeypatch.setattr(kind, name, counting)

    count(SeenIds, "__init__", "ids opened")
    count(CountedSession, "__init__", "checks opened")
    return counted


@pytest.fixture
def pipeline(tmp_path: Path, life: Counter[str]) -> Iterator[LocalPipeline]:  # noqa: ARG001 - it patches before
    config = Config(inputs=(), output=str(tmp_path), run="run", work_folder=str(tmp_path))
    with checks_open(config.check), seen_ids_open(str(config.database)):
        yield LocalPipeline(config)


def run(pipeline: LocalPipeline, *numbers: int) -> tuple[Outcome, RunCounts]:
    """Run a batch of numbered answers."""
    messages = [Message(payload=an_envelope(each), place=str(each)) for each in numbers]
    return pipeline.run([MessageRange(place="here", messages=messages)])


def test_what_the_steps_share_is_opened_once(pipeline: LocalPipeline, life: Counter[str]) -> None:
    for number in range(3):
        run(pipeline, number)
    assert life == {"ids opened": 1, "checks opened": 1}


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
    assert life == {"ids opened": 1, "checks opened": 1}


def test_no_temporary_folder_of_beam_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    config = Config(inputs=(), output=str(tmp_path), run="run", work_folder=str(tmp_path))
    LocalPipeline(config)
    assert list(tmp_path.iterdir()) == []
