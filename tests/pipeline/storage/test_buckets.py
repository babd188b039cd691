"""Write, read, publish, find and delete objects in Cloud Storage."""

import gc
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import google.auth
import pytest
from apache_beam.internal.gcp import auth
from google.auth.exceptions import DefaultCredentialsError
from google.oauth2.credentials import Credentials

from groundwatch.pipeline import storage
from groundwatch.pipeline.storage.buckets import _client as client
from tests.support.buckets import Buckets, Request, Trouble, when
from tests.support.storage_server import storage_server

LARGE = bytes(range(256)) * 70_000
"""More than one of the pieces of 16 MiB in which objects are read."""
UPLOAD = LARGE[:5_000_000]
"""More than one of the chunks in which objects are uploaded."""


@pytest.fixture(autouse=True)
def buckets(monkeypatch: pytest.MonkeyPatch) -> Iterator[Buckets]:
    with storage_server(monkeypatch) as buckets:
        yield buckets


def write(path: str, content: bytes) -> None:
    """Write in pieces that do not fit the uploads'."""
    with storage.create(path) as stream:
        for start in range(0, len(content), 1_000_003):
            stream.write(content[start : start + 1_000_003])


def test_an_object_is_uploaded_in_small_chunks(buckets: Buckets) -> None:
    write("gs://b/file", UPLOAD)
    uploads = [action for action, _ in buckets.requests if action == "upload"]
    assert len(uploads) > len(UPLOAD) / 3_000_000


def test_an_object_appears_when_its_stream_is_closed(buckets: Buckets) -> None:
    stream = storage.create("gs://b/folder/file")
    stream.write(b"whole")
    assert stream.tell() == 5
    assert buckets.below("gs://b/") == {}
    stream.close()
    stream.close()
    assert buckets.below("gs://b/") == {"folder/file": b"whole"}


@pytest.mark.parametrize("content", [b"", LARGE], ids=["empty", "in several pieces"])
def test_an_object_is_read_as_it_was_written(buckets: Buckets, content: bytes) -> None:
    write("gs://b/file.gz", content)
    assert buckets.below("gs://b/") == {"file.gz": content}
    assert storage.read_whole("gs://b/file.gz") == content
    assert storage.size("gs://b/file.gz") == len(content)
    with storage.read("gs://b/file.gz") as stream:
        assert stream.read(3) == content[:3]
        assert stream.tell() == len(content[:3])


@pytest.mark.parametrize(
    "trouble",
    [Trouble(503), Trouble(429), Trouble(503, is_done=True)],
    ids=["refused", "throttled", "answer lost"],
)
@pytest.mark.parametrize("action", ["begin", "upload", "look", "read"])
def test_a_call_that_fails_once_is_retried(buckets: Buckets, action: str, trouble: Trouble) -> None:
    buckets.plan = when(action, "file", trouble, times=1)
    write("gs://b/file", UPLOAD)
    assert storage.read_whole("gs://b/file") == UPLOAD


def test_a_truncated_reply_is_never_taken_for_the_whole_object(buckets: Buckets) -> None:
    buckets.put("gs://b/file", LARGE)
    buckets.plan = when("read", "file", Trouble(is_cut=True), times=1)
    assert storage.read_whole("gs://b/file") == LARGE
    buckets.plan = when("read", "file", Trouble(is_cut=True))
    with pytest.raises(OSError, match="gs://b/file"):
        storage.read_whole("gs://b/file")


def test_an_object_that_is_replaced_while_it_is_read_fails_the_stream(buckets: Buckets) -> None:
    buckets.put("gs://b/file", LARGE)
    with storage.read("gs://b/file") as stream:
        stream.read(10)
        buckets.put("gs://b/file", b"another")
        with pytest.raises(FileNotFoundError):
            stream.read()


def test_an_object_that_is_left_half_written_never_appears(buckets: Buckets) -> None:
    with suppress(KeyError), storage.create("gs://b/by-exception") as stream:
        stream.write(UPLOAD)
        raise KeyError
    stream = storage.create("gs://b/forgotten")
    stream.write(UPLOAD)
    del stream
    gc.collect()
    assert buckets.below("gs://b/") == {}


@pytest.mark.parametrize("status", [403, 503])
def test_a_failed_upload_is_not_retried_by_the_garbage_collector(
    buckets: Buckets, status: int
) -> None:
    buckets.plan = when("upload", "file", Trouble(status))
    stream = storage.create("gs://b/file")
    stream.write(b"whole")
    with pytest.raises(OSError, match=f"{status} refused by the test"):
        stream.close()
    buckets.plan = lambda _: None
    del stream
    gc.collect()
    assert buckets.below("gs://b/") == {}


def test_an_object_with_a_lost_chunk_never_appears(buckets: Buckets) -> None:
    buckets.plan = when("upload", "file", Trouble(403), times=1)
    stream = storage.create("gs://b/file")
    with pytest.raises(PermissionError):
        stream.write(UPLOAD)
    stream.close()
    assert buckets.below("gs://b/") == {}


DEEDS = {
    "begin": lambda: write("gs://b/file", b""),
    "upload": lambda: write("gs://b/file", UPLOAD),
    "look": lambda: storage.read("gs://b/file"),
    "read": lambda: storage.read_whole("gs://b/file"),
    "list": lambda: storage.find("gs://b/f*"),
    "delete": lambda: storage.remove(["gs://b/file"]),
    "copy": lambda: storage.publish("gs://b/file", "gs://b/final"),
}


@pytest.mark.parametrize(("status", "kind"), [(403, PermissionError), (500, OSError)])
@pytest.mark.parametrize("action", DEEDS)
def test_a_refused_call_is_an_oserror_with_the_path_and_the_reason(
    buckets: Buckets, action: str, status: int, kind: type[OSError]
) -> None:
    buckets.put("gs://b/file", b"whole")
    buckets.plan = when(action, "", Trouble(status))
    with pytest.raises(OSError, match=rf"{status} refused by the test") as raised:
        DEEDS[action]()
    assert "gs://b/f" in str(raised.value)
    assert "http" not in str(raised.value)
    assert isinstance(raised.value, kind) or isinstance(raised.value.__cause__, kind)


@pytest.mark.parametrize("status", [200, 403])
@pytest.mark.parametrize("action", DEEDS)
def test_a_page_of_html_in_place_of_a_reply_is_an_oserror_that_says_so(
    buckets: Buckets, action: str, status: int
) -> None:
    buckets.put("gs://b/file", b"whole")
    buckets.plan = when(action, "", Trouble(status, is_page=True))
    with pytest.raises(OSError, match=r"a page of HTML .* a proxy or a login page") as raised:
        DEEDS[action]()
    assert "gs://b/f" in str(raised.value)
    assert "Blocked" not in str(raised.value)
    assert buckets.below("gs://b/") == {"file": b"whole"}


def test_what_answers_within_an_object_is_never_taken_for_its_rest(buckets: Buckets) -> None:
    buckets.put("gs://b/file", LARGE)
    with storage.read("gs://b/file") as stream:
        assert stream.read(10) == LARGE[:10]
        buckets.plan = when("read", "file", Trouble(200, is_page=True))
        with pytest.raises(OSError, match="gs://b/file"):
            stream.read()


def test_a_refused_login_is_reported(buckets: Buckets) -> None:
    buckets.plan = when("list", "", Trouble(401))
    with pytest.raises(OSError, match=r"^cannot list gs://b/f\*: no credentials "):
        storage.find("gs://b/f*")


FILES = [
    ".hidden.jsonl",
    ".run/a.jsonl",
    "a[1].jsonl",
    "b.jsonl",
    "c.txt",
    "days/1.jsonl",
    "days/.run/2.jsonl",
    "days/more/3.jsonl",
    "days.jsonl/4.jsonl",
]
PATTERNS = [
    *("*.jsonl", "[bc].jsonl", "[!b].*", "a[1].jsonl", "a[[]1].jsonl", "?.jsonl", ".*.jsonl"),
    *("b.jsonl", "*/*.jsonl", "**/*.jsonl", "**", "days", "days/**", "days/**/*.jsonl"),
    *("**/3.jsonl", "da*/more/*", ".run/*", "nowhere/*"),
]


def test_a_glob_finds_in_a_bucket_what_it_finds_on_disk(tmp_path: Path) -> None:
    for name in FILES:
        write(str(tmp_path / name), b"")
        write(f"gs://b/in/{name}", b"")
    # Consoles make such objects for folders.
    write("gs://b/in/days/", b"")
    write("gs://b/into.jsonl", b"")
    for pattern in PATTERNS:
        on_disk = storage.find(f"{tmp_path}/{pattern}")
        expected = [f"gs://b/in/{Path(path).relative_to(tmp_path)}" for path in on_disk]
        assert storage.find(f"gs://b/in/{pattern}") == expected, pattern


@pytest.mark.parametrize("pattern", ["gs://", "gs://b", "gs://b*/a.jsonl", "gs://*"])
def test_a_glob_over_buckets_is_refused(buckets: Buckets, pattern: str) -> None:
    with pytest.raises(OSError, match="such as gs://BUCKET"):
        storage.find(pattern)
    assert buckets.requests == []


@pytest.mark.parametrize("name", ["a*", "a?", "a[1]", "a b", "ä/%41#?"])
def test_names_with_wildcards_are_literal(buckets: Buckets, name: str) -> None:
    for folder in (name, "a1", "ab", "A"):
        write(f"gs://b/{folder}/in/file", b"12345")
    assert storage.find_below(f"gs://b/{name}") == [f"gs://b/{name}/in/file"]
    assert storage.size(f"gs://b/{name}/in/file") == 5
    assert f"gs://b/{name}/in/file" in storage.find(f"gs://b/{name}/in/file")
    storage.remove_folder(f"gs://b/{name}")
    assert len(buckets.below("gs://b/")) == 3


def test_deleting_a_missing_file_succeeds(buckets: Buckets) -> None:
    storage.remove(["gs://b/never"])
    storage.remove_folder("gs://b/nowhere")
    assert buckets.below("gs://b/") == {}


@pytest.mark.parametrize("where", ["in the bucket", "on disk"])
def test_publishing_twice_is_harmless_and_replaces_what_was_there(
    buckets: Buckets, tmp_path: Path, where: str
) -> None:
    temporary = "gs://b/.run/temporary" if where == "in the bucket" else str(tmp_path / "temporary")
    write("gs://b/final", b"old")
    write(temporary, UPLOAD)
    for _ in range(2):
        storage.publish(temporary, "gs://b/final")
    assert buckets.below("gs://b/") == {"final": UPLOAD}
    assert list(tmp_path.iterdir()) == []


def test_publishing_what_is_not_there_fails(buckets: Buckets) -> None:
    with pytest.raises(OSError, match="cannot write gs://b/final: 404"):
        storage.publish("gs://b/temporary", "gs://b/final")
    assert buckets.below("gs://b/") == {}


def test_a_small_object_is_written_directly(buckets: Buckets) -> None:
    storage.write_whole("gs://b/final", b"whole", "gs://b/.run/temporary")
    assert [action for action, _ in buckets.requests if action != "describe"] == ["begin", "upload"]
    assert buckets.below("gs://b/") == {"final": b"whole"}


@pytest.mark.parametrize("plan", ["not yet there", "lost reply"])
def test_publishing_under_a_free_name_never_replaces_another_object(
    buckets: Buckets, tmp_path: Path, plan: str
) -> None:
    if plan == "lost reply":
        # The object was stored, and the client tries again.
        buckets.plan = when("upload", "final", Trouble(503, is_done=True), times=1)
    for _ in range(2):
        (tmp_path / "temporary").write_bytes(UPLOAD)
        storage.publish_new(str(tmp_path / "temporary"), "gs://b/final")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "temporary").write_bytes(b"another")
    with pytest.raises(storage.TargetExists, match="gs://b/final exists"):
        storage.publish_new(str(tmp_path / "temporary"), "gs://b/final")
    assert buckets.below("gs://b/") == {"final": UPLOAD}


@pytest.fixture
def login(buckets: Buckets, monkeypatch: pytest.MonkeyPatch) -> Credentials:
    """Have the application's credentials, which nobody can refresh, and buckets that want some."""
    credentials = Credentials("a-token")
    monkeypatch.delenv("STORAGE_EMULATOR_HOST")
    monkeypatch.setenv("API_ENDPOINT_OVERRIDE", buckets.address)
    monkeypatch.setattr(auth._Credentials, "_credentials_init", False)
    monkeypatch.setattr(google.auth, "default", lambda **_: (credentials, "project"))
    return credentials


@pytest.mark.usefixtures("login")
def test_calls_carry_the_application_default_credentials(buckets: Buckets) -> None:
    shown = set()

    def look(request: Request) -> None:
        shown.add(request.headers.get("authorization"))

    buckets.plan = look
    storage.find("gs://b/*")
    storage.write_whole("gs://b/file", b"whole", "")
    assert shown == {"Bearer a-token"}


@pytest.mark.usefixtures("login")
def test_expired_credentials_are_reported(buckets: Buckets) -> None:
    buckets.plan = when("list", "", Trouble(401))
    with pytest.raises(OSError, match=r"no credentials that Cloud Storage accepts \(RefreshError"):
        storage.find("gs://b/*")


def find_none() -> None:
    raise DefaultCredentialsError


@pytest.mark.usefixtures("login")
def test_a_key_file_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(google.auth, "default", find_none)
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", "nokey.json")
    with pytest.raises(OSError, match=r"GOOGLE_APPLICATION_CREDENTIALS names nokey\.json"):
        storage.find("gs://b/*")


@pytest.mark.usefixtures("login")
def test_without_credentials_buckets_are_read_anonymously(
    buckets: Buckets, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(google.auth, "default", find_none)
    buckets.put("gs://b/public", b"")
    assert storage.find("gs://b/*") == ["gs://b/public"]
    assert "no Google credentials were found" in caplog.text


def test_a_server_that_cannot_be_reached_is_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", f"http://127.0.0.1:{port}")
    client.cache_clear()
    started_s = time.monotonic()
    with pytest.raises(OSError, match=r"cannot list gs://b/f\*: cannot connect to Cloud Storage"):
        storage.find("gs://b/f*")
    assert time.monotonic() - started_s < 15
