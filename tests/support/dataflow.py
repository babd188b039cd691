"""Pipelines as Dataflow would get them, without Dataflow."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import apache_beam as beam
from apache_beam.coders.coders import Coder
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.runners import pipeline_context

from groundwatch.pipeline.build import Source, build_pipeline
from groundwatch.pipeline.settings.config import Config
from groundwatch.pipeline.sinks.sink import Sink, archive_sink, stream_sink
from groundwatch.pipeline.sinks.write_windows import Windows
from groundwatch.pipeline.sources.read_archives import ReadArchives
from groundwatch.pipeline.sources.read_subscription import ReadSubscription
from groundwatch.transforms.grounding.settings import LOCAL, with_screen
from groundwatch.transforms.rules.thresholds import EscalationRule

FLAGS = (
    "--runner=DataflowRunner",
    "--dry_run=True",
    "--no_auth",
    "--sdk_location=container",
    "--project=example-project",
    "--region=us-central1",
    "--temp_location=gs://example-temp/tmp",
)
"""A bucket's name has three letters or more: Beam asks for a shorter one for two minutes."""

_TOPICS = "projects/example-project/topics"
_SUBSCRIPTION = "projects/example-project/subscriptions/answers"
_OUTPUT = {"output": "gs://example-output/run", "run": "run"}
_WINDOWS = Windows(width_s=300, shards=4)
_ARCHIVES = Config(inputs=("gs://example-input/a.jsonl",), **_OUTPUT)
_STREAM = Config(inputs=(), **_OUTPUT)
_SECOND = "https://checker.example.com"
_TWO_CHECKERS = Config(inputs=(), check=with_screen(LOCAL, _SECOND, EscalationRule()), **_OUTPUT)

MODES: dict[str, Callable[[], tuple[Source, Sink, Config]]] = {
    "backfill": lambda: (ReadArchives(_ARCHIVES.inputs), archive_sink(_ARCHIVES), _ARCHIVES),
    "watch": lambda: (
        ReadSubscription(_SUBSCRIPTION, "id"),
        stream_sink(_STREAM, _WINDOWS, f"{_TOPICS}/alerts", f"{_TOPICS}/failures"),
        _STREAM,
    ),
    "watch into a table": lambda: (
        ReadSubscription(_SUBSCRIPTION, "id"),
        stream_sink(_STREAM, _WINDOWS, enriched_topic=f"{_TOPICS}/enriched"),
        _STREAM,
    ),
    "watch into files": lambda: (
        ReadSubscription(_SUBSCRIPTION, "id"),
        stream_sink(_STREAM, _WINDOWS),
        _STREAM,
    ),
    "watch by two checkers": lambda: (
        ReadSubscription(_SUBSCRIPTION, "id"),
        stream_sink(_TWO_CHECKERS, _WINDOWS),
        _TWO_CHECKERS,
    ),
}


class Graph:
    """A translated pipeline.

    Args:
      proto: Beam's own.
    """

    def __init__(self, proto: Any) -> None:
        self._components = proto.components
        self._context = pipeline_context.PipelineContext(proto.components)

    @property
    def steps(self) -> dict[str, str]:
        """The URN of each step by its name; names are what an update of a job goes by."""
        transforms = self._components.transforms.values()
        return {step.unique_name: step.spec.urn for step in transforms if step.unique_name}

    def coders(self) -> Iterator[tuple[str, Coder]]:
        """Each coder that makes no use of another, with the step whose output it codes."""
        for step in self._components.transforms.values():
            for output in () if step.subtransforms else step.outputs.values():
                coder_id = self._components.pcollections[output].coder_id
                for coder in _leaves(self._context.coders.get_by_id(coder_id)):
                    yield step.unique_name, coder


def _leaves(coder: Coder) -> Iterator[Coder]:
    parts = coder._get_component_coders()
    if not parts:
        yield coder
    for part in parts:
        yield from _leaves(part)


@cache
def graph_of(name: str, *flags: str) -> Graph:
    """Translate the pipeline of one of the modes, with more of Beam's flags."""
    source, sink, config = MODES[name]()
    streaming = ["--streaming"] if isinstance(source, ReadSubscription) else []
    root = beam.Pipeline(options=PipelineOptions([*FLAGS, *streaming, *flags]))
    build_pipeline(root, source, sink, config)
    root.run()
    return Graph(root.runner.proto_pipeline)
