"""The windows in which a stream's rows are gathered into files."""

from datetime import UTC, datetime

import apache_beam as beam
from apache_beam.transforms.trigger import (
    AccumulationMode,
    AfterCount,
    AfterProcessingTime,
    AfterWatermark,
    Repeatedly,
)
from apache_beam.transforms.window import FixedWindows, GlobalWindows, IntervalWindow

from pipeline.stream import Windows

ALLOWED_LATENESS_S = 31 * 24 * 3600
"""As long as Pub/Sub keeps any message, so that none is ever too late, and so left out.

Source: https://cloud.google.com/pubsub/docs/subscription-properties, "Message retention duration"
"""


def into_windows(windows: Windows) -> beam.WindowInto:
    """Gather by publish time: what comes late makes panes of its own, and nothing is left out."""
    now_and_then = AfterProcessingTime(windows.width_s)
    return beam.WindowInto(
        FixedWindows(windows.width_s),
        trigger=AfterWatermark(early=now_and_then, late=now_and_then),
        accumulation_mode=AccumulationMode.DISCARDING,
        allowed_lateness=ALLOWED_LATENESS_S,
    )


def out_of_windows() -> beam.WindowInto:
    """Let each element go its own way, where no window matters any more.

    A Reshuffle would keep the windows, and Beam's local streaming runner then drops what is late.
    """
    return beam.WindowInto(
        GlobalWindows(),
        trigger=Repeatedly(AfterCount(1)),
        accumulation_mode=AccumulationMode.DISCARDING,
    )


def window_name(window: IntervalWindow) -> str:
    """Name a window by its beginning, such as ``20260302T080500Z``."""
    start_s = window.start.seconds()
    return datetime.fromtimestamp(start_s, UTC).strftime("%Y%m%dT%H%M%SZ")
