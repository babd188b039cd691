"""How a worker works."""

from schemas import Record
from schemas.quantities import MEGABYTE
from transforms.grounding.settings import GoogleAccount
from transforms.rules.no_data import NoDataRule


class WatchSettings(Record, frozen=True, kw_only=True):
    """What the worker is told besides the main job's configuration.

    Attributes:
      subscription: its full name.
      alert_topic, failure_topic: full names; None writes files into the output.
      pubsub_address: of a server without encryption; None for Google's, or the environment's.
      account: who asks Google's Pub/Sub.
      ordering: whether alerts of one engine stay in order.
      batch_messages, batch_bytes: of one batch at most.
      held_messages, held_bytes: of all that is held at most, the batch included.
      file_age_s: how old the oldest row may become before its file is closed and public.
      dedupe_h: for how many hours a record id is remembered.
      silence: when nothing is worth an alert.
      canary: a local file of known answers, None for none.
      canary_every_s: from one check of these to the next.
      health_address: host and port that answer /healthz and /metrics, None for none.
      drain_s: within which the worker ends once it is told to.
    """

    subscription: str
    alert_topic: str | None = None
    failure_topic: str | None = None
    pubsub_address: str | None = None
    account: GoogleAccount = GoogleAccount()
    ordering: bool = False
    batch_messages: int = 1_000
    batch_bytes: int = 16 * MEGABYTE
    held_messages: int = 4_000
    held_bytes: int = 64 * MEGABYTE
    file_age_s: float = 300.0
    dedupe_h: float = 24.0
    drain_s: float = 25.0
    silence: NoDataRule = NoDataRule()
    health_address: tuple[str, int] | None = None
    canary: str | None = None
    canary_every_s: float = 3600.0
