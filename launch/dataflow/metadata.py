"""The metadata of the Flex Templates, made from the options of the commands.

`python -m launch.dataflow.metadata` writes `watch.json` and `backfill.json` beside this file, and
`python -m launch.dataflow.metadata IMAGE FOLDER` the templates themselves, which name an image.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from launch.dataflow.parameters import kind_of, pattern_of, template_options
from launch.dataflow.streaming import stream_options
from launch.start import options_from
from pipeline import options
from pipeline.option import OneOf, Option

_HERE = Path(__file__).parent
_BEAM_PARAMETERS = (
    {
        "name": "sdk_container_image",
        "label": "SDK container image",
        "helpText": "The image that the workers run: the template's own.",
        "isOptional": True,
        "regexes": [r"^\S+$"],
        "paramType": "TEXT",
    },
    {
        "name": "number_of_worker_harness_threads",
        "label": "Threads of a process",
        "helpText": "Bundles that a worker's process works on at once; by default Dataflow's own"
        " number, 12 for a streaming job.",
        "isOptional": True,
        "regexes": ["^0*[1-9][0-9]*$"],
        "paramType": "NUMBER",
    },
)
"""Flags of Beam that concern the template's image, or how many calls can be under way."""


def watch_metadata() -> dict[str, Any]:
    """Describe the streaming template."""
    return {
        "name": "groundwatch watch",
        "description": "Tells of the answers in a Pub/Sub subscription whether their sources"
        " support them: enriched Avro to a bucket, alerts and failures to topics.",
        "streaming": True,
        "supportsAtLeastOnce": False,
        "supportsExactlyOnce": True,
        "defaultStreamingMode": "EXACTLY_ONCE",
        "parameters": _parameters(stream_options()),
    }


def backfill_metadata() -> dict[str, Any]:
    """Describe the batch template."""
    return {
        "name": "groundwatch backfill",
        "description": "Tells of the answers in an archive whether their sources support them:"
        " enriched Avro, alerts and failures to a bucket.",
        "streaming": False,
        "parameters": _parameters(options_from(options.INPUT)),
    }


def _parameters(known: Sequence[Option]) -> list[dict[str, Any]]:
    return [*map(_parameter, template_options(known)), *_BEAM_PARAMETERS]


def _parameter(option: Option) -> dict[str, Any]:
    described = {
        "name": option.name,
        "label": option.name.replace("_", " ").capitalize(),
        "helpText": f"{option.meaning[0].upper()}{option.meaning[1:]}.",
        "isOptional": not option.is_required,
        "regexes": [pattern_of(option)],
        "paramType": kind_of(option).type,
    }
    if kind_of(option).type == "ENUM" and isinstance(option.read, OneOf):
        described["enumOptions"] = [{"value": word, "label": word} for word in option.read.choices]
    if option.is_switch or option.default not in (None, ()):
        described["defaultValue"] = _default(option)
    return described


def _default(option: Option) -> str:
    if option.is_switch:
        return str(option.default).lower()
    return " ".join(map(str, option.default)) if option.takes_many else str(option.default)


def template_of(metadata: dict[str, Any], image: str) -> dict[str, Any]:
    """Make a template of an image and its metadata.

    `gcloud dataflow flex-template build` would leave members of the metadata out.

    Args:
      metadata: of `watch_metadata` or `backfill_metadata`.
      image: of the launcher and the workers, best by its digest.

    Returns:
      The members of the template's file.

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
    described = {"watch": watch_metadata(), "backfill": backfill_metadata()}
    for name, metadata in described.items():
        if arguments:
            image, folder = arguments
            _write(Path(folder) / f"{name}.json", template_of(metadata, image))
        else:
            _write(_HERE / f"{name}.json", metadata)


def _write(path: Path, members: dict[str, Any]) -> None:
    path.write_text(json.dumps(members, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
