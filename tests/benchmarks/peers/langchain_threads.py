"""LangChain's check-grounding wrapper, in LangChain's own pool of threads: `batch`."""

from typing import Any

from tests.benchmarks.peers.job import Answer, Job, answers_in, line_of
from tests.benchmarks.peers.langchain_loop import connect, documents_of, row_of


def run(job: Job) -> None:
    """Check all answers in one batch, which hands out its replies when it has the last."""
    answers = list(answers_in(job.archive))
    replies = connect(job.checker).batch(
        [answer.answer for answer in answers],
        [_settings(answer, job.in_flight) for answer in answers],
        return_exceptions=True,
    )
    with job.rows_path.open("wb") as rows:
        for answer, reply in zip(answers, replies, strict=True):
            if not isinstance(reply, Exception):
                rows.write(line_of(row_of(answer, reply)))


def _settings(answer: Answer, in_flight: int) -> dict[str, Any]:
    return {"max_concurrency": in_flight, "configurable": {"documents": documents_of(answer)}}
