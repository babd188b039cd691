"""The addresses of Google's service, by location.

Source: https://docs.cloud.google.com/generative-ai-app-builder/docs/locations
"""

GLOBAL = "global"
LOCATIONS = (GLOBAL, "us", "eu")
DEFAULT_CONFIG = "default_grounding_config"


def endpoint(location: str) -> str:
    """Return the address of the service in a location."""
    prefix = "" if location == GLOBAL else f"{location}-"
    return f"https://{prefix}discoveryengine.googleapis.com"


def grounding_config(project: str, location: str) -> str:
    """Return the resource name of the grounding configuration that every project has."""
    return f"projects/{project}/locations/{location}/groundingConfigs/{DEFAULT_CONFIG}"


def location_of(config: str) -> str:
    """Return the location in a configuration's resource name."""
    return config.split("/")[3]
