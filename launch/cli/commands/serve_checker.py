"""Serve the embedded checker over HTTP."""

from collections.abc import Iterator
from typing import Annotated

from groundwatch.pipeline.settings import kinds
from groundwatch.pipeline.settings.definition import Note, Settings
from . import Command


class ServeCheckerSettings(Settings, frozen=True, kw_only=True):
    """The settings of `serve-checker`.

    serve_port: TCP port; 0 takes a free one.
    serve_host: Address to listen on.
    scorer: Model beside the words: small, none, a folder, or OWNER/NAME[@REVISION] of the Hugging
      Face Hub. Default: small.
    scorer_weight: Weight of the model: 0 for the words alone, inf for the model alone.
    judge: Address of an OpenAI-compatible API, such as https://api.openai.com/v1, whose model
      scores claims. The key is OPENAI_API_KEY in the environment.
    judge_model: Name of the judge's model.
    """

    serve_port: Annotated[kinds.Port, Note(flag="port")] = 8080
    serve_host: Annotated[kinds.Text, Note(flag="host")] = "127.0.0.1"
    scorer: Annotated[kinds.Scorer | None, Note(needs="judge=")] = None
    scorer_weight: Annotated[kinds.Weight, Note(needs="scorer")] = 1.0
    judge: kinds.Url | None = None
    judge_model: kinds.Text | None = None

    def problems(self) -> Iterator[str]:
        if (self.judge is None) != (self.judge_model is None):
            yield "--judge and --judge_model belong together: pass both"


COMMAND = Command(
    settings=ServeCheckerSettings,
    run="groundwatch.launch.checker.checker_server:serve_checker",
    examples=(
        "--port 8080",
        "--port 0 --scorer models/nli",
        "--judge https://api.openai.com/v1 --judge_model NAME",
    ),
)
