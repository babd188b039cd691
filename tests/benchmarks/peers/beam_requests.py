"""Beam's RequestResponseIO and WriteToAvro."""

from typing import Any, Self

import apache_beam as beam
from apache_beam.io.requestresponse import (
    Caller,
    RequestResponseIO,
    UserCodeExecutionException,
    UserCodeQuotaException,
)
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from google.api_core.retry import if_transient_error

from tests.benchmarks.peers.job import TIMEOUT_S, Answer, Job, Row, answer_of
from tests.benchmarks.peers.official_client import connect, request_of, row_of

_SCHEMA = {
    "type": "record",
    "name": "CheckedAnswer",
    "fields": [
        {"name": "id", "type": "string"},
        {"name": "answer", "type": "string"},
        {"name": "support_score", "type": "double"},
        {
            "name": "claims",
            "type": {
                "type": "array",
                "items": {
                    "type": "record",
                    "name": "Claim",
                    "fields": [
                        {"name": "start", "type": "long"},
                        {"name": "end", "type": "long"},
                        {"name": "score", "type": "double"},
                    ],
                },
            },
        },
    ],
}


class _Check(Caller[Answer, Row]):
    """The official client, with its errors raised as Beam's documentation asks for."""

    def __init__(self, address: str) -> None:
        self._address = address

    def __enter__(self) -> Self:
        self._client = connect(self._address)
        return self

    def __call__(self, request: Answer, *_: Any, **__: Any) -> Row:
        try:
            reply = self._client.check_grounding(request_of(request), timeout=TIMEOUT_S)
        except Exception as error:  # noqa: BLE001 - clients raise errors of all their layers
            if if_transient_error(error):
                raise UserCodeQuotaException(type(error).__name__) from None
            raise UserCodeExecutionException(type(error).__name__) from None
        return row_of(request, reply)


def run(job: Job) -> None:
    """Run on this machine, with a thread for each call that may be under way."""
    options = PipelineOptions(
        direct_num_workers=job.in_flight, direct_running_mode="multi_threading"
    )
    with beam.Pipeline(FnApiRunner(), options=options) as root:
        _ = (
            root
            | "Read" >> beam.io.ReadFromText(job.archive, coder=beam.coders.BytesCoder())
            | "Parse" >> beam.Map(answer_of)
            | "Spread" >> beam.Reshuffle()
            | "Check" >> RequestResponseIO(_Check(job.checker), timeout=TIMEOUT_S)
            | "Write"
            >> beam.io.WriteToAvro(f"{job.output}/checked", _SCHEMA, file_name_suffix=".avro")
        )
