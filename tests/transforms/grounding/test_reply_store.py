"""Replies on disk: whose counts they stand in, and what all calls may take."""

from pathlib import Path
from threading import Thread

import pytest

from transforms.grounding.reply_store import ReplyStore
from transforms.grounding.settings import Budget

KEYS = [b"first", b"second", b"third"]
ONE_CALL = Budget(max_calls=1)


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
    taken = [
        store.spend(10, Budget(max_calls=max_calls, max_characters=max_characters))
        for _ in range(10)
    ]
    assert taken == [True] * allowed + [False] * (10 - allowed)


def test_a_call_that_did_not_leave_is_given_back(store: ReplyStore) -> None:
    assert store.spend(10, ONE_CALL)
    store.refund(10)
    assert store.spend(10, Budget(max_calls=1, max_characters=10))
    assert not store.spend(10, ONE_CALL)


def test_calls_without_a_limit_are_counted_and_written_some_at_a_time(tmp_path: Path) -> None:
    path = str(tmp_path / "replies.sqlite")
    store, other = ReplyStore(path), ReplyStore(path)
    for _ in range(20):
        store.spend(10, Budget())
    assert other.spent() == (16, 160)
    store.refund(10)
    assert other.spent() == store.spent() == (19, 190)
    store.spend(10, Budget())
    store.close()
    assert other.spent() == (20, 200)


def test_a_new_plan_has_the_replies_in_none_of_its_records_yet(store: ReplyStore) -> None:
    store.put(KEYS[0], b"reply")
    store.begin_plan()
    assert [store.get(KEYS[0]) for _ in range(2)] == [(b"reply", True), (b"reply", False)]


def test_replies_are_forgotten_and_what_they_took_is_not(store: ReplyStore) -> None:
    assert store.spend(10, ONE_CALL)
    store.put(KEYS[0], b"reply")
    store.delete_replies()
    assert store.get(KEYS[0]) is None
    assert not store.spend(10, ONE_CALL)
    assert store.spent() == (1, 10)


def test_what_was_taken_stays_taken_after_the_process(tmp_path: Path) -> None:
    for expected in (True, False):
        store = ReplyStore(str(tmp_path / "replies.sqlite"))
        assert store.spend(10, ONE_CALL) is expected
        store.close()


def test_several_who_take_at_once_keep_the_limit_together(tmp_path: Path) -> None:
    taken: list[bool] = []

    def take() -> None:
        store = ReplyStore(str(tmp_path / "replies.sqlite"))
        taken.extend(store.spend(1, Budget(max_calls=100)) for _ in range(60))
        store.close()

    threads = [Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(taken) == 100
