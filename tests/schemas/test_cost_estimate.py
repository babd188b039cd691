"""Estimates as JSON."""

import json

from groundwatch.schemas.quantities import indented_json, with_rfc3339_times
from tests.support.builders import an_estimate


def test_an_estimate_has_the_field_names_of_the_summary_and_an_rfc_3339_time() -> None:
    written = json.loads(indented_json(with_rfc3339_times(an_estimate())))
    names = "read", "failures", "duplicates", "sampled_out", "calls", "characters", "cost"
    assert [written[name] for name in names] == [10, 1, 1, 0, 7, 7_000, 0.7]
    assert written["estimated_at"] == "2026-03-03T12:00:00.000000Z"
