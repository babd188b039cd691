"""What a pipeline counted."""

from apache_beam.runners.runner import PipelineResult

from groundwatch.transforms.runtime.counters import Counter


def counted(result: PipelineResult, counter: Counter) -> int:
    """The value of a counter at the end of a run, over all steps."""
    found = result.metrics().query()["counters"]
    return sum(entry.result for entry in found if entry.key.metric.name == counter.name)
