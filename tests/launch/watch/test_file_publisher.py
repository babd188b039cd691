"""When files become public: beside the batches, by age and size, and again after a fault."""

import threading
from collections.abc import Callable

import pytest

from groundwatch.launch.watch.file_publisher import FilePublisher
from tests.support.clocks import ManualClock
from tests.support.waiting import wait_until

AGE_S = 300.0


class Output:
    """Count publications; hang or fail as the test demands."""

    def __init__(self) -> None:
        self.times = 0
        self.is_full = False
        self.everything: list[bool] = []
        self.error: Exception | None = None
        self.may_go_on = threading.Event()
        self.may_go_on.set()

    def publish(self, _: Callable[[], None], *, everything: bool) -> int:
        self.everything.append(everything)
        assert self.may_go_on.wait(10)
        self.times += 1
        if self.error:
            raise self.error
        return 1


@pytest.fixture
def output() -> Output:
    return Output()


@pytest.fixture
def publishing(output: Output, clock: ManualClock) -> FilePublisher:
    return FilePublisher(output.publish, lambda: output.is_full, AGE_S, clock)


def looked(publishing: FilePublisher) -> None:
    """Look, and once more when what that began is done."""
    publishing.publish_due()
    if publishing._running:
        wait_until(publishing._running.done)
        publishing.publish_due()


def test_all_is_published_at_the_first_look_and_then_by_age(
    publishing: FilePublisher, output: Output, clock: ManualClock
) -> None:
    times = []
    for seconds in (0.0, AGE_S - 1, 1.0, AGE_S - 1, 1.0):
        clock.advance(seconds)
        looked(publishing)
        times.append(output.times)
    assert times == [1, 1, 2, 2, 3]
    assert output.everything == [True] * 3


def test_what_fills_a_file_is_published_at_once_without_the_rest(
    publishing: FilePublisher, output: Output
) -> None:
    looked(publishing)
    looked(publishing)
    assert output.everything == [True]
    output.is_full = True
    looked(publishing)
    assert output.everything == [True, False]


def test_while_one_publication_hangs_nobody_waits_and_no_other_begins(
    publishing: FilePublisher, output: Output
) -> None:
    output.may_go_on.clear()
    publishing.publish_due()
    output.is_full = True
    for _ in range(3):
        publishing.publish_due()
    assert output.times == 0
    output.may_go_on.set()
    looked(publishing)
    looked(publishing)
    assert output.times == 2


def test_an_error_is_raised_and_the_publication_is_tried_again_after_a_while(
    publishing: FilePublisher, output: Output, clock: ManualClock
) -> None:
    output.error = OSError("no space left on device")
    with pytest.raises(OSError, match="no space left"):
        looked(publishing)
    output.error = None
    # Not even a file's worth is reason to try at once.
    output.is_full = True
    clock.advance(9)
    looked(publishing)
    assert output.times == 1
    clock.advance(1)
    looked(publishing)
    assert output.times == 2


def finish_beside(publishing: FilePublisher) -> threading.Thread:
    thread = threading.Thread(target=publishing.finish, daemon=True)
    thread.start()
    return thread


def test_the_end_waits_for_what_is_running_and_publishes_the_rest(
    publishing: FilePublisher, output: Output
) -> None:
    output.may_go_on.clear()
    publishing.publish_due()
    finishing = finish_beside(publishing)
    assert (output.times, finishing.is_alive()) == (0, True)
    output.may_go_on.set()
    finishing.join(10)
    assert output.times == 2


def failing_once(output: Output) -> Callable[..., int]:
    def publish(placed: Callable[[], None], *, everything: bool) -> int:
        output.error = OSError("away") if output.times == 0 else None
        return output.publish(placed, everything=everything)

    return publish


def test_a_fault_of_what_was_running_does_not_keep_the_end_from_trying_again(
    output: Output, clock: ManualClock
) -> None:
    publishing = FilePublisher(failing_once(output), lambda: False, AGE_S, clock)
    publishing.publish_due()
    publishing.finish()
    assert output.times == 2


def test_a_publication_that_runs_has_ended_when_the_publisher_is_closed(
    publishing: FilePublisher, output: Output
) -> None:
    output.may_go_on.clear()
    publishing.publish_due()
    running = publishing._running
    assert running
    closing = threading.Thread(target=publishing.close, daemon=True)
    closing.start()
    assert not running.done()
    output.may_go_on.set()
    closing.join(60)
    assert running.done()
    assert output.times == 1
