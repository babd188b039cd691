"""A wait that takes long is logged once, with what is waited for; a short one is not."""

import threading

import pytest

from groundwatch.transforms.runtime import waiting
from groundwatch.transforms.runtime.waiting import waiting_for
from tests.support.waiting import wait_until


def test_a_long_wait_is_logged_once_and_a_short_one_never(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(waiting, "_POLL_S", 0.01)
    monkeypatch.setattr(waiting, "AFTER_S", 1e9)
    with waiting_for("a bucket"), waiting_for("a model"):
        assert not caplog.messages
        monkeypatch.setattr(waiting, "AFTER_S", 0.0)
        wait_until(lambda: len(caplog.messages) == 2)
    assert sorted(caplog.messages) == ["waiting for a bucket", "waiting for a model"]
    wait_until(lambda: not any(each.name == "waiting" for each in threading.enumerate()))
    with waiting_for("a lock"):
        wait_until(lambda: len(caplog.messages) == 3)
