"""The metadata of the Flex Templates, derived from the settings of the commands.

`python -m tests.support.templates` writes `watch.json` and `backfill.json` in
`launch/deploy/dataflow/`. `python -m tests.support.templates IMAGE FOLDER` writes the templates
themselves, which name an image.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from groundwatch.launch.cli.commands.backfill import BackfillSettings
from groundwatch.launch.cli.commands.watch import WatchStreamSettings
from groundwatch.pipeline.settings.definition import Setting, Settings, accepted_settings
from tests.support.repository import ROOT

Json = dict[str, object]
FOLDER = ROOT / "launch" / "deploy" / "dataflow"
# Dataflow's launcher passes the project by itself.
_NOT_PARAMETERS = {"project"}
_BEAM_PARAMETERS = (
    {
        "name": "sdk_container_image",
        "label": "SDK container image",
        "helpText": "The image that the workers run: the template's own.",
        "isOptional": True,
        "paramType": "TEXT",
    },
    {
        "name": "number_of_worker_harness_threads",
        "label": "Threads of a process",
        "helpText": "Bundles that a worker's process works on at once; by default Dataflow's own"
        " number, 12 for a streaming job.",
        "isOptional": True,
        "paramType": "NUMBER",
    },
)
"""Flags of Beam that concern the template's image, or how many calls can be under way."""


def all_metadata() -> dict[str, Json]:
    """Describe the templates: the streaming one, `watch`, and the batch one, `backfill`."""
    return {
        "watch": {
            "name": "groundwatch watch",
            "description": "Checks whether the answers in a Pub/Sub subscription are supported by"
            " their sources: enriched Avro to a bucket, alerts and failures to topics.",
            "streaming": True,
            "supportsAtLeastOnce": False,
            "supportsExactlyOnce": True,
            "defaultStreamingMode": "EXACTLY_ONCE",
            "parameters": _parameters(WatchStreamSettings),
        },
        "backfill": {
            "name": "groundwatch backfill",
            "description": "Checks whether the answers in an archive are supported by their"
            " sources: enriched Avro, alerts and failures to a bucket.",
            "streaming": False,
            "parameters": _parameters(BackfillSettings),
        },
    }


def template_settings(settings: type[Settings]) -> list[Setting]:
    """List the settings that a template takes as parameters."""
    return [
        field
        for field in accepted_settings(settings)
        if not field.note.is_local and field.name not in _NOT_PARAMETERS
    ]


def template_of(metadata: Json, image: str) -> Json:
    """Make a template's file, with all metadata, which `gcloud dataflow flex-template build` drops.

    Source: `ContainerSpec` in google/dataflow/v1beta3/templates.proto of googleapis.
    """
    return {
        "image": image,
        "sdkInfo": {"language": "PYTHON"},
        "metadata": metadata,
        "defaultEnvironment": {"sdkContainerImage": image},
    }


def main(arguments: Sequence[str]) -> None:
    """Write the metadata, or the templates of an image into a folder."""
    for name, metadata in all_metadata().items():
        folder, content = FOLDER, metadata
        if arguments:
            folder, content = Path(arguments[1]), template_of(metadata, arguments[0])
        text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
        (folder / f"{name}.json").write_text(text, encoding="utf-8")


def _parameters(settings: type[Settings]) -> list[Json]:
    return [*map(_parameter, template_settings(settings)), *_BEAM_PARAMETERS]


def _parameter(field: Setting) -> Json:
    words = field.kind.choices() if field.kind.choices else ()
    described: Json = {
        "name": field.name,
        "label": field.name.replace("_", " ").capitalize(),
        "helpText": field.help,
        "isOptional": not field.is_required,
        "paramType": "TEXT" if words and field.is_many else field.kind.parameter_type,
    }
    if words and not field.is_many:
        described["enumOptions"] = [{"value": word, "label": word} for word in words]
    if field.default_text and not field.note.default:
        described["defaultValue"] = field.default_text
    return described


if __name__ == "__main__":
    main(sys.argv[1:])
