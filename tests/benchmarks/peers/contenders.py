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


class Note(Record, frozen=True, kw_only=True):
    """Something that a contender does not do, and the source of that."""

    text: str
    source: str


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
    notes: tuple[Note, ...] = ()

    def command(self, job: Job) -> list[str]:
        """Return the command that does a job."""
        places = [job.archive, job.output, job.checker, str(job.in_flight)]
        return [sys.executable, "-m", "tests.benchmarks.peers.run", self.key, *places]


_MANY = Sizes(speed=8_000, repeats=2_000, faults=2_000)
_SOME = Sizes(speed=1_500, repeats=500, faults=1_000)
_FEW = Sizes(speed=500, repeats=200, faults=200)
_ONE_BY_ONE = Sizes(speed=200, repeats=50, faults=40)

_LANGCHAIN = "langchain_google_community/vertex_check_grounding.py"
_TRANSPORTS = "services/grounded_generation_service/transports/base.py"
BASELINE = "bare_asyncio"
GROUNDWATCH = "groundwatch_backfill"

CONTENDERS = (
    Contender(
        key=GROUNDWATCH,
        name="groundwatch",
        setup="`groundwatch backfill --checker http://…` with its defaults, in one process",
        packages=("groundwatch", "apache-beam", "httpx", "httptools", "msgspec"),
        sizes=_MANY,
        is_peer=False,
    ),
    Contender(
        key="own_client",
        name="asyncio, groundwatch's client",
        setup="a script on `GroundingClient`, the client of the pipeline; the difference is the"
        " cost of the pipeline",
        packages=("groundwatch", "httpx", "httptools", "stamina"),
        sizes=_MANY,
        is_peer=False,
        notes=(
            Note(
                text="reads, calls and writes lines of JSON: no routing, no tags, no alerts, no"
                " ledger; after a kill, half a file remains",
                source="tests/benchmarks/peers/own_client.py",
            ),
        ),
    ),
    Contender(
        key=BASELINE,
        name="bare asyncio",
        setup=f"a script on aiohttp that calls and writes, {_IN_FLIGHT} at once, with a timeout of"
        f" {TIMEOUT_S:g} s: the ceiling, and the baseline of all ratios",
        packages=("aiohttp",),
        sizes=_MANY,
        is_peer=False,
        notes=(
            Note(
                text="no retries, no cache, no validation of replies; after a kill, half a"
                " file remains",
                source="tests/benchmarks/peers/bare_asyncio.py",
            ),
        ),
    ),
    Contender(
        key="official_client",
        name="official client, threads",
        setup="`GroundedGenerationServiceClient` of v1beta over REST, one for each of"
        f" {_IN_FLIGHT} threads, with `retry=Retry()` and a timeout of {TIMEOUT_S:g} s",
        packages=("google-cloud-discoveryengine", "google-api-core", "requests"),
        sizes=_SOME,
        notes=(
            Note(
                text="without these two arguments it has no retries and no timeout",
                source="the default of `check_grounding` in"
                f" google/cloud/discoveryengine_v1beta/{_TRANSPORTS}",
            ),
            Note(
                text="`Retry()` does not retry timeouts and broken JSON, and ignores Retry-After",
                source="`if_transient_error` and `exponential_sleep_generator` in"
                " google/api_core/retry/retry_base.py",
            ),
        ),
    ),
    Contender(
        key="langchain_threads",
        name="LangChain, threads",
        setup="`VertexAICheckGroundingWrapper.with_retry().batch(…)` with"
        f" `max_concurrency={_IN_FLIGHT}`, over the official client's REST transport",
        packages=("langchain-google-community", "langchain-core", "google-cloud-discoveryengine"),
        sizes=_SOME,
        notes=(
            Note(
                text="no timeout: a call that hangs blocks until the server closes the connection",
                source=f"`invoke` in {_LANGCHAIN}; the default of `check_grounding` in"
                f" google/cloud/discoveryengine_v1alpha/{_TRANSPORTS}",
            ),
            Note(
                text="no scores of claims: its v1alpha client cannot request them",
                source="`CheckGroundingSpec` in"
                " google/cloud/discoveryengine_v1alpha/types/grounded_generation_service.py",
            ),
            Note(
                text="an absent support score becomes 0.0, the lowest score",
                source=f"`CheckGroundingResponse` in {_LANGCHAIN}",
            ),
            Note(
                text="`with_retry` makes three attempts after any error, and ignores Retry-After",
                source="`RunnableRetry` in langchain_core/runnables/retry.py",
            ),
            Note(
                text="`batch` returns all replies at the end: a kill loses all of them",
                source="`RunnableRetry.batch` in langchain_core/runnables/retry.py",
            ),
        ),
    ),
    Contender(
        key="langchain_loop",
        name="LangChain, a loop",
        setup="the same wrapper's `with_retry().invoke(…)`, one answer at a time",
        packages=("langchain-google-community", "langchain-core", "google-cloud-discoveryengine"),
        sizes=_ONE_BY_ONE,
        in_flight=1,
    ),
    Contender(
        key="beam_requests",
        name="Beam's RequestResponseIO",
        setup="`ReadFromText`, `Reshuffle`, `RequestResponseIO` with the official client as its"
        f" `Caller` and a timeout of {TIMEOUT_S:g} s, `WriteToAvro`; FnApiRunner with"
        f" {_BEAM_THREADS} threads",
        packages=("apache-beam", "google-cloud-discoveryengine", "fastavro"),
        sizes=_FEW,
        in_flight=_BEAM_THREADS,
        notes=(
            Note(
                text="one call in flight in each thread of the runner",
                source="`_CallDoFn.process` in apache_beam/io/requestresponse.py",
            ),
            Note(
                text="after three attempts the error ends the pipeline and all output is lost;"
                " failures have no output",
                source="`ExponentialBackOffRepeater` and `_CallDoFn.process` in"
                " apache_beam/io/requestresponse.py",
            ),
            Note(
                text="repeated requests are cached only with a Redis server, which is not used"
                " here",
                source="`RedisCache` in apache_beam/io/requestresponse.py",
            ),
        ),
    ),
)
