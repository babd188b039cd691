"""How long an alert may have been on its way."""

from groundwatch.launch.watch.alerts.monitor import AlertLatency
from groundwatch.schemas.message import Message
from groundwatch.transforms.runtime.counters import ALERT_LATENCY_MS
from tests.support.builders import NOON_US, a_message


def published_at(*times_us: int | None) -> list[Message]:
    return [a_message(publish_time_us=time_us) for time_us in times_us]


def test_every_alert_of_a_batch_is_counted_by_its_oldest_message() -> None:
    latency = AlertLatency()
    latency.add(published_at(NOON_US + 400_000, None, NOON_US), alerts=3)
    latency.add(published_at(NOON_US + 1_000_000), alerts=0)
    assert latency.total() == 3
    bins, before_ms = list(ALERT_LATENCY_MS.bins), ALERT_LATENCY_MS.sum
    latency.record_published(NOON_US + 500_000)
    latency.record_published(NOON_US + 9_000_000)
    assert ALERT_LATENCY_MS.sum - before_ms == 3 * 500
    place = ALERT_LATENCY_MS.bounds.index(500)
    assert ALERT_LATENCY_MS.bins[place] - bins[place] == 3
    assert latency.total() == 0


def test_a_clock_that_goes_after_pubsubs_gives_no_negative_latency() -> None:
    latency = AlertLatency()
    latency.add(published_at(NOON_US), alerts=1)
    before_ms = ALERT_LATENCY_MS.sum
    latency.record_published(NOON_US - 1_000_000)
    assert ALERT_LATENCY_MS.sum == before_ms


def test_messages_that_do_not_say_when_they_were_published_are_not_counted() -> None:
    latency = AlertLatency()
    latency.add(published_at(None), alerts=2)
    assert latency.total() == 0
