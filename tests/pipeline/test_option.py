"""How the text of an option becomes a value."""

from collections.abc import Callable
from typing import Any

import pytest

from pipeline import option


@pytest.mark.parametrize(
    ("read", "text", "expected"),
    [
        (option.fraction, "0", 0.0),
        (option.fraction, "1", 1.0),
        (option.fraction, "4e-1", 0.4),
        (option.fraction_or_none, "None", None),
        (option.fraction_or_none, "0.6", 0.6),
        (option.share, "0.001", 0.001),
        (option.share, "1", 1.0),
        (option.positive, "0.5", 0.5),
        (option.whole, "20", 20),
        (option.whole, "007", 7),
        (option.pair, "a=b=c", ("a", "b=c")),
        (option.pair, "a=", ("a", "")),
        (option.location, "out/x y", "out/x y"),
        (option.location, "gs://bucket/x", "gs://bucket/x"),
        (option.location, "./odd:name", "./odd:name"),
        (option.some_text, " x ", " x "),
        (option.one_of(["a", "b"]), "b", "b"),
    ],
)
def test_a_good_text_is_read(read: Callable[[str], Any], text: str, expected: object) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    ("read", "text", "complaint"),
    [
        (option.fraction, "-0.1", "must be a number from 0 to 1"),
        (option.fraction, "1.01", "must be a number from 0 to 1"),
        (option.fraction, "nan", "must be a number from 0 to 1"),
        (option.fraction, "", "must be a number from 0 to 1"),
        (option.fraction_or_none, "no", "must be a number from 0 to 1, or none"),
        (option.share, "0", "must be a number above 0, at most 1"),
        (option.positive, "0", "must be a number above 0"),
        (option.positive, "inf", "must be a number above 0"),
        (option.whole, "0", "must be a whole number from 1"),
        (option.whole, "1.0", "must be a whole number from 1"),
        (option.whole, "²", "must be a whole number from 1"),
        (option.pair, "a", "must have the form NAME=VALUE"),
        (option.pair, "=b", "must have the form NAME=VALUE"),
        (option.location, "s3://bucket/x", "must be a local path, or begin with gs://"),
        (option.location, "file:///x", "must be a local path, or begin with gs://"),
        (option.location, "gs://", "must name a bucket after gs://"),
        (option.location, "gs:///x", "must name a bucket after gs://"),
        (option.location, "", "must not be empty"),
        (option.some_text, " ", "must not be empty"),
        (option.some_text, "a\udcff", "must be UTF-8"),
        (option.location, "out/a\udcff", "must be UTF-8"),
        (option.one_of(["a", "b"]), "c", "must be one of a, b"),
    ],
)
def test_a_bad_text_is_refused_saying_what_it_must_be(
    read: Callable[[str], Any], text: str, complaint: str
) -> None:
    with pytest.raises(ValueError, match=f"^{complaint}$"):
        read(text)
