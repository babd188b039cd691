"""Who is measured, how each is set up, and what it leaves undone."""

import sys

from schemas import Record
from tests.benchmarks.peers.job import TIMEOUT_S, Job

_IN_FLIGHT = 128
_BEAM_THREADS = 32
"""The fastest of 8, 16, 32, 64 and 128 on two cores."""


class Sizes(Record, frozen=True, kw_only=True):
    """How many messages a contender is given, so that none takes more than some seconds."""

    speed: int
    repeats: int
    faults: int


class Note(Record, frozen=True, kw_only=True):
    """Something that a contender does not do, and where that is to be read."""

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
        packages=("groundwatch", "apache-beam", "aiohttp", "msgspec", "fastavro"),
        sizes=_MANY,
        is_peer=False,
    ),
    Contender(
        key="own_client",
        name="asyncio, groundwatch's client",
        setup="a script on `GroundingClient`, as the pipeline uses it: what the pipeline adds is"
        " the difference",
        packages=("groundwatch", "aiohttp", "stamina"),
        sizes=_MANY,
        is_peer=False,
        notes=(
            Note(
                text="reads, calls and writes lines of JSON: no routing, no tags, no alerts, no"
                " ledger; a kill leaves half a file",
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
                text="tries nothing again, pays for every message, believes any reply that is"
                " JSON; a kill leaves half a file",
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
                text="without the two arguments it neither tries again nor ever gives up waiting",
                source="the default of `check_grounding` in"
                f" google/cloud/discoveryengine_v1beta/{_TRANSPORTS}",
            ),
            Note(
                text="`Retry()` leaves out timeouts and broken JSON, and does not read Retry-After",
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
                text="no timeout: a call that hangs is waited for until the server hangs up",
                source=f"`invoke` in {_LANGCHAIN}; the default of `check_grounding` in"
                f" google/cloud/discoveryengine_v1alpha/{_TRANSPORTS}",
            ),
            Note(
                text="no scores of claims: the client of v1alpha that it uses cannot ask for them",
                source="`CheckGroundingSpec` in"
                " google/cloud/discoveryengine_v1alpha/types/grounded_generation_service.py",
            ),
            Note(
                text="a support score that the service leaves out becomes 0.0, the worst there is",
                source=f"`CheckGroundingResponse` in {_LANGCHAIN}",
            ),
            Note(
                text="`with_retry` tries three times whatever the error is, and does not read"
                " Retry-After",
                source="`RunnableRetry` in langchain_core/runnables/retry.py",
            ),
            Note(
                text="`batch` hands out its replies when it has the last: a kill loses them all",
                source="`RunnableRetry.batch` in langchain_core/runnables/retry.py",
            ),
        ),
    ),
    Contender(
        key="langchain_loop",
        name="LangChain, a loop",
        setup="the same wrapper's `with_retry().invoke(…)`, one answer after the other",
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
                text="one call under way in each thread of the runner",
                source="`_CallDoFn.process` in apache_beam/io/requestresponse.py",
            ),
            Note(
                text="after three tries the error ends the pipeline, and with it all of the"
                " output; there is no output for failures",
                source="`ExponentialBackOffRepeater` and `_CallDoFn.process` in"
                " apache_beam/io/requestresponse.py",
            ),
            Note(
                text="pays once for what is repeated only with a Redis server beside it, which is"
                " not used here",
                source="`RedisCache` in apache_beam/io/requestresponse.py",
            ),
        ),
    ),
)
