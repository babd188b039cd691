"""A set that may be larger than memory, compared with Python's own."""

from contextlib import closing
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.launch.backfill.estimate.planned_answers import DistinctKeys


@given(st.lists(st.binary(max_size=2)))
def test_a_key_is_new_once(added: list[bytes]) -> None:
    seen: set[bytes] = set()
    with closing(DistinctKeys()) as keys:
        for key in added:
            assert keys.add(key) is (key not in seen)
            seen.add(key)


def test_keys_that_do_not_fit_into_memory_are_distinguished() -> None:
    with closing(DistinctKeys()) as keys:
        keys._database.execute("PRAGMA cache_size = 4")
        digests = [sha256(str(number).encode()).digest() for number in range(20_000)]
        assert all(map(keys.add, digests))
        assert not any(map(keys.add, digests))


def test_a_full_disk_raises() -> None:
    digests = [sha256(str(number).encode()).digest() for number in range(10_000)]
    with closing(DistinctKeys()) as keys:
        keys._database.execute("PRAGMA max_page_count = 8")
        with pytest.raises(OSError, match="full"):
            list(map(keys.add, digests))
