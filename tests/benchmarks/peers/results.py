"""What a run of the benchmark found: the content of docs/benchmarks.json."""

from groundwatch.schemas import Record


class Setting(Record, frozen=True, kw_only=True):
    """What all contenders were given.

    Attributes:
      least_ms: the check server's shortest latency.
      most_ms: its longest.
      capacity: how many calls it works on at once.
      fault_share: of the calls, where it fails them.
      faults: how it fails them, each as often as the others.
      rounds: how often the speed was measured; its median counts.
      few: the answers of the short run that is taken off, so that starting does not count.
    """

    least_ms: float = 100.0
    most_ms: float = 100.0
    capacity: int = 128
    fault_share: float = 0.1
    faults: tuple[str, ...] = ()
    rounds: int = 3
    few: int = 20

    @property
    def fault_percent(self) -> float:
        """0..100, the share of the calls that fail."""
        return 100 * self.fault_share


class Machine(Record, frozen=True, kw_only=True):
    """Where it ran."""

    processor: str
    cores: int
    memory_gb: float
    kernel: str
    python: str


class Speed(Record, frozen=True, kw_only=True):
    """Different answers, no faults.

    Attributes:
      answers: in each round.
      per_s: steady answers a second, the median of the rounds.
      rounds_per_s: of each round.
      cpu_ms: processor time of one more answer, the median of the rounds.
      peak_mb: of the largest process, the median of the rounds.
      few_s: seconds for a few answers, starting and ending included, the median of the rounds.
    """

    answers: int
    per_s: float
    rounds_per_s: tuple[float, ...]
    cpu_ms: float
    peak_mb: float
    few_s: float


class LedgerHour(Record, frozen=True, kw_only=True):
    """What became of an archive.

    Attributes:
      messages: in the archive.
      answers: different ones among them, by their id.
      calls: that came to the check server.
      lost: answers without a record of the score that the server gave them.
      doubled: records beyond an answer's first.
      status: the exit status.
      seconds: from start to end.
    """

    messages: int
    answers: int
    calls: int
    lost: int
    doubled: int
    status: int
    seconds: float

    @property
    def calls_a_message(self) -> float:
        """How often a message was paid for."""
        return self.calls / self.messages

    @property
    def lost_percent(self) -> float:
        """0..100, of the answers."""
        return 100 * self.lost / self.answers


class Measured(Record, frozen=True, kw_only=True):
    """What was measured of a contender."""

    key: str
    speed: Speed
    repeats: LedgerHour
    faults: LedgerHour


class Variant(Record, frozen=True, kw_only=True):
    """The speed of groundwatch and of the scripts in other circumstances.

    Attributes:
      title: what differs.
      in_flight: how many calls each has under way at once; the check server works on as many.
      least_ms: the check server's shortest latency.
      most_ms: its longest.
      speeds: by the contender's key.
    """

    title: str
    in_flight: int
    least_ms: int
    most_ms: int
    speeds: dict[str, Speed] = {}


class Embedded(Record, frozen=True, kw_only=True):
    """What an answer costs with the embedded checker.

    Attributes:
      name: what ran.
      answers: in each round.
      cpu_ms: processor time of one more answer, the median of the rounds.
      calls: to the second checker, for each answer.
    """

    name: str
    answers: int
    cpu_ms: float
    calls: float


class Results(Record, frozen=True, kw_only=True):
    """A whole run.

    Attributes:
      command: that made it.
      commit: of the source, with a plus sign if it was changed since.
      date: of the run, UTC.
      versions: of each package that was measured.
    """

    command: str
    commit: str
    date: str
    machine: Machine
    versions: dict[str, str]
    setting: Setting
    measured: tuple[Measured, ...]
    embedded: tuple[Embedded, ...]
    variants: tuple[Variant, ...] = ()
