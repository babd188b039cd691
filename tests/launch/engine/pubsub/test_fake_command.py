"""The Pub/Sub server as a program of its own."""

import signal

import pytest

from tests.support.commands import run, start
from tests.support.fake_pubsub.server import FakePubSub
from tests.support.pubsub_topics import OneTopic, payloads


def test_the_server_runs_until_it_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    with start("-m", "tests.support.fake_pubsub") as process:
        assert process.stdout
        name, address = process.stdout.readline().strip().split("=")
        assert name == "PUBSUB_EMULATOR_HOST"
        with OneTopic(address, monkeypatch) as one:
            one.topic = "projects/local/topics/answers"
            one.publish(b"lamps")
            there = one.pull(subscription="projects/local/subscriptions/answers")
            assert payloads(there) == [b"lamps"]
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0


@pytest.mark.parametrize("fault", ["a port that is taken", "a name that is none"])
def test_an_address_that_cannot_be_used_is_reported_in_a_sentence(
    fault: str, own_server: FakePubSub
) -> None:
    port = own_server.address.partition(":")[2]
    flags = ["--port", port] if fault == "a port that is taken" else ["--topic", "answers"]
    exit_status, output, complained = run("-m", "tests.support.fake_pubsub", *flags)
    assert (exit_status, output) == (2, "")
    complaint = "Failed to bind to address" if flags[0] == "--port" else "Invalid [topics] name"
    assert complaint in complained
    assert "Traceback" not in complained


def test_large_messages_come_in_responses_that_the_client_takes(answers: OneTopic) -> None:
    sent = [bytes([number]) * 1_000_000 for number in range(10)]
    answers.publish(*sent)
    assert payloads(answers.pull_all(10)) == sent
