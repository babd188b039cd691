"""An asyncio script on groundwatch's own client: what the pipeline around it adds, by contrast."""

import asyncio
from contextlib import aclosing

from groundwatch.schemas.wire.grounding_check import CheckRequest, GroundingFact, GroundingSpec
from groundwatch.transforms.grounding.client import GroundingClient
from groundwatch.transforms.grounding.settings import CheckSettings
from tests.benchmarks.peers.driving import check_in_tasks
from tests.benchmarks.peers.job import CITATION_THRESHOLD, GROUNDING_CONFIG, Answer, Job, Row


def run(job: Job) -> None:
    """Check with the client's own retries."""
    asyncio.run(_check_all(job))


async def _check_all(job: Job) -> None:
    settings = CheckSettings(
        checker=job.checker,
        endpoint=job.checker,
        grounding_config=GROUNDING_CONFIG,
        max_in_flight=job.in_flight,
    )
    async with aclosing(GroundingClient(settings)) as client:

        async def check(answer: Answer) -> Row:
            reply = await client.check(_request(answer))
            return {
                "id": answer.id,
                "answer": answer.answer,
                "support_score": reply.response.support_score,
                "claims": [
                    {"start": claim.start_pos, "end": claim.end_pos, "score": claim.score}
                    for claim in reply.response.claims
                ],
            }

        await check_in_tasks(job, check)


def _request(answer: Answer) -> CheckRequest:
    return CheckRequest(
        answer_candidate=answer.answer,
        facts=tuple(
            GroundingFact(fact_text=fact.text, attributes={"title": fact.title})
            for fact in answer.facts
        ),
        grounding_spec=GroundingSpec(
            citation_threshold=CITATION_THRESHOLD, enable_claim_level_score=True
        ),
    )
