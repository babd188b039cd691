"""Publishing to a server that refuses, goes away and comes back."""

import threading
from collections.abc import Iterator

import pytest

from groundwatch.launch.targets.target import TargetMisconfigured, TargetUnavailable
from groundwatch.launch.watch.topic import Topic
from groundwatch.pipeline.sinks.topic_messages import TopicMessage, build_message
from tests.support.fake_pubsub.server import FakePubSub
from tests.support.page_servers import PAGES, page_server
from tests.support.pubsub_topics import OneTopic, payloads
from tests.support.waiting import wait_until


@pytest.fixture
def topic(answers: OneTopic) -> Iterator[Topic]:
    opened = Topic(answers.topic, total_s=30.0)
    yield opened
    opened.close()


def messages(*texts: str) -> list[TopicMessage]:
    return [build_message(text.encode(), {"kind": "answer"}) for text in texts]


def test_requests_hold_no_more_than_the_service_takes(
    own_server: FakePubSub, answers: OneTopic, topic: Topic
) -> None:
    many = [build_message(b"", {"number": str(number)}) for number in range(2_500)]
    large = [build_message(b"x" * size, {}) for size in (4_999_000, 4_999_000, 9_990_000, 1)]
    topic.send([*many, *large])
    assert own_server.counts(answers.subscription).published == 2_504


def test_messages_of_several_ordering_keys_are_taken(answers: OneTopic, topic: Topic) -> None:
    keys = ["shop", "help", "help", "", "shop"]
    topic.send(build_message(b"x", {}, ordering_key=key) for key in keys)
    assert [message.message.ordering_key for message in answers.at_once()] == keys


def test_messages_are_stored_in_their_order(answers: OneTopic, topic: Topic) -> None:
    topic.send(build_message(str(number).encode(), {}) for number in range(1_500))
    received = [*answers.at_once(), *answers.at_once()]
    assert [int(message.message.data) for message in received] == list(range(1_500))


def test_an_outage_is_waited_out(
    own_server: FakePubSub, answers: OneTopic, topic: Topic, caplog: pytest.LogCaptureFixture
) -> None:
    own_server.go_away()
    publishing = threading.Thread(target=topic.send, args=(messages("canary"),), daemon=True)
    publishing.start()
    wait_until(lambda: caplog.messages)
    own_server.come_back()
    publishing.join(20)
    assert payloads(answers.at_once()) == [b"canary"]
    assert [message.split(" (")[0].split(" after")[0] for message in caplog.messages] == [
        "Pub/Sub does not answer",
        "Pub/Sub answers again",
    ]
    assert "canary" not in caplog.text


def test_an_outage_that_lasts_too_long_raises(own_server: FakePubSub, answers: OneTopic) -> None:
    topic = Topic(answers.topic, total_s=0.3)
    own_server.faults.unavailable = True
    with pytest.raises(
        TargetUnavailable, match=r"within 0.3 s \(ServiceUnavailable\)"
    ) as unpublished:
        topic.send(messages("canary"))
    assert "canary" not in str(unpublished.value)
    topic.close()


@pytest.mark.parametrize("version", PAGES)
def test_a_page_of_html_is_not_taken_for_a_confirmation(version: str) -> None:
    with page_server(version) as address:
        topic = Topic("projects/p/topics/t", address=address, total_s=0.3)
        with pytest.raises(TargetUnavailable, match=r"no answer within 0.3 s") as unpublished:
            topic.send(messages("canary"))
        topic.close()
    assert unpublished.value.stored == 0


def test_a_call_that_hangs_is_given_up_and_tried_again(
    own_server: FakePubSub, answers: OneTopic
) -> None:
    topic = Topic(answers.topic, call_timeout_s=0.2, total_s=30.0)
    own_server.faults.slow_s = 2.0
    publishing = threading.Thread(target=topic.send, args=(messages("lamps"),), daemon=True)
    publishing.start()
    wait_until(lambda: topic._reachability._failures)
    own_server.faults.slow_s = 0.0
    publishing.join(20)
    assert set(payloads(answers.pull())) == {b"lamps"}
    topic.close()


def test_a_topic_that_is_not_there_is_for_a_person_to_mend(own_server: FakePubSub) -> None:
    topic = Topic("projects/lamps/topics/missing", address=own_server.address)
    with pytest.raises(
        TargetMisconfigured,
        match=r"cannot publish to projects/lamps/topics/missing at [\d.:]+: it does",
    ):
        topic.send(messages("lamps"))
    topic.close()


def test_what_the_service_does_not_take_is_refused_without_its_text(topic: Topic) -> None:
    message = TopicMessage(data=b"canary", attributes={"engine": "canary" * 1_000})
    with pytest.raises(TargetMisconfigured, match="InvalidArgument") as refused:
        topic.send([message])
    assert "canary" not in str(refused.value)
