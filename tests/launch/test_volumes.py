"""Volumes that lack hard links, locks or flushes: the commands work, or say what to do."""

import errno
from pathlib import Path

import pytest

from groundwatch.launch.cli.main import main
from groundwatch.launch.quality.review.label_files import LabelFiles
from groundwatch.pipeline import storage
from tests.support.archives import an_envelope
from tests.support.fake_pubsub.server import FakePubSub
from tests.support.file_systems import VOLUMES, Volume
from tests.support.outputs import distinct_ids_in
from tests.support.runs import a_long_archive, backfill
from tests.support.watched import SUBSCRIPTION, Watched

ANSWERS = 20
LOCAL = "give --work_folder a folder on a local disk"

every_volume = pytest.mark.parametrize("name", VOLUMES)


@every_volume
def test_a_backfill_writes_to_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture, name: str
) -> None:
    archive, output = a_long_archive(tmp_path, ANSWERS), tmp_path / "volume" / "out"
    with VOLUMES[name].mounted(tmp_path / "volume"):
        status = backfill(archive, output)
        if VOLUMES[name].lock is not None:
            assert status == 1
            said = capsys.readouterr().err
            assert "its file system has no locks (" in said
            assert LOCAL in said
            status = backfill(archive, output, "--work_folder", str(tmp_path / "local"))
            assert "start no other run that writes there" in caplog.text
        assert status == 0
        assert main(["verify", str(output)]) == 0
    assert len(distinct_ids_in(output)) == ANSWERS
    assert not list(output.glob(".*"))


@every_volume
def test_a_worker_publishes_to_it(watched: Watched, name: str) -> None:
    with VOLUMES[name].mounted(watched.output):
        watched.work_folder = f"{watched.output.parent}/work"
        watched.publish(*map(an_envelope, range(ANSWERS)))
        watched.drain()
    assert len(watched.distinct_ids()) == ANSWERS


@every_volume
def test_a_worker_keeps_its_state_there(
    watched: Watched, own_server: FakePubSub, capfd: pytest.CaptureFixture[str], name: str
) -> None:
    with VOLUMES[name].mounted(watched.output):
        if VOLUMES[name].lock is None:
            watched.publish(*map(an_envelope, range(ANSWERS)))
            watched.drain()
            assert len(watched.distinct_ids()) == ANSWERS
            return
        flags = "--subscription", SUBSCRIPTION, "--pubsub_address", own_server.address
        assert main(["watch", *flags, "--output", str(watched.output)]) == 1
    assert LOCAL in capfd.readouterr().err


@every_volume
def test_labels_are_kept_there(tmp_path: Path, name: str) -> None:
    path = tmp_path / "labels.jsonl"
    path.touch()
    with VOLUMES[name].mounted(tmp_path):
        labels = LabelFiles([str(path)], "ada", lambda: "2026-03-03T12:00:00Z")
        if VOLUMES[name].lock is None:
            labels.add("a", "supported")
            assert labels.word("a") == "supported"
            return
        with pytest.raises(OSError, match="give --labels a file on a local disk"):
            labels.add("a", "supported")
        assert path.read_bytes() == b""


DURABLE = ["fsync file", "link file", "fsync folder"]
PUBLISHED = {
    "a disk": DURABLE,
    "CIFS": ["fsync file", "replace file"],
    "blobfuse": ["fsync file", "replace file"],
    "NFS without locks": DURABLE,
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_what_a_volume_can_do_is_done(tmp_path: Path, name: str) -> None:
    written, other = tmp_path / "written", tmp_path / "other"
    written.write_text("Lamps glow.")
    with VOLUMES[name].mounted(tmp_path) as done:
        storage.publish_new(str(written), str(tmp_path / "final"))
        assert done == PUBLISHED[name]
        other.write_text("Kettles vote.")
        with pytest.raises(storage.TargetExists):
            storage.publish_new(str(other), str(tmp_path / "final"))
    assert (tmp_path / "final").read_text() == "Lamps glow."


@pytest.mark.parametrize(
    ("volume", "problem"),
    [
        (Volume(flush_folder=errno.EIO), "Input/output error"),
        (Volume(flush_read_only=errno.EIO), "Input/output error"),
        (Volume(link=errno.ENOSPC), "No space left on device"),
        (Volume(lock=errno.EIO), "Input/output error"),
    ],
)
def test_a_fault_of_a_disk_is_no_missing_call(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], volume: Volume, problem: str
) -> None:
    archive = a_long_archive(tmp_path, ANSWERS)
    with volume.mounted(tmp_path / "volume"):
        assert backfill(archive, tmp_path / "volume" / "out") == 1
    assert problem in capsys.readouterr().err
