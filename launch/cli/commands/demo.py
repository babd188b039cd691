"""Check the bundled sample answers, without a cloud.

--checker and --escalate name a checker of yours. The environment and --config do not set them here.
"""

from typing import Annotated

from groundwatch.pipeline.settings import kinds
from groundwatch.pipeline.settings.checker import CheckerSettings
from groundwatch.pipeline.settings.definition import Note, Settings
from . import Command

_LEFT_OUT = (
    "api_version max_in_flight requests_per_minute timeout_s proxy credentials_file"
    " impersonate_service_account quota_project"
)


class DemoSettings(Settings, frozen=True, kw_only=True):
    """The settings of `demo`.

    demo_output: Output folder.
    """

    demo_output: Annotated[kinds.OutputFolder, Note(flag="output")] = "out/demo"
    checker: Annotated[CheckerSettings, Note(is_argument=True, without=_LEFT_OUT)]


COMMAND = Command(
    settings=DemoSettings,
    run="groundwatch.launch.backfill.start_job:demo",
    examples=("", "--output out/first", "--escalate http://127.0.0.1:8080"),
)
