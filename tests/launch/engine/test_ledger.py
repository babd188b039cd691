"""The ledger's unit: an hour, what was read in it, and where that ended."""

import pytest

from groundwatch.launch.engine.journal import hour_of_batch
from groundwatch.pipeline.sinks.folder_writer import Chunk
from groundwatch.pipeline.sinks.outcomes import Outcome
from groundwatch.schemas.quantities import HOUR_US
from groundwatch.schemas.summary import RunCounts
from tests.support.builders import NOON_US, a_failure
from tests.support.journals import HOUR_OF_NOON_US, an_account

A_CHUNK = Chunk(
    kind="enriched",
    folder="enriched",
    policy="full",
    rows=3,
    content=b"",
    first_event_us=None,
    last_event_us=None,
)


@pytest.mark.parametrize(
    ("fields", "gap"),
    [
        ({}, 0),
        ({"read": 3}, 1),
        ({"read": 5, "failures": 1, "duplicates": 1, "sampled_out": 1}, 0),
        ({"duplicates": 1}, -1),
    ],
    ids=["closes", "one ended nowhere", "all ends", "one ended twice"],
)
def test_the_gap_is_what_was_read_and_did_not_end(fields: dict[str, int], gap: int) -> None:
    assert an_account(**fields).gap == gap


def test_a_batch_belongs_to_the_hour_in_which_it_ends() -> None:
    counts = RunCounts(read=7, duplicates=2, sampled_out=1, deferred=4)
    batch = Outcome(chunks=(A_CHUNK,), failures=(a_failure(),))
    account = hour_of_batch(9, batch, counts, NOON_US + HOUR_US - 1)
    assert account == an_account(
        first_batch=9, read=7, enriched=3, failures=1, duplicates=2, sampled_out=1
    )
    later = hour_of_batch(9, batch, counts, NOON_US + HOUR_US)
    assert later.hour_us == HOUR_OF_NOON_US + HOUR_US


def test_two_parts_of_an_hour_are_added_up() -> None:
    first = an_account(first_batch=4, read=5, enriched=2, failures=3)
    second = an_account(first_batch=2, read=2, enriched=0, duplicates=1, sampled_out=1)
    both = an_account(first_batch=2, read=7, enriched=2, failures=3, duplicates=1, sampled_out=1)
    assert first + second == second + first == both
