"""What a stream is told that an archive is not."""

from schemas import Record


class Subscription(Record, frozen=True, kw_only=True):
    """What is read.

    Attributes:
      name: ``projects/P/subscriptions/S``.
      id_label: the attribute by which Dataflow knows a message that was published twice, within
        ten minutes; None for the message id.
    """

    name: str
    id_label: str | None = None


class Windows(Record, frozen=True, kw_only=True):
    """How a stream's rows are gathered into files.

    Attributes:
      width_s: seconds of publish time whose rows go into files together. What has waited for as
        long is written also where the watermark stands still, or is past already.
      shards: how many files a window's rows of one folder are spread over.
    """

    width_s: int = 300
    shards: int = 4
