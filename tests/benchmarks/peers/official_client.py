"""The official client, in a pool of threads: a client each, since they keep ten connections."""

import threading

from google.api_core.retry import Retry
from google.auth.credentials import AnonymousCredentials
from google.cloud import discoveryengine_v1beta as discoveryengine

from tests.benchmarks.peers.driving import check_in_threads
from tests.benchmarks.peers.job import (
    CITATION_THRESHOLD,
    GROUNDING_CONFIG,
    TIMEOUT_S,
    Answer,
    Job,
    Row,
)

_Client = discoveryengine.GroundedGenerationServiceClient


def connect(address: str) -> _Client:
    """Point the client to a server that speaks its REST protocol without encryption."""
    transport = _Client.get_transport_class("rest")
    scheme, _, host = address.partition("://")
    return _Client(
        transport=transport(host=host, credentials=AnonymousCredentials(), url_scheme=scheme)
    )


def request_of(answer: Answer) -> discoveryengine.CheckGroundingRequest:
    """Write the check of an answer."""
    return discoveryengine.CheckGroundingRequest(
        grounding_config=GROUNDING_CONFIG,
        answer_candidate=answer.answer,
        facts=[
            discoveryengine.GroundingFact(fact_text=fact.text, attributes={"title": fact.title})
            for fact in answer.facts
        ],
        grounding_spec=discoveryengine.CheckGroundingSpec(
            citation_threshold=CITATION_THRESHOLD, enable_claim_level_score=True
        ),
    )


def row_of(answer: Answer, reply: discoveryengine.CheckGroundingResponse) -> Row:
    """Read what is kept of a reply."""
    return {
        "id": answer.id,
        "answer": answer.answer,
        "support_score": reply.support_score,
        "claims": [
            {"start": claim.start_pos, "end": claim.end_pos, "score": claim.score}
            for claim in reply.claims
        ],
    }


def run(job: Job) -> None:
    """Check with the client's own retries, which it makes only when it is given them."""
    of_thread = threading.local()
    retry = Retry()

    def check(answer: Answer) -> Row:
        if not hasattr(of_thread, "client"):
            of_thread.client = connect(job.checker)
        client: _Client = of_thread.client
        reply = client.check_grounding(request_of(answer), retry=retry, timeout=TIMEOUT_S)
        return row_of(answer, reply)

    check_in_threads(job, check)
