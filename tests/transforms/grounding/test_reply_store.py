"""Replies on disk: whose counts they stand in, and what all calls may take."""

from pathlib import Path
from threading import Thread

import pytest

from transforms.grounding.reply_store import ReplyStore

KEYS = [b"first", b"second", b"third"]


@pytest.fixture
def store(tmp_path: Path) -> ReplyStore:
    return ReplyStore(str(tmp_path / "paid" / "replies.sqlite"))


def test_a_reply_stands_in_the_counts_of_who_paid_for_it(store: ReplyStore) -> None:
    store.begin(7, again=False)
    store.put(KEYS[0], b"reply")
    assert store.get(KEYS[0]) == (b"reply", False)
    assert store.get(KEYS[1]) is None


def test_what_an_unfinished_part_paid_for_stands_in_the_counts_of_the_first_who_asks(
    store: ReplyStore,
) -> None:
    for owner, key in enumerate(KEYS):
        store.begin(owner, again=False)
        store.put(key, b"reply")
    store.begin(1, again=True)
    assert [store.get(key) for key in KEYS] == [
        (b"reply", False),
        (b"reply", True),
        (b"reply", False),
    ]
    assert store.get(KEYS[1]) == (b"reply", False)


@pytest.mark.parametrize(
    ("max_calls", "max_characters", "allowed"),
    [
        (None, None, 10),
        (4, None, 4),
        (None, 35, 3),
        (None, 40, 4),
        (2, 1000, 2),
        (1, 9, 0),
    ],
)
def test_calls_are_taken_up_to_the_limit_and_not_beyond(
    store: ReplyStore, max_calls: int | None, max_characters: int | None, allowed: int
) -> None:
    taken = [store.take(10, max_calls, max_characters) for _ in range(10)]
    assert taken == [True] * allowed + [False] * (10 - allowed)


def test_a_call_that_brought_nothing_is_given_back(store: ReplyStore) -> None:
    assert store.take(10, 1, None)
    store.give_back(10)
    assert store.take(10, 1, 10)
    assert not store.take(10, 1, None)


def test_what_was_taken_stays_taken_after_the_process(tmp_path: Path) -> None:
    for expected in (True, False):
        store = ReplyStore(str(tmp_path / "replies.sqlite"))
        assert store.take(10, 1, None) is expected
        store.close()


def test_several_who_take_at_once_keep_the_limit_together(tmp_path: Path) -> None:
    taken: list[bool] = []

    def take() -> None:
        store = ReplyStore(str(tmp_path / "replies.sqlite"))
        taken.extend(store.take(1, 100, None) for _ in range(60))
        store.close()

    threads = [Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(taken) == 100
