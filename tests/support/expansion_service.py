"""An expansion service that knows one transform, Beam's sink for the Storage Write API.

The fields of its configuration are those of `BigQueryWriteConfiguration` in Beam's Java SDK:
https://github.com/apache/beam/blob/v2.62.0/sdks/java/io/google-cloud-platform/src/main/java/org/apache/beam/sdk/io/gcp/bigquery/providers/BigQueryWriteConfiguration.java
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, NamedTuple

import grpc
from apache_beam.coders import RowCoder
from apache_beam.portability import common_urns
from apache_beam.portability.api import (
    beam_expansion_api_pb2,
    beam_expansion_api_pb2_grpc,
    external_transforms_pb2,
    schema_pb2,
)
from apache_beam.typehints.schemas import named_tuple_to_schema

SINK = "beam:schematransform:org.apache.beam:bigquery_storage_write:v2"
_OUTPUTS = "post_write", "FailedRowsWithErrors"


class ErrorHandling(NamedTuple):
    output: str


class Configuration(NamedTuple):
    table: str
    create_disposition: str | None
    write_disposition: str | None
    triggering_frequency_seconds: int | None
    use_at_least_once_semantics: bool | None
    auto_sharding: bool | None
    num_streams: int | None
    error_handling: ErrorHandling | None
    use_cdc_writes: bool | None
    primary_key: Sequence[str] | None
    clustering_fields: Sequence[str] | None
    big_lake_configuration: Mapping[str, str] | None


class ExpansionService(beam_expansion_api_pb2_grpc.ExpansionServiceServicer):
    """Keep what is expanded: a configuration and a coder of rows for each transform."""

    def __init__(self) -> None:
        self.address = ""
        self.configurations: list[Any] = []
        self.row_coders: list[RowCoder] = []

    def DiscoverSchemaTransform(self, *_: Any) -> Any:  # noqa: N802 - the service's
        config = beam_expansion_api_pb2.SchemaTransformConfig(
            config_schema=named_tuple_to_schema(Configuration), output_pcollection_names=_OUTPUTS
        )
        return beam_expansion_api_pb2.DiscoverSchemaTransformResponse(
            schema_transform_configs={SINK: config}
        )

    def Expand(self, request: Any, _: Any) -> Any:  # noqa: N802 - the service's
        payload = external_transforms_pb2.SchemaTransformPayload()
        payload.ParseFromString(request.transform.spec.payload)
        assert payload.identifier == SINK
        coder = RowCoder(payload.configuration_schema)
        self.configurations.append(coder.decode(payload.configuration_row))
        [rows] = request.transform.inputs.values()
        coder_id = request.components.pcollections[rows].coder_id
        spec = request.components.coders[coder_id].spec
        assert spec.urn == common_urns.coders.ROW.urn
        self.row_coders.append(RowCoder(schema_pb2.Schema.FromString(spec.payload)))
        return self._expanded(request, rows)

    def _expanded(self, request: Any, rows: str) -> Any:
        response = beam_expansion_api_pb2.ExpansionResponse(components=request.components)
        response.transform.CopyFrom(request.transform)
        response.transform.outputs.clear()
        collections = response.components.pcollections
        for name in _OUTPUTS:
            collection = f"{request.namespace}{name}"
            collections[collection].CopyFrom(request.components.pcollections[rows])
            collections[collection].unique_name = collection
            response.transform.outputs[name] = collection
        return response


@contextmanager
def expansion_service() -> Iterator[ExpansionService]:
    """Run the service while a `with` block lasts."""
    service = ExpansionService()
    server = grpc.server(ThreadPoolExecutor(2))
    beam_expansion_api_pb2_grpc.add_ExpansionServiceServicer_to_server(service, server)
    service.address = f"localhost:{server.add_insecure_port('localhost:0')}"
    server.start()
    try:
        yield service
    finally:
        server.stop(None).wait(60)
