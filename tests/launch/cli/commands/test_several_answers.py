"""Messages that hold several answers, from the archive to the files."""

import json
from pathlib import Path
from typing import Any

import pytest

from groundwatch.launch.cli.main import main
from tests.support import wire_faults
from tests.support.archives import an_envelope
from tests.support.fault_server import FaultServer, always
from tests.support.limits import limited
from tests.support.outputs import (
    distinct_ids_in,
    failures_in,
    original_bytes,
    record_ids_in,
    summary_in,
)
from tests.support.runs import an_archive, backfill

NAME = "projects/1/locations/global/collections/c/engines/shop/sessions/s/answers"


def an_array(*numbers: int, **fields: Any) -> bytes:
    return json.dumps(
        [
            {
                "name": f"{NAME}/{number}",
                "answerText": f"Lamp {number} glows.",
                "references": [{"chunkInfo": {"content": "Lamps glow."}}],
            }
            | fields
            for number in numbers
        ]
    ).encode()


def nameless(*numbers: int) -> bytes:
    fields = {"id": None, "time": None}
    return b'{"answers": [%b]}' % b",".join(
        an_envelope(number, answer=f"Lamp {number} glows.", **fields) for number in numbers
    )


def test_the_counts_close_over_records_failures_duplicates_and_single_messages(
    tmp_path: Path,
) -> None:
    bad = b"[%b, 7, %b]" % (an_envelope(10), an_envelope(11, contexts=["f"], facts=None))
    archive = an_archive(
        tmp_path, an_array(0, 1, 2), an_envelope(3), bad, an_array(2, 1), b"no answer", nameless(4)
    )
    assert backfill(archive, tmp_path / "out") == 0
    summary = summary_in(tmp_path / "out")
    assert (summary["read"], summary["enriched"]) == (11, 6)
    assert (summary["failures"], summary["duplicates"], summary["closes"]) == (3, 2, True)
    assert summary["failures_by_error"] == {"UnmappedFields": 1, "UnreadableAnswer": 2}
    by_source = {failure["source"]: failure for failure in failures_in(tmp_path / "out")}
    assert set(by_source) == {f"{archive}#3#1", f"{archive}#3#2", f"{archive}#5"}
    assert original_bytes(by_source[f"{archive}#3#1"]) == b"7"


@pytest.mark.parametrize("line", [an_array(0, 1, 2), nameless(0, 1, 2)], ids=["named", "nameless"])
def test_answers_of_a_message_that_could_not_be_checked_are_replayed_one_by_one(
    tmp_path: Path, line: bytes
) -> None:
    archive = an_archive(tmp_path, an_envelope(9), line)
    direct, broken, mended = tmp_path / "direct", tmp_path / "broken", tmp_path / "mended"
    assert backfill(archive, direct) == 0
    with FaultServer(always(wire_faults.status(503, "UNAVAILABLE"))) as server:
        assert backfill(archive, broken, "--checker", server.address, "--max_attempts", "1") == 3
    sources = {failure["source"] for failure in failures_in(broken)}
    assert sources == {f"{archive}#1", f"{archive}#2#0", f"{archive}#2#1", f"{archive}#2#2"}
    places = ["--failures", f"{broken}/failures/*.jsonl", "--output", str(mended)]
    assert main(["replay", *places, "--checker", "local"]) == 0
    assert sorted(record_ids_in(mended)) == sorted(record_ids_in(direct))
    assert summary_in(mended)["read"] == 4


@limited(segment_messages=2)
def test_what_a_limit_leaves_of_such_messages_is_done_later(tmp_path: Path) -> None:
    lines = [an_array(*range(5 * number, 5 * number + 5)) for number in range(6)]
    archive, output = an_archive(tmp_path, *lines), tmp_path / "out"
    with FaultServer() as server:
        flags = "--checker", server.address
        assert backfill(archive, output, *flags, "--max_calls", "13") == 3
        summary = summary_in(output)
        assert (summary["read"], summary["closes"]) == (13, True)
        # The messages with the other answers: two of the second batch, and the third one.
        assert summary["deferred"] == 2 + 2
        assert backfill(archive, output, *flags) == 0
        assert server.requests == 30
    summary = summary_in(output)
    # Those of the message in which the limit was reached are read again, and counted once.
    assert (summary["read"], summary["duplicates"], summary["closes"]) == (30, 0, True)
    assert len(distinct_ids_in(output)) == 30


def test_an_estimate_counts_every_answer(tmp_path: Path) -> None:
    archive, output = an_archive(tmp_path, an_array(0, 1, 2), b"[7, 8]", an_array(2)), tmp_path
    assert main(["estimate", "--input", str(archive), "--output", str(output)]) == 0
    estimated = json.loads((output / "estimate.json").read_bytes())
    assert backfill(archive, output) == 0
    made = summary_in(output)
    same = ("read", "failures", "duplicates", "calls")
    assert [estimated[name] for name in same] == [made[name] for name in same]
    assert (made["read"], made["failures"], made["duplicates"]) == (5, 1, 1)


def test_an_evaluation_takes_every_answer(tmp_path: Path) -> None:
    archive = an_archive(tmp_path, an_array(0, 1), b"[%b, 7]" % an_envelope(2))
    gold = tmp_path / "gold.jsonl"
    labels = [{"name": f"{NAME}/{number}", "grounded": number == 0} for number in (0, 1)]
    gold.write_text("".join(json.dumps(label) + "\n" for label in labels))
    flags = ["--answers", str(archive), "--gold", str(gold), "--resamples", "20"]
    assert main(["evaluate", *flags, "--output", str(tmp_path / "evaluation.json")]) == 0
    counts = json.loads((tmp_path / "evaluation.json").read_bytes())["counts"]
    assert (counts["read"], counts["unreadable"], counts["labelled"]) == (4, 1, 2)
