"""Parse texts to values."""

from typing import Any, Literal

import msgspec
import pytest

from groundwatch.pipeline.settings import kinds
from groundwatch.pipeline.settings.definition import Settings, settings_of


def parse(kind: Any, text: str) -> object:
    """Parse a text as a setting of this type does."""
    settings = msgspec.defstruct(
        "OneSetting", [("one", kind)], bases=(Settings,), kw_only=True, frozen=True
    )
    [setting] = settings_of(settings)
    return setting.kind.parse(text)


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        (kinds.Fraction, "0", 0.0),
        (kinds.Fraction, "1", 1.0),
        (kinds.Fraction, "4e-1", 0.4),
        (kinds.Share, "0.001", 0.001),
        (kinds.Share, "1", 1.0),
        (kinds.Positive, "0.5", 0.5),
        (kinds.Count, "20", 20),
        (kinds.Count, "007", 7),
        (kinds.Location, "out/x y", "out/x y"),
        (kinds.Location, "gs://bucket/x", "gs://bucket/x"),
        (kinds.Location, "./odd:name", "./odd:name"),
        (kinds.Text, " x ", " x "),
        (Literal["a", "b"], "b", "b"),
    ],
)
def test_a_valid_text_is_parsed(kind: Any, text: str, expected: object) -> None:
    assert parse(kind, text) == expected


@pytest.mark.parametrize(
    ("kind", "text", "complaint"),
    [
        (kinds.Fraction, "-0.1", "must be a number from 0 to 1"),
        (kinds.Fraction, "1.01", "must be a number from 0 to 1"),
        (kinds.Fraction, "nan", "must be a number from 0 to 1"),
        (kinds.Fraction, "", "must be a number from 0 to 1"),
        (kinds.Share, "0", "must be a number above 0, at most 1"),
        (kinds.Positive, "0", "must be a number above 0"),
        (kinds.Positive, "inf", "must be a number above 0"),
        (kinds.Count, "0", "must be a whole number from 1"),
        (kinds.Count, "1.0", "must be a whole number from 1"),
        (kinds.Count, "²", "must be a whole number from 1"),
        (kinds.MovedReason, "a", "must have the form REASON=VERDICT"),
        (kinds.MovedReason, "=b", "must have the form REASON=VERDICT"),
        (kinds.Location, "s3://bucket/x", "must be a local path, or begin with gs://"),
        (kinds.Location, "file:///x", "must be a local path, or begin with gs://"),
        (kinds.Location, "gs://", "must name a bucket after gs://"),
        (kinds.Location, "gs:///x", "must name a bucket after gs://"),
        (kinds.Location, "", "must not be empty"),
        (kinds.Text, " ", "must not be empty"),
        (kinds.Text, "a\udcff", "must be UTF-8; in another locale, set PYTHONUTF8=1"),
        (kinds.Location, "out/a\udcff", "must be UTF-8; in another locale, set PYTHONUTF8=1"),
        (Literal["a", "b"], "c", "must be one of a, b"),
    ],
)
def test_an_invalid_text_is_refused_with_what_it_must_be(
    kind: Any, text: str, complaint: str
) -> None:
    with pytest.raises(ValueError, match=f"^{complaint}$"):
        parse(kind, text)
