"""A checker that dies, refuses and recovers: one alert opens the incident, and one closes it."""

import pytest

from groundwatch import EscalationRule
from groundwatch.launch.engine.pubsub.outstanding import SubscriptionStats
from groundwatch.launch.watch.health.metrics import Metrics
from groundwatch.pipeline.settings.config import Config
from groundwatch.transforms.grounding import refusals
from groundwatch.transforms.grounding.errors import Misconfigured
from groundwatch.transforms.grounding.settings import CheckSettings, OutagePolicy, Screening
from groundwatch.transforms.runtime import http_reply
from tests.support.archives import an_envelope
from tests.support.fault_server import Changing, FaultServer, always, by_answer
from tests.support.outputs import Json, alerts_in, failures_in
from tests.support.watched import ALERTS, Watched, total, work
from tests.support.wire_faults import Fault, body, good, status

REASON = "checker_does_not_answer"
SOON = {"checker_alert_s": 0.1}


def checked_by(watched: Watched, address: str) -> Config:
    return watched.config(checker=address, endpoint=address)


def incidents(alerts: list[Json]) -> list[tuple[str, str, int]]:
    """The state, the cause and the number of waiting messages of each alert about a checker."""
    found = [each["checker"] for each in alerts if each["kind"] == "checker"]
    return [(each["state"], each["cause"], each["waiting"]) for each in found]


@pytest.mark.parametrize(
    ("reply", "cause"),
    [(status(503, "Service Unavailable"), "away"), (status(429, "Too Many Requests"), "quota")],
)
def test_an_outage_is_opened_once_and_closed_once_over_a_restart(
    watched: Watched, reply: Fault, cause: str
) -> None:
    checker = Changing(reply)
    watched.publish(*map(an_envelope, range(3)))
    with FaultServer(always(checker)) as server:
        config = checked_by(watched, server.address)
        for _ in range(2):
            with watched.worker(config, **SOON) as worker:
                work(worker, lambda: worker.monitor.open_incident_counts["checker"])
                worker.finish()
        assert incidents(alerts_in(watched.output)) == [("open", cause, 3)]
        checker.reply = good
        with watched.worker(config, **SOON) as worker:
            work(worker, lambda: not watched.outstanding)
            work(worker, lambda: not worker.monitor.open_incident_counts["checker"])
            worker.finish()
    opened, closed = incidents(alerts_in(watched.output))
    assert (opened, closed) == (("open", cause, 3), ("closed", cause, closed[2]))
    assert len(watched.record_ids()) == 3


def test_the_health_has_the_last_reason_and_none_without_messages(
    watched: Watched, caplog: pytest.LogCaptureFixture
) -> None:
    checker = Changing(status(503, "Service Unavailable"))
    watched.publish(*map(an_envelope, range(3)))
    with FaultServer(always(checker)) as server:
        config = checked_by(watched, server.address)
        with watched.worker(config, **SOON) as worker:
            work(worker, lambda: "HTTP 503" in worker.health.reasons().get(REASON, ""))
            checker.reply = body(b"{}")
            work(worker, lambda: "not valid" in worker.health.reasons().get(REASON, ""))
            work(worker, lambda: "the reply is not valid" in caplog.text)
            checker.reply = good
            work(worker, lambda: not watched.outstanding)
            checker.reply = body(b"{}")
            watched.publish(an_envelope(9, answer="Kettles boil."))
            work(worker, lambda: REASON in worker.health.reasons())
            # What waits is taken away.
            worker.health._stats = SubscriptionStats
            work(worker, lambda: REASON not in worker.health.reasons())


def test_a_server_that_is_gone_is_away(watched: Watched) -> None:
    with FaultServer() as server:
        config = checked_by(watched, server.address)
    watched.publish(an_envelope(1))
    with watched.worker(config, alert_topic=ALERTS, **SOON) as worker:
        work(worker, lambda: worker.monitor.open_incident_counts["checker"])
        worker.finish()
    [alert] = watched.published(ALERTS)
    assert alert["checker"]["cause"] == "away"
    assert alert["checker"]["checker"] == config.check.checker
    assert alert["severity"] == "critical"


@pytest.mark.parametrize("number", [401, 403])
def test_a_worker_that_the_checker_refuses_raises_its_alert_before_it_ends(
    watched: Watched, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    monkeypatch.setattr(refusals, "_NO_SUCCESS_FOR_S", 0.2)
    checker = Changing(status(number, "No"))
    watched.publish(*(an_envelope(n, answer=f"Lamp {n} glows.") for n in range(25)))
    with FaultServer(always(checker)) as server:
        config = checked_by(watched, server.address)
        for _ in range(2):
            with watched.worker(config) as worker:
                with pytest.raises(Misconfigured):
                    work(worker, lambda: False)
                worker.finish()
        assert watched.outstanding == 25
        assert total(watched.ledger())["read"] == 0
        assert incidents(alerts_in(watched.output)) == [("open", "credentials", 25)]
        checker.reply = good
        watched.drain(config)
    assert len(watched.record_ids()) == 25
    [_, (state, cause, _)] = incidents(alerts_in(watched.output))
    assert (state, cause) == ("closed", "credentials")


@pytest.mark.parametrize("number", [401, 404])
def test_a_checker_that_begins_to_refuse_every_call_is_waited_for(
    watched: Watched, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    monkeypatch.setattr(refusals, "_ASK_AGAIN_S", 0.05)
    monkeypatch.setattr(refusals, "_NO_SUCCESS_FOR_S", 0.1)
    checker = Changing(good)
    watched.publish(an_envelope(1))
    with FaultServer(always(checker)) as server:
        config = checked_by(watched, server.address)
        with watched.worker(config, **SOON) as worker:
            work(worker, lambda: not watched.outstanding)
            checker.reply = status(number, "No")
            watched.publish(*(an_envelope(n, answer=f"Kettle {n} boils.") for n in range(2, 32)))
            work(worker, lambda: worker.monitor.open_incident_counts["checker"])
            assert (watched.outstanding, worker.waiting) == (30, 30)
            checker.reply = good
            work(worker, lambda: not watched.outstanding)
            work(worker, lambda: not worker.monitor.open_incident_counts["checker"])
            worker.finish()
    assert failures_in(watched.output) == []
    assert len(watched.record_ids()) == 31
    cause = "credentials" if number == 401 else "away"
    found = [(state, why) for state, why, _ in incidents(alerts_in(watched.output))]
    assert found == [("open", cause), ("closed", cause)]


@pytest.mark.parametrize("number", [401, 403, 404])
@pytest.mark.parametrize("messages", [1, 25])
def test_a_worker_waits_for_a_checker_that_answered_the_one_before_it_and_refuses_all(
    watched: Watched,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    number: int,
    messages: int,
) -> None:
    for name, seconds in (
        ("_ASK_AGAIN", 0.05),
        ("_NO_SUCCESS_FOR", 0.1),
        ("_FIRST_SUCCESS_WITHIN", 0.2),
    ):
        monkeypatch.setattr(refusals, f"{name}_S", seconds)
    checker = Changing(good)
    watched.publish(an_envelope(100))
    with FaultServer(always(checker)) as server:
        config = checked_by(watched, server.address)
        watched.drain(config)
        checker.reply = status(number, "No")
        watched.publish(*(an_envelope(n, answer=f"Kettle {n} boils.") for n in range(messages)))
        # The second has seen no call succeed, and the third, neither.
        for _ in range(2):
            with watched.worker(config, **SOON) as worker:
                work(worker, lambda: worker.monitor.open_incident_counts["checker"])
                work(worker, lambda: REASON in worker.health.reasons())
                assert f"waiting for the checker {server.address}" in caplog.text
                caplog.clear()
                worker.finish()
        assert watched.outstanding == messages
        checker.reply = good
        with watched.worker(config, **SOON) as worker:
            work(worker, lambda: not watched.outstanding)
            work(worker, lambda: REASON not in worker.health.reasons())
            worker.finish()
    assert failures_in(watched.output) == []
    assert len(watched.record_ids()) == messages + 1


@pytest.mark.parametrize("number", [401, 403, 404])
def test_a_worker_fails_what_alone_is_refused_also_if_it_has_nothing_else(
    watched: Watched, number: int
) -> None:
    refused = {f"Kettle {n} boils.": status(number, "No") for n in range(3)}
    watched.publish(*(an_envelope(n, answer=answer) for n, answer in enumerate(refused)))
    with FaultServer(by_answer(refused)) as server:
        watched.drain(checked_by(watched, server.address))
    failures = [(each["error_class"], each["retryable"]) for each in failures_in(watched.output)]
    assert failures == [("AnswerRefused", True)] * 3


@pytest.mark.parametrize("asked", ["3600", "Tue, 03 Mar 2099 12:00:00 GMT"])
def test_what_the_checker_asks_to_wait_is_seen_while_others_are_checked_and_tried_again(
    watched: Watched, monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    monkeypatch.setattr(http_reply, "MAX_WAIT_S", 12.0)
    checker = Changing(status(429, "BUSY", f"Retry-After: {asked}"))
    watched.publish(*(an_envelope(n, answer=f"Kettle {n} boils.") for n in range(3)))
    with FaultServer(always(checker)) as server:
        with watched.worker(checked_by(watched, server.address), **SOON) as worker:
            work(worker, lambda: server.requests == 3)
            checker.reply = good
            watched.publish(*(an_envelope(n, answer=f"Kettle {n} boils.") for n in (3, 4)))
            work(worker, lambda: watched.outstanding == worker.waiting == 3)
            work(worker, lambda: worker.monitor.open_incident_counts["checker"])
            assert f"{server.address}: quota, for" in worker.health.reasons()[REASON]
            metrics = Metrics(worker, worker.journal)
            assert "groundwatch_deferred_messages 3.0" in metrics.page("").body.decode()
            work(worker, lambda: not watched.outstanding)
            work(worker, lambda: REASON not in worker.health.reasons())
            work(worker, lambda: not worker.monitor.open_incident_counts["checker"])
            worker.finish()
        assert server.requests == 3 + 5
    assert len(watched.record_ids()) == 5
    assert failures_in(watched.output) == []
    found = [(state, cause) for state, cause, _ in incidents(alerts_in(watched.output))]
    assert found == [("open", "quota"), ("closed", "quota")]


def test_answers_that_are_refused_only_for_a_moment_are_checked(watched: Watched) -> None:
    checker = Changing(status(403, "No"))
    watched.publish(*(an_envelope(n, answer=f"Kettle {n} boils.") for n in range(25)))
    with (
        FaultServer(always(checker)) as server,
        watched.worker(checked_by(watched, server.address)) as worker,
    ):
        work(worker, lambda: server.requests >= 25)
        checker.reply = good
        work(worker, lambda: not watched.outstanding)
        worker.finish()
    assert failures_in(watched.output) == []
    assert len(watched.record_ids()) == 25


def test_the_second_of_two_checkers_is_named_and_what_the_first_decides_goes_on(
    watched: Watched,
) -> None:
    watched.publish(an_envelope(1, query=None), an_envelope(2, answer="Kettles vote."))
    screen = Screening(
        first=CheckSettings(outage=OutagePolicy.HOLD), rule=EscalationRule(share=0.0)
    )
    with FaultServer(always(status(503, "Service Unavailable"))) as server:
        config = watched.config(checker=server.address, endpoint=server.address, screen=screen)
        with watched.worker(config, **SOON) as worker:
            work(worker, lambda: worker.monitor.open_incident_counts["checker"])
            work(worker, lambda: watched.outstanding == 1)
            worker.finish()
    [alert] = [each["checker"] for each in alerts_in(watched.output) if each["kind"] == "checker"]
    assert alert["checker"] == server.address
    assert len(watched.record_ids()) == 1
