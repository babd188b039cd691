"""A Python worker that a Flink task manager starts (Beam's environment type `PROCESS`).

It replaces the `boot` program of Beam's images. Source: sdks/python/container/boot.go of Beam and
https://beam.apache.org/documentation/runtime/environments/
"""

import argparse
import os

import grpc
from apache_beam.portability.api import beam_provision_api_pb2, beam_provision_api_pb2_grpc
from apache_beam.runners.worker import sdk_worker_main
from apache_beam.runners.worker.worker_id_interceptor import WorkerIdInterceptor
from google.protobuf import json_format, text_format

_PROVISION_TIMEOUT_S = 60.0


def main() -> None:
    """Process the work of a task manager until there is none left."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--id", required=True)
    parser.add_argument("--provision_endpoint", required=True)
    flags, _ = parser.parse_known_args()
    with grpc.insecure_channel(flags.provision_endpoint) as channel:
        named = grpc.intercept_channel(channel, WorkerIdInterceptor(flags.id))
        service = beam_provision_api_pb2_grpc.ProvisionServiceStub(named)
        request = beam_provision_api_pb2.GetProvisionInfoRequest()
        info = service.GetProvisionInfo(request, _PROVISION_TIMEOUT_S).info
    os.environ |= {
        "WORKER_ID": flags.id,
        "PIPELINE_OPTIONS": json_format.MessageToJson(info.pipeline_options),
        "LOGGING_API_SERVICE_DESCRIPTOR": text_format.MessageToString(info.logging_endpoint),
        "CONTROL_API_SERVICE_DESCRIPTOR": text_format.MessageToString(info.control_endpoint),
    }
    sdk_worker_main.main([])


if __name__ == "__main__":
    main()
