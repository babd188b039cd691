import time

from tests.support.builders import a_message
from transforms.failing import failed_now


def test_a_failure_names_the_fault_and_its_time_and_holds_the_message() -> None:
    before_us = time.time_ns() // 1000
    message = a_message(attributes={"id": "7"})
    failure = failed_now(
        message, "CheckGrounding", KeyError("x"), retryable=True, attempts=3, record_id="5f"
    )
    assert (failure.step, failure.error_class, failure.error) == (
        "CheckGrounding",
        "KeyError",
        "'x'",
    )
    assert (failure.retryable, failure.attempts, failure.record_id) == (True, 3, "5f")
    assert failure.message is message
    assert before_us <= failure.first_failed_at_us == failure.last_failed_at_us
    assert failure.last_failed_at_us <= time.time_ns() // 1000
