"""The graphs that Dataflow gets: their steps by name, and how records travel in them."""

from collections import defaultdict

import pytest
from apache_beam.coders import coders
from apache_beam.coders.coders import _OrderedUnionCoder

from groundwatch.transforms.runtime.record_coder import RecordCoder
from tests.support.dataflow import MODES, Graph, graph_of
from tests.support.repository import ROOT

TWO_CHECKERS = "watch by two checkers"
GOLDEN = ROOT / "tests" / "data" / "dataflow"

_COMPATIBLE = "--update_compatibility_version={}"
STANDARD = (
    coders.BytesCoder,
    coders.StrUtf8Coder,
    coders.VarIntCoder,
    coders.DeterministicFastPrimitivesCoderV2,  # names and None as keys
    _OrderedUnionCoder,  # windows
)

PICKLED = {
    "Map(_from_proto_str)": "Beam's PubsubMessage, not beyond its stage",
    "ToMessage": "Beam's PubsubMessage, not beyond its stage",
    "PublishPart": "nothing",
    "WriteManifest": "nothing",
    "Map(decode)": "nothing",
    "UnKey": "the names of a batch's files, which Beam's runner for Dataflow patches",
}
"""Steps whose output is coded by Beam's own guess, and why that may be."""


def names_of(name: str) -> list[str]:
    """The names of the steps that a mode ever had."""
    path = GOLDEN / f"{name.replace(' ', '_')}.txt"
    return path.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("name", sorted(set(MODES) - {TWO_CHECKERS}))
def test_the_steps_have_the_names_they_ever_had_and_records_forms_that_an_update_can_read(
    name: str,
) -> None:
    assert sorted(graph_of(name).steps) == names_of(name)
    by_coder = defaultdict(set)
    for step, coder in graph_of(name).coders():
        by_coder[type(coder)].add(step.rpartition("/")[2])
    assert by_coder.pop(RecordCoder)
    assert by_coder.pop(coders.FastPrimitivesCoder) <= set(PICKLED)
    assert set(by_coder) <= set(STANDARD)


def test_a_second_checker_adds_no_step_so_that_a_running_job_can_be_updated_to_it() -> None:
    assert graph_of(TWO_CHECKERS).steps == graph_of("watch into files").steps
    assert _coders(graph_of(TWO_CHECKERS)) == _coders(graph_of("watch into files"))


@pytest.mark.parametrize("version", ["2.67.0", "2.76.0"])
def test_the_graph_of_an_older_beam_is_the_same(version: str) -> None:
    old, own = (graph_of("watch", *flags) for flags in ((_COMPATIBLE.format(version),), ()))
    assert old.steps == own.steps
    assert _coders(old) == _coders(own)


def _coders(graph: Graph) -> list[tuple[str, str]]:
    return sorted((step, type(coder).__name__) for step, coder in graph.coders())


@pytest.mark.parametrize("name", sorted(set(MODES) - {"backfill", TWO_CHECKERS}))
def test_no_step_of_a_stream_is_named_after_a_line_of_code(name: str) -> None:
    # Beam keeps this name since 2.68, whatever the line is: an update goes by names.
    fixed = "CheckGrounding/FillBundles/Gather/Map(<lambda at util.py:1275>)"
    assert {step for step in names_of(name) if "lambda" in step} <= {fixed}


def test_dataflow_reads_batches_and_publishes_by_its_own_means() -> None:
    urns = graph_of("watch").steps
    assert urns["ReadMessages/Pull/Read"] == "beam:transform:pubsub_read:v1"
    gathering = urns["CheckGrounding/FillBundles/Gather"]
    assert gathering == "beam:transform:group_into_batches_with_sharded_key:v1"
    publishing = [urn for step, urn in urns.items() if "_PubSubWriteDoFn" in step]
    assert publishing == ["beam:transform:pubsub_write:v1"] * 2
