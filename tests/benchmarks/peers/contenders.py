"""The contenders: how each is set up, and what it does not do."""

import sys

from groundwatch.schemas import Record
from tests.benchmarks.peers.job import TIMEOUT_S, Job

_IN_FLIGHT = 128
_BEAM_THREADS = 32
"""The fastest of 8, 16, 32, 64 and 128 on two cores."""


class Sizes(Record, frozen=True, kw_only=True):
    """How many messages a contender checks, so that a run takes some seconds."""

    speed: int
    repeats: int
    faults: int


class Contender(Record, frozen=True, kw_only=True):
    """One that checks an archive of answers against the check server.

    Attributes:
      key: its script beside this file.
      name: for people.
      setup: how it is used here.
      packages: whose versions are of interest.
      sizes: of its archives.
      in_flight: how many calls it may have under way at once.
      is_peer: whether one might take it in groundwatch's place.
      notes: what it does not do.
    """

    key: str
    name: str
    setup: str
    packages: tuple[str, ...]
    sizes: Sizes
    in_flight: int = _IN_FLIGHT
    is_peer: bool = True
    notes: tuple[str, ...] = ()

    def command(self, job: Job) -> list[str]:
        """Return the command that does a job."""
        places = [job.archive, job.output, job.checker, str(job.in_flight)]
        return [sys.executable, "-m", "tests.benchmarks.peers.run", self.key, *places]


_MANY = Sizes(speed=8_000, repeats=2_000, faults=2_000)
_SOME = Sizes(speed=1_500, repeats=500, faults=1_000)
_FEW = Sizes(speed=500, repeats=200, faults=200)
_ONE_BY_ONE = Sizes(speed=200, repeats=50, faults=40)

BASELINE = "bare_asyncio"
GROUNDWATCH = "groundwatch_backfill"

CONTENDERS = (
    Contender(
        key=GROUNDWATCH,
        name="groundwatch",
        setup="`groundwatch backfill --checker http://…`, in one process",
        packages=("groundwatch", "apache-beam", "httpx", "httptools", "msgspec"),
        sizes=_MANY,
        is_peer=False,
    ),
    Contender(
        key="own_client",
        name="asyncio, groundwatch's client",
        setup="a script on `GroundingClient`",
        packages=("groundwatch", "httpx", "httptools", "stamina"),
        sizes=_MANY,
        is_peer=False,
        notes=(
            # own_client.py
            "no routing, tags, alerts or ledger",
        ),
    ),
    Contender(
        key=BASELINE,
        name="bare asyncio",
        setup=f"a script on aiohttp with a timeout of {TIMEOUT_S:g} s",
        packages=("aiohttp",),
        sizes=_MANY,
        is_peer=False,
        notes=(
            # bare_asyncio.py
            "no retries, cache or validation",
        ),
    ),
    Contender(
        key="official_client",
        name="official client, threads",
        setup=f"REST, one for each of {_IN_FLIGHT} threads, with `retry=Retry()` and a timeout of"
        f" {TIMEOUT_S:g} s",
        packages=("google-cloud-discoveryengine", "google-api-core", "requests"),
        sizes=_SOME,
        notes=(
            # google/cloud/discoveryengine_v1beta/services/grounded_generation_service/transports/
            # base.py: the default of `check_grounding`
            "by default no retries and no timeout",
            # google/api_core/retry/retry_base.py: `if_transient_error` and
            # `exponential_sleep_generator`
            "no retries of timeouts and broken JSON; Retry-After is ignored",
        ),
    ),
    Contender(
        key="langchain_threads",
        name="LangChain, threads",
        setup="`VertexAICheckGroundingWrapper.with_retry().batch(…)` over REST",
        packages=("langchain-google-community", "langchain-core", "google-cloud-discoveryengine"),
        sizes=_SOME,
        notes=(
            # langchain_google_community/vertex_check_grounding.py: `invoke`; google/cloud/
            # discoveryengine_v1alpha/services/grounded_generation_service/transports/base.py
            "no timeout",
            # google/cloud/discoveryengine_v1alpha/types/grounded_generation_service.py:
            # `CheckGroundingSpec`; vertex_check_grounding.py: `CheckGroundingResponse`
            "no scores of claims; an absent support score becomes 0.0",
            # langchain_core/runnables/retry.py: `RunnableRetry`, `RunnableRetry.batch`
            "three attempts after any error, without Retry-After",
        ),
    ),
    Contender(
        key="langchain_loop",
        name="LangChain, a loop",
        setup="its `with_retry().invoke(…)`, one answer at a time",
        packages=("langchain-google-community", "langchain-core", "google-cloud-discoveryengine"),
        sizes=_ONE_BY_ONE,
        in_flight=1,
    ),
    Contender(
        key="beam_requests",
        name="Beam's RequestResponseIO",
        setup="`RequestResponseIO` with the official client as its `Caller`; FnApiRunner with"
        f" {_BEAM_THREADS} threads",
        packages=("apache-beam", "google-cloud-discoveryengine", "fastavro"),
        sizes=_FEW,
        in_flight=_BEAM_THREADS,
        notes=(
            # apache_beam/io/requestresponse.py: `_CallDoFn.process`, `ExponentialBackOffRepeater`
            "one call in flight in each thread",
            "the third error ends the pipeline, without output",
        ),
    ),
)
