"""Record ids on disk: each claimed once, whoever asks, whatever dies."""

from itertools import compress
from pathlib import Path
from threading import Thread

import pytest

from groundwatch.transforms.persistence.seen_ids import SeenIds

IDS = [f"{number:064x}" for number in (1 << 200, 2 << 200, 3 << 200)]


def test_an_id_is_claimed_once_even_by_its_batch(tmp_path: Path) -> None:
    seen = SeenIds(str(tmp_path / "seen"))
    assert seen.claim([*IDS[:2], *IDS[:2]]) == [True, True, False, False]
    assert seen.claim([IDS[2], *IDS, IDS[2]]) == [True] + [False] * 4
    assert seen.claim([]) == []


def test_any_number_of_ids_is_claimed_at_once(tmp_path: Path) -> None:
    seen = SeenIds(str(tmp_path / "seen"))
    ids = [f"{number << 130:064x}" for number in range(40_000)]
    assert seen.claim([*ids, ids[7]]) == [True] * len(ids) + [False]
    assert not any(seen.claim(ids))


def test_what_is_retried_has_claimed_nothing_and_the_others_keep_theirs(tmp_path: Path) -> None:
    seen = SeenIds(str(tmp_path / "seen"))
    for batch, record_id in enumerate(IDS):
        seen.start_batch(batch, is_retry=False)
        seen.claim([record_id])
    seen.start_batch(1, is_retry=True)
    assert seen.claim(IDS) == [False, True, False]


def test_a_batch_that_ends_claims_for_itself_while_the_next_one_reads(tmp_path: Path) -> None:
    seen = SeenIds(str(tmp_path / "seen"))
    claimed: list[int] = []
    seen.start_batch(1, is_retry=False, on_all_claimed=lambda: claimed.append(1))
    seen.finish_claims()
    assert claimed == [1]
    seen.start_batch(2, is_retry=False)
    seen.claim(IDS[:1], 1)
    seen.claim(IDS[1:2])
    seen.start_batch(1, is_retry=True)
    assert seen.claim(IDS[:2]) == [True, False]


def test_each_id_is_claimed_by_one_of_many_processes(tmp_path: Path) -> None:
    ids = [f"{number << 200:064x}" for number in range(300)]
    claimed: list[str] = []

    def claim_all() -> None:
        seen = SeenIds(str(tmp_path / "seen"))
        for some in (ids[start : start + 7] for start in range(0, len(ids), 7)):
            claimed.extend(compress(some, seen.claim(some)))
        seen.close()

    threads = [Thread(target=claim_all, daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(claimed) == ids


def test_another_file_than_a_database_is_an_oserror(tmp_path: Path) -> None:
    path = tmp_path / "seen"
    path.write_bytes(b"no database at all, but long enough to be looked at" * 10)
    with pytest.raises(OSError, match="is damaged"):
        SeenIds(str(path))
