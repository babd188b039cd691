"""LangChain's check-grounding wrapper, in a loop."""

from google.auth.credentials import AnonymousCredentials
from google.cloud import discoveryengine_v1alpha as discoveryengine
from langchain_core.documents import Document
from langchain_core.runnables import Runnable
from langchain_google_community import VertexAICheckGroundingWrapper

from tests.benchmarks.peers.driving import check_in_loop
from tests.benchmarks.peers.job import CITATION_THRESHOLD, PROJECT, Answer, Job, Row

_Client = discoveryengine.GroundedGenerationServiceClient
Reply = VertexAICheckGroundingWrapper.CheckGroundingResponse


def connect(address: str) -> Runnable[str, Reply]:
    """Point the wrapper to a server, by the client of the version that it uses itself.

    It does not try again by itself; LangChain's `with_retry` does, three times by default.
    """
    transport = _Client.get_transport_class("rest")
    scheme, _, host = address.partition("://")
    client = _Client(
        transport=transport(host=host, credentials=AnonymousCredentials(), url_scheme=scheme)
    )
    wrapper = VertexAICheckGroundingWrapper(
        project_id=PROJECT, citation_threshold=CITATION_THRESHOLD, client=client
    )
    return wrapper.with_retry()


def documents_of(answer: Answer) -> list[Document]:
    """Write the facts of an answer as documents."""
    return [
        Document(page_content=fact.text, metadata={"title": fact.title}) for fact in answer.facts
    ]


def row_of(answer: Answer, reply: Reply) -> Row:
    """Read what is kept of a reply, which has no scores of claims."""
    return {
        "id": answer.id,
        "answer": answer.answer,
        "support_score": reply.support_score,
        "claims": [
            {"start": claim["start_pos"], "end": claim["end_pos"]} for claim in reply.claims
        ],
    }


def run(job: Job) -> None:
    """Check one answer after the other."""
    wrapper = connect(job.checker)

    def check(answer: Answer) -> Row:
        settings = {"configurable": {"documents": documents_of(answer)}}
        return row_of(answer, wrapper.invoke(answer.answer, settings))

    check_in_loop(job, check)
