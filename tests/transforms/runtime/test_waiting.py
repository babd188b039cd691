"""A wait that takes long is logged once, with what is waited for; a short one is not."""

import pytest

from groundwatch.transforms.runtime import waiting
from groundwatch.transforms.runtime.waiting import waiting_for
from tests.support.waiting import wait_until


def test_a_long_wait_is_logged_once_and_a_short_one_never(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with waiting_for("a lock"):
        pass
    monkeypatch.setattr(waiting, "AFTER_S", 0.01)
    with waiting_for("a bucket"), waiting_for("a model"):
        wait_until(lambda: len(caplog.messages) == 2)
    assert sorted(caplog.messages) == ["waiting for a bucket", "waiting for a model"]
