"""An asyncio script on aiohttp that only calls and writes: the ceiling."""

import asyncio
from typing import Any

import aiohttp

from tests.benchmarks.peers.driving import check_in_tasks
from tests.benchmarks.peers.job import (
    CITATION_THRESHOLD,
    GROUNDING_CONFIG,
    TIMEOUT_S,
    Answer,
    Job,
    Row,
)


def run(job: Job) -> None:
    """Call once for each answer."""
    asyncio.run(_check_all(job))


async def _check_all(job: Job) -> None:
    url = f"{job.checker}/v1beta/{GROUNDING_CONFIG}:check"
    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=job.in_flight),
        timeout=aiohttp.ClientTimeout(total=TIMEOUT_S),
        raise_for_status=True,
    ) as session:

        async def check(answer: Answer) -> Row:
            async with session.post(url, json=_body(answer)) as response:
                return _row(answer, await response.json())

        await check_in_tasks(job, check)


def _body(answer: Answer) -> dict[str, Any]:
    return {
        "answerCandidate": answer.answer,
        "facts": [
            {"factText": fact.text, "attributes": {"title": fact.title}} for fact in answer.facts
        ],
        "groundingSpec": {"citationThreshold": CITATION_THRESHOLD, "enableClaimLevelScore": True},
    }


def _row(answer: Answer, reply: dict[str, Any]) -> Row:
    return {
        "id": answer.id,
        "answer": answer.answer,
        "support_score": reply["supportScore"],
        "claims": [
            {"start": claim.get("startPos", 0), "end": claim["endPos"], "score": claim["score"]}
            for claim in reply["claims"]
        ],
    }
