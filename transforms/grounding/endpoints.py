"""Where Google's service is, by location.

Source: https://docs.cloud.google.com/generative-ai-app-builder/docs/locations
"""

GLOBAL = "global"
LOCATIONS = (GLOBAL, "us", "eu")
DEFAULT_CONFIG = "default_grounding_config"


def endpoint(location: str) -> str:
    """The address of the service in a location; endpoint and location must agree."""
    prefix = "" if location == GLOBAL else f"{location}-"
    return f"https://{prefix}discoveryengine.googleapis.com"


def grounding_config(project: str, location: str) -> str:
    """The resource name of the configuration that every project has."""
    return f"projects/{project}/locations/{location}/groundingConfigs/{DEFAULT_CONFIG}"


def location_of(config: str) -> str:
    """The location in a configuration's resource name."""
    return config.split("/")[3]
