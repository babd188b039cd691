"""What an answer takes and what things cost: the figures that docs/scale.md stands on."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Figures:
    """What the arithmetic stands on; each is an option of the command."""

    cpu_ms: float = 0.7
    """Processor time an answer with a remote checker, measured; 0.9 with the embedded one."""
    stream_cpu_ms: float = 0.011
    """Records encoded and decoded between stages: tests/benchmarks/stream_cpu.py."""
    runner_factor: float = 2.0
    """Beam's own work on Dataflow; not measured, assumed."""
    busy_share: float = 0.5
    """Of a core, at the peak: what is left makes up for an outage in as long as it lasted."""
    checked_share: float = 0.8
    """Of the answers; the others are decided without a call."""
    latency_s: float = 0.3
    """Of a call; the service promises less than 0.5."""
    in_flight: int = 128
    """Calls under way in a process: --max_in_flight."""
    vcpus: int = 2
    """Of a machine; each runs a process."""
    call_chars: int = 4_000
    """Answer and facts of a call."""
    message_bytes: int = 5_500
    """Of an answer in Pub/Sub."""
    stage_factor: float = 5.5
    """Bytes between stages for each byte of a message: tests/benchmarks/stream_cpu.py."""
    file_bytes: int = 3_200
    """Of an enriched record in an Avro file."""
    window_s: int = 300
    """--file_age_s."""
    shard_rate: int = 250
    """Records a second that one shard takes: --shards."""
    dates: float = 1.1
    """Folders a window's records fall into."""
    panes: float = 1.2
    """Files of a window, shard and folder: one window in five has a second pane."""
    kept_days: int = 30
    """Days for which files are kept."""
    retained_days: int = 7
    """Days for which the subscription keeps acknowledged messages."""
    remembered_s: int = 3_600
    """--dedupe_h."""


@dataclass(frozen=True)
class Prices:
    """List prices of us-central1 in dollars, to be replaced by yours."""

    vcpu_hour: float = 0.069
    gigabyte_hour: float = 0.003557
    gigabytes_a_vcpu: float = 4.0
    stage_gigabyte: float = 0.018
    pubsub_tebibyte: float = 40.0
    pubsub_gibibyte_month: float = 0.27
    """A retained message."""
    storage_gigabyte_month: float = 0.02
    storage_ten_thousand_writes: float = 0.05
    thousand_chars: float = 0.00075
    """A third party's figure; Google's price list is behind a login."""
