"""Run commands with smaller limits than users have, in this process or in another.

`python -m tests.support.limits segment_messages=200 -- backfill ...` is the command in a process of
its own.
"""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any
from unittest.mock import patch

from msgspec.structs import replace

from groundwatch.launch.backfill import begin_run
from groundwatch.launch.cli.main import main
from groundwatch.launch.watch import run_worker
from groundwatch.launch.watch.worker import WorkerLimits
from groundwatch.pipeline.settings.checker import CheckerSettings
from groundwatch.transforms.grounding.settings import CheckSettings

LIMITED = ("-m", "tests.support.limits")
"""Python's arguments before limits, `--` and a command."""

_DEFAULTS = WorkerLimits()


@contextmanager
def limited(
    *,
    segment_messages: int = begin_run.SEGMENT_MESSAGES,
    batch_messages: int = _DEFAULTS.batch_messages,
    outstanding_messages: int = _DEFAULTS.outstanding_messages,
    **check: Any,
) -> Iterator[None]:
    """Let commands have these limits, while a `with` block or a decorated test lasts.

    `check` are fields of `CheckSettings`, of each checker.
    """
    limits = WorkerLimits(batch_messages=batch_messages, outstanding_messages=outstanding_messages)
    given: tuple[tuple[Any, str, dict[str, Any]], ...] = (
        (begin_run, "make_plan", {"segment_messages": segment_messages}),
        (run_worker, "open_worker", {"limits": limits}),
    )
    with ExitStack() as patched:
        for module, name, arguments in given:
            function = partial(getattr(module, name), **arguments)
            patched.enter_context(patch.object(module, name, function))
        whole = CheckerSettings.check

        def changed(*args: Any, **named: Any) -> CheckSettings:
            settings = replace(whole(*args, **named), **check)
            if settings.screen is None:
                return settings
            first = replace(settings.screen.first, **check)
            return replace(settings, screen=replace(settings.screen, first=first))

        patched.enter_context(patch.object(CheckerSettings, "check", changed))
        yield


if __name__ == "__main__":
    end = sys.argv.index("--")
    limits_given = dict(argument.split("=") for argument in sys.argv[1:end])
    with limited(**{name: int(number) for name, number in limits_given.items()}):
        sys.exit(main(sys.argv[end + 1 :]))
