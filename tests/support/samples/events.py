"""One answer given at one time: what every producer needs to know to write its message."""

import base64
import hashlib
from datetime import UTC, datetime, timedelta

from groundwatch.schemas import Record
from tests.support.samples.articles import Article, Conversation, Truth

PROJECT = "projects/quillow-help/locations/global/collections/default_collection"


class Event(Record, frozen=True):
    """A conversation as it took place.

    Attributes:
      conversation: what was asked, answered and given.
      number: counts the answers of the sample from 1; ids and small variations follow from it.
      engine: which of the three assistants answered.
      session: number of the session, shared by the answers of one visit.
      asked_at: when the question came, UTC.
    """

    conversation: Conversation
    number: int
    engine: str
    session: int
    asked_at: datetime

    @property
    def session_name(self) -> str:
        """The resource name of the session."""
        return f"{PROJECT}/engines/{self.engine}/sessions/{17_520_400_113_000 + self.session}"

    @property
    def answer_name(self) -> str:
        """The resource name of the answer."""
        return f"{self.session_name}/answers/{4_071_355_902_200 + self.number * 37}"

    @property
    def answered_at(self) -> datetime:
        """When the answer was complete: between 0.8 and 3.5 seconds after the question."""
        return self.asked_at + timedelta(milliseconds=800 + self.number * 613 % 2700)

    @property
    def token(self) -> str:
        """An opaque identity, as `answerQueryToken` is."""
        digest = hashlib.sha256(f"answer {self.number}".encode()).digest()
        return "NMwKDAi" + base64.urlsafe_b64encode(digest).decode().rstrip("=")

    @property
    def generator_score(self) -> float:
        """What the generator thinks of its own answer; every other invention fools it."""
        fooled = self.conversation.truth is not Truth.INVENTED or self.number % 2 == 0
        return round((0.9 if fooled else 0.41) + self.number % 9 / 100, 2)


def timestamp(moment: datetime) -> str:
    """Write a time in UTC as protobuf's JSON does, with three digits of a second or none."""
    precision = "milliseconds" if moment.microsecond else "seconds"
    return moment.astimezone(UTC).isoformat(timespec=precision).replace("+00:00", "Z")


def document(article: Article) -> str:
    """The resource name of an article in the data store."""
    return f"{PROJECT}/dataStores/help-centre/branches/0/documents/{article.slug}"
