"""The pipeline has the steps of the diagram, and reads a small archive from end to end."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apache_beam as beam
import pytest
from apache_beam.pipeline import AppliedPTransform, PipelineVisitor

from groundwatch.pipeline.build import Source, build_pipeline
from groundwatch.pipeline.settings.config import Config
from groundwatch.pipeline.sinks.sink import Sink, archive_sink, engine_sink, stream_sink
from groundwatch.pipeline.sinks.write_windows import Windows
from groundwatch.pipeline.sources.read_archives import ReadArchives
from groundwatch.pipeline.sources.read_batch import BatchHandle, ReadBatch
from groundwatch.pipeline.sources.read_subscription import ReadSubscription
from tests.support.outputs import alerts_in, failures_in, records_in
from tests.support.pipelines import local_pipeline

CASE = Path(__file__).parents[1] / "data" / "small_run"

STEPS = [
    "ReadMessages",
    "ParseAnswers",
    "Deduplicate",
    "SampleAnswers",
    "RouteAnswers",
    "CheckGrounding",
    "TagAnswers",
    "WriteEnriched",
    "SelectAlerts",
    "MeasureRates",
    "RateAlerts",
    "PublishAlerts",
    "WriteFailures",
]
"""The words of the README's diagram."""


class _Labels(PipelineVisitor):
    """The full label of every step but those inside Beam's own composites."""

    def __init__(self) -> None:
        self.labels: list[str] = []

    def visit_transform(self, step: AppliedPTransform) -> None:
        maker = step.parent and type(step.parent.transform).__module__
        if step.full_label and not (maker or "").startswith("apache_beam."):
            self.labels.append(step.full_label)

    enter_composite_transform = visit_transform


def labels_of(source: Source, sink: Sink) -> list[str]:
    root: beam.Pipeline = local_pipeline()
    build_pipeline(root, source, sink, a_config())
    visitor = _Labels()
    root.visit(visitor)
    return visitor.labels


def a_config(output: Path | str = "out") -> Config:
    return Config(inputs=(str(CASE / "answers.jsonl"),), output=str(output), run="run")


BATCHES = BatchHandle()
MODES: dict[str, Callable[[], tuple[Source, Sink]]] = {
    "archives": lambda: (ReadArchives(a_config().inputs), archive_sink(a_config())),
    "engine": lambda: (ReadBatch(BATCHES), engine_sink(a_config(), BATCHES)),
    "stream": lambda: (
        ReadSubscription("projects/example-project/subscriptions/answers"),
        stream_sink(
            a_config(), Windows(width_s=300, shards=4), "projects/example-project/topics/alerts"
        ),
    ),
}


@pytest.mark.parametrize("mode", MODES)
def test_the_steps_are_those_of_the_diagram_and_have_stable_names(mode: str) -> None:
    labels = labels_of(*MODES[mode]())
    steps = [label for label in labels if "/" not in label]
    assert steps == [*STEPS, *(["KeepDeferred"] if mode == "engine" else [])]
    assert len(labels) > 2 * len(STEPS)
    assert [label for label in labels if "(" in label] == []


def golden(kind: str) -> list[Any]:
    return [json.loads(line) for line in (CASE / f"{kind}.jsonl").read_bytes().splitlines()]


def comparable(value: Any) -> Any:
    """A value without what differs from run to run: scores to a tenth, no clock, no folder."""
    if isinstance(value, dict):
        return {
            name: comparable(field)
            for name, field in value.items()
            if name not in {"checked_at", "latency_ms", "first_failed_at", "last_failed_at"}
        }
    if isinstance(value, list):
        return [comparable(item) for item in value]
    if isinstance(value, float):
        return round(value, 1)
    return str(value).replace(f"{CASE}/", "") if not isinstance(value, int | None) else value


def by_id(rows: list[Any]) -> list[Any]:
    return sorted(comparable(rows), key=lambda row: (row["record_id"] or "", row.get("source")))


def test_the_rows_of_a_small_archive_match_the_golden_files(tmp_path: Path) -> None:
    config = a_config(tmp_path)
    with local_pipeline() as root:
        build_pipeline(root, ReadArchives(config.inputs), archive_sink(config), config)
    assert by_id(records_in(tmp_path)) == by_id(golden("enriched"))
    assert by_id(failures_in(tmp_path)) == by_id(golden("failures"))
    assert by_id(alerts_in(tmp_path)) == by_id(golden("alerts"))
