"""What pulls from a subscription on a clock that stands still."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from groundwatch.launch.engine.pubsub.outstanding import PullSettings
from groundwatch.launch.engine.pubsub.subscription import PubSubSubscription
from tests.support.clocks import ManualClock
from tests.support.fake_pubsub.server import FakePubSub
from tests.support.pubsub_topics import OneTopic


@pytest.fixture
def subscribe(
    own_server: FakePubSub, answers: OneTopic, clock: ManualClock
) -> Iterator[Callable[..., PubSubSubscription]]:
    """Open a PubSubSubscription on the server's own clock; its settings are keyword arguments."""
    with ExitStack() as opened:

        def open_one(**settings: Any) -> PubSubSubscription:
            subscription = PubSubSubscription(
                answers.subscription,
                PullSettings(**{"lease_check_every_s": 0.01, **settings}),
                address=own_server.address,
                clock=clock,
                wall_clock=clock,
            )
            opened.callback(subscription.close, 2.0)
            return subscription

        yield open_one
