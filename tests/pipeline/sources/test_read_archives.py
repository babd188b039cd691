"""Read archives as a step: messages, failures of damaged archives, and counters."""

import gzip
from pathlib import Path

import apache_beam as beam
import pytest
from apache_beam.testing.util import assert_that, equal_to

from groundwatch.pipeline.sources.read_archives import ReadArchives
from groundwatch.schemas.failure import Failure
from groundwatch.schemas.message import Message
from groundwatch.transforms.runtime import counters
from tests.support.metrics import counted
from tests.support.pipelines import local_pipeline


def what_and_where(message: Message) -> tuple[bytes, str]:
    return message.payload, message.place


def fault(failure: Failure) -> tuple[bytes, str, str, str, bool]:
    origin = what_and_where(failure.message)
    return (*origin, failure.step, failure.error_class, failure.retryable)


def test_a_damaged_archive_yields_a_failure_beside_the_messages(tmp_path: Path) -> None:
    good, cut = str(tmp_path / "good.jsonl"), str(tmp_path / "cut.jsonl.gz")
    Path(good).write_bytes(b"one\n\ntwo\n")
    Path(cut).write_bytes(gzip.compress(b"three\n") + gzip.compress(b"four\nfive\n")[:-1])
    root = local_pipeline()
    read = root | ReadArchives([good, cut])
    assert_that(
        read.messages | "What" >> beam.Map(what_and_where),
        equal_to([(b"one", f"{good}#1"), (b"two", f"{good}#3"), (b"three", f"{cut}#1")]),
        label="messages",
    )
    damage = (b"", f"{cut}#after-record-1", "ReadMessages", "DamagedArchive", False)
    assert_that(read.failures | beam.Map(fault), equal_to([damage]), label="failures")
    result = root.run()
    assert counted(result, counters.MESSAGES_READ) == 4
    assert counted(result, counters.ARCHIVES_DAMAGED) == 1


def test_an_archive_that_cannot_be_opened_fails_the_run(tmp_path: Path) -> None:
    root = local_pipeline()
    _ = root | ReadArchives([str(tmp_path / "gone.jsonl")])
    with pytest.raises(OSError, match=r"cannot read .*gone\.jsonl: No such file or directory"):
        root.run()
