"""What a stream adds to an answer: records encoded and decoded between stages.

python -m tests.benchmarks.stream_cpu [--answers 2000]

Prints milliseconds of processor time an answer, the least of five tries, and the bytes that
travel. Beam's own work at the borders of stages is not in it.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence

from apache_beam.coders import FastPrimitivesCoder, TupleCoder

from groundwatch.schemas import Record
from groundwatch.schemas.checked_answer import CheckedAnswer
from groundwatch.schemas.message import Message
from groundwatch.transforms.rules.tagging import tag_answer
from groundwatch.transforms.rules.thresholds import Thresholds
from groundwatch.transforms.runtime.record_coder import RecordCoder
from tests.benchmarks.generated_answers import generated_messages
from tests.support.answer_messages import parse_answer

_TRIES = 5


def _there_and_back(records: Sequence[Record]) -> Callable[[], None]:
    coder = RecordCoder(type(records[0]))

    def work() -> None:
        for record in records:
            coder.decode(coder.encode(record))

    return work


def _kept(records: Sequence[Record]) -> Callable[[], None]:
    """Encode, keep in the runner's state, and decode, as FillBundles does."""
    coder = RecordCoder(type(records[0]))
    state = TupleCoder([FastPrimitivesCoder(), FastPrimitivesCoder()])

    def work() -> None:
        for record in records:
            entry = b"", (0, coder.encode(record))
            coder.decode(state.decode(state.encode(entry))[1][1])

    return work


def _cpu_ms(work: Callable[[], None], answers: int) -> float:
    tries = []
    for _ in range(_TRIES):
        started_s = time.process_time()
        work()
        tries.append(time.process_time() - started_s)
    return min(tries) * 1000 / answers


def _bytes_each(records: Sequence[Record]) -> int:
    coder = RecordCoder(type(records[0]))
    return sum(len(coder.encode(record)) for record in records) // len(records)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=2_000)
    count = parser.parse_args().answers
    messages = [
        Message(payload=payload, place=str(number))
        for number, payload in enumerate(generated_messages(count))
    ]
    answers = [parse_answer(message) for message in messages]
    routed = [CheckedAnswer(answer=answer) for answer in answers]
    enriched = [tag_answer(CheckedAnswer(answer=answer), Thresholds()) for answer in answers]
    message_bytes = sum(len(message.payload) for message in messages) // count
    lines = [f"{count} answers of {message_bytes} bytes\n"]
    total_ms = 0.0
    for name, records, way in (
        ("to Deduplicate", answers, _there_and_back),
        ("through FillBundles", routed, _kept),
        ("to WriteEnriched", enriched, _there_and_back),
    ):
        step_ms = _cpu_ms(way(records), count)
        total_ms += step_ms
        lines.append(f"{name:20} {step_ms:.4f} ms {_bytes_each(records):6} bytes\n")
    sys.stdout.writelines([*lines, f"{'together':20} {total_ms:.4f} ms\n"])


if __name__ == "__main__":
    main()
