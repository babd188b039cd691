"""`groundwatch replay` of failures that were published to a topic."""

from pathlib import Path

import pytest

from groundwatch.launch.cli.main import main
from groundwatch.launch.watch.topic import Topic
from groundwatch.pipeline.sinks.topic_messages import build_message, encode_failure
from groundwatch.schemas.failure import Failure
from groundwatch.schemas.message import Message
from groundwatch.transforms.grounding.settings import GoogleAccount
from tests.support.archives import an_envelope
from tests.support.builders import NOON_US
from tests.support.fake_pubsub.server import FakePubSub
from tests.support.limits import limited
from tests.support.outputs import failures_in, records_in, summary_in
from tests.support.waiting import wait_until

TOPIC, SUBSCRIPTION = "projects/p/topics/failures", "projects/p/subscriptions/failures"


def a_failure(payload: bytes) -> Failure:
    return Failure(
        step="CheckGrounding",
        error_class="Unavailable",
        error="503",
        retryable=True,
        attempts=9,
        first_failed_at_us=NOON_US,
        last_failed_at_us=NOON_US + 1,
        message=Message(payload=payload, place="message-7", attributes={"engine": "shop"}),
    )


def replay(server: FakePubSub, output: Path, *more: str) -> int:
    flags = ["--failures", SUBSCRIPTION, "--pubsub_address", server.address]
    with limited(idle_s=0.5):
        return main(["replay", *flags, "--output", str(output), *more])


@pytest.fixture
def server(own_server: FakePubSub) -> FakePubSub:
    own_server.create(TOPIC, SUBSCRIPTION)
    return own_server


def publish(server: FakePubSub, *payloads: bytes) -> None:
    topic = Topic(TOPIC, address=server.address)
    topic.send(encode_failure(a_failure(payload)) for payload in payloads)
    topic.close()


def test_failures_of_a_topic_are_checked_and_acknowledged(
    tmp_path: Path, server: FakePubSub
) -> None:
    publish(server, an_envelope(1), an_envelope(2), b"no answer")
    assert replay(server, tmp_path / "out") == 0
    assert len(records_in(tmp_path / "out")) == 2
    [failure] = failures_in(tmp_path / "out")
    assert failure["attempts"] == 10
    assert failure["first_failed_at"] == "2026-03-03T12:00:00.000000Z"
    assert (failure["source"], failure["attributes"]) == ("message-7", {"engine": "shop"})
    assert summary_in(tmp_path / "out")["closes"] is True
    wait_until(lambda: server.counts(SUBSCRIPTION).outstanding == 0)
    assert list((tmp_path / "out").glob(".groundwatch-*")) == []


def test_an_empty_subscription_is_reported(
    tmp_path: Path, server: FakePubSub, capsys: pytest.CaptureFixture[str]
) -> None:
    assert replay(server, tmp_path / "out") == 0
    assert "holds no failure" in capsys.readouterr().out


def test_messages_that_are_not_failures_stay_in_the_subscription(
    tmp_path: Path, server: FakePubSub, capsys: pytest.CaptureFixture[str]
) -> None:
    topic = Topic(TOPIC, address=server.address)
    topic.send([build_message(an_envelope(1), {})])
    topic.close()
    assert replay(server, tmp_path / "out") == 0
    assert "holds no failure" in capsys.readouterr().out
    assert server.counts(SUBSCRIPTION).outstanding == 1


def test_a_failure_that_does_not_say_when_it_last_failed_is_replayed_all_the_same(
    tmp_path: Path, server: FakePubSub
) -> None:
    announced = encode_failure(a_failure(an_envelope(1)))
    rest = {name: value for name, value in announced.attributes.items() if "last_at" not in name}
    topic = Topic(TOPIC, address=server.address)
    topic.send([build_message(announced.data, rest)])
    topic.close()
    assert replay(server, tmp_path / "out") == 0
    assert len(records_in(tmp_path / "out")) == 1


def break_off(server: FakePubSub, output: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have a replay fail once it has spooled; returns the file that it leaves."""
    with monkeypatch.context() as patched:
        patched.setattr("groundwatch.launch.backfill.start_job._replay_files", lambda *_: 1)
        assert replay(server, output) == 1
    [spooled] = Path(output).rglob("failures-*.jsonl")
    return spooled.absolute()


def test_an_interrupted_replay_is_resumed_from_any_folder(
    tmp_path: Path, server: FakePubSub, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(server, an_envelope(1))
    monkeypatch.chdir(tmp_path)
    break_off(server, Path("out"), monkeypatch)
    monkeypatch.chdir(tmp_path / "out")
    assert replay(server, tmp_path / "out") == 0
    assert len(records_in(tmp_path / "out")) == 1


def test_a_line_in_which_a_replay_was_killed_is_left_out(
    tmp_path: Path, server: FakePubSub, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(server, an_envelope(1))
    spooled = break_off(server, tmp_path / "out", monkeypatch)
    with spooled.open("ab") as stream:
        stream.write(b'{"record_id":')
    assert replay(server, tmp_path / "out") == 0
    assert len(records_in(tmp_path / "out")) == 1


def test_a_replay_that_was_killed_in_its_first_line_starts_over(
    tmp_path: Path, server: FakePubSub, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(server, an_envelope(1))
    break_off(server, tmp_path / "out", monkeypatch).write_bytes(b'{"record_id":')
    publish(server, an_envelope(2))
    assert replay(server, tmp_path / "out") == 0
    assert len(records_in(tmp_path / "out")) == 1


def test_failures_that_a_limit_leaves_are_there_for_the_next_replay(
    tmp_path: Path, server: FakePubSub
) -> None:
    publish(server, *(an_envelope(hour, answer=f"Lamps glow at {hour}.") for hour in range(5)))
    assert replay(server, tmp_path / "out", "--max_calls", "2") == 3
    assert replay(server, tmp_path / "out") == 0
    assert len(records_in(tmp_path / "out")) == 5


def test_a_mistyped_flag_is_refused_before_a_failure_is_taken(
    tmp_path: Path, server: FakePubSub
) -> None:
    publish(server, an_envelope(1))
    assert replay(server, tmp_path / "out", "--claim_treshold", "0.2") == 2
    assert server.counts(SUBSCRIPTION).delivered == 0


def test_the_flags_of_the_account_apply_to_the_subscription_too(
    tmp_path: Path, server: FakePubSub, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[GoogleAccount] = []
    monkeypatch.setattr(
        "groundwatch.launch.engine.pubsub.failure_spool.spool_failures",
        lambda *_, account, **__: asked.append(account),
    )
    account = "replays@p.iam.gserviceaccount.com"
    assert replay(server, tmp_path / "out", "--impersonate_service_account", account) == 0
    assert asked == [GoogleAccount(impersonate=account)]
