"""The address of a record: a template, and values that cannot leave their place in it."""

from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.transforms.rules.record_urls import check_template, record_url
from tests.support.builders import RECORD_ID, an_enriched

TEMPLATE = "https://viewer.example/r/{record_id}?engine={engine}"


@pytest.mark.parametrize(
    "template",
    [TEMPLATE, "http://localhost:3000/trace/{trace_id}", "https://v.example/{engine}/{record_id}"],
)
def test_a_template_is_accepted(template: str) -> None:
    assert check_template(template) == template


@pytest.mark.parametrize(
    "template",
    [
        "https://viewer.example/",
        "https://viewer.example/{session}",
        "javascript:alert({record_id})",
        "ftp://viewer.example/{record_id}",
        "https://{record_id}",
        "https://viewer.example/{record_id}|text",
        "https://viewer.example/{record_id}\n",
        "https://viewer.example/{record_id}>",
        "https://viewer.example/{0}{record_id}",
        "https://viewer.example/{record_id",
    ],
)
def test_another_template_is_refused(template: str) -> None:
    with pytest.raises(ValueError, match="must be an http"):
        check_template(template)


def test_the_fields_are_filled_in() -> None:
    url = record_url(TEMPLATE, an_enriched(engine="help desk"))
    assert url == f"https://viewer.example/r/{RECORD_ID}?engine=help%20desk"


@pytest.mark.parametrize("template", [None, "https://v.example/{trace_id}"])
def test_there_is_no_address_without_a_template_or_its_field(template: str | None) -> None:
    assert record_url(template, an_enriched(trace_id=None)) is None


@given(st.text(st.characters(codec="utf-8"), min_size=1))
def test_a_value_stays_in_its_place(engine: str) -> None:
    url = record_url("https://v.example/{engine}/x", an_enriched(engine=engine))
    assert url is not None
    assert url.isascii()
    _, host, path, query, fragment = urlsplit(url)
    assert (host, query, fragment) == ("v.example", "", "")
    assert unquote(path) == f"/{engine}/x"
    assert path.count("/") == 2
