"""Beam's AsyncWrapper: how many of the elements come out, by runner and time of a call.

    .venv/bin/python -m tests.benchmarks.beam_async

prints a line for each: the runner, the time of a call, how many elements came out of how many, and
the time, beside that of the same calls one after another.
"""

import logging
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import apache_beam as beam
from apache_beam.transforms.async_dofn import AsyncWrapper

_RUNNERS = "FnApiRunner", "BundleBasedDirectRunner"
_CALLS = (0.05, 200), (0.5, 200), (2.0, 50)  # seconds, elements
_CONCURRENT = 16


class _Call(beam.DoFn):
    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def process(self, element: tuple[str, str], *_: object) -> Iterator[tuple[str, str]]:
        """Wait as long as a call takes."""
        time.sleep(self._seconds)
        yield element


def _run(runner: str, seconds: float, elements: int, folder: str) -> str:
    """Run the calls, and return how the run ended."""
    try:
        with beam.Pipeline(runner) as pipeline:
            (
                pipeline
                | beam.Create([(str(number), f"a{number}") for number in range(elements)])
                | beam.ParDo(AsyncWrapper(_Call(seconds), parallelism=_CONCURRENT))
                | beam.MapTuple(lambda _, value: value)
                | beam.io.WriteToText(f"{folder}/out")
            )
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the result
        return f"{type(error).__name__}: {error}"
    return "DONE"


def _main() -> None:
    logging.disable(logging.CRITICAL)
    for runner in _RUNNERS:
        for seconds, elements in _CALLS:
            with tempfile.TemporaryDirectory() as folder:
                began = time.monotonic()
                ended = _run(runner, seconds, elements, folder)
                took_s = time.monotonic() - began
                files = Path(folder).glob("out*")
                found = sum(len(path.read_text().splitlines()) for path in files)
            alone_s = seconds * elements
            sys.stdout.write(
                f"{runner}, a call of {seconds} s: {found} of {elements} elements in {took_s:.1f} s"
                f" (one after another {alone_s:.0f} s), {ended}\n"
            )


if __name__ == "__main__":
    _main()
