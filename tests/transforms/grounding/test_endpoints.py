"""Google's addresses by location."""

import pytest

from transforms.grounding.settings import endpoint, grounding_config, location_of


@pytest.mark.parametrize(
    ("location", "address"),
    [
        ("global", "https://discoveryengine.googleapis.com"),
        ("us", "https://us-discoveryengine.googleapis.com"),
        ("eu", "https://eu-discoveryengine.googleapis.com"),
    ],
)
def test_each_location_has_an_address_of_its_own(location: str, address: str) -> None:
    assert endpoint(location) == address


def test_a_configuration_names_its_location() -> None:
    config = grounding_config("shop", "eu")
    assert config == "projects/shop/locations/eu/groundingConfigs/default_grounding_config"
    assert location_of(config) == "eu"
