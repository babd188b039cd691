"""Send requests of the requests library, by which Google's and OpenTelemetry's clients call."""

from typing import Any

import requests

from groundwatch.transforms.runtime.network_environment import choose_proxy, trusted_authorities


class EnvironmentSession(requests.Session):
    """A session that reads the environment as all clients of the project do."""

    def merge_environment_settings(
        self, url: str, _proxies: object, stream: object, verify: object, cert: object
    ) -> dict[str, Any]:
        """Return the settings of a request; raise `InvalidEnvironment`."""
        proxy = choose_proxy(url)
        return {
            "proxies": {"all": proxy.url} if proxy else {},
            "stream": stream or self.stream,
            "verify": self._verify(self.verify if verify is None else verify),
            "cert": cert or self.cert,
        }

    def _verify(self, given: object) -> object:
        """Return what was given, unless it is the default: then the authorities to trust."""
        file, folder = trusted_authorities()
        named = file or folder
        return str(named) if given is True and named else given
