"""Send requests of the requests library, by which Google's and OpenTelemetry's clients call."""

from typing import Any

import requests
from requests.adapters import HTTPAdapter

from .network_environment import choose_proxy, tls_context, trusted_authorities

_ANY_TLS = "https://"


class EnvironmentSession(requests.Session):
    """A session that reads the environment as all clients of the project do."""

    def merge_environment_settings(
        self, url: str, _proxies: object, stream: object, verify: object, cert: object
    ) -> dict[str, Any]:
        """Return the settings of a request; raise `InvalidEnvironment`."""
        proxy = choose_proxy(url)
        verify = self.verify if verify is None else verify
        if verify is True and url.lower().startswith(_ANY_TLS):
            verify = self._trust()
        return {
            "proxies": {"all": proxy.url} if proxy else {},
            "stream": stream or self.stream,
            "verify": verify,
            "cert": cert or self.cert,
        }

    def _trust(self) -> object:
        """Return the path of the authorities that the environment names, or trust the system's."""
        file, folder = trusted_authorities()
        if named := file or folder:
            return str(named)
        if not isinstance(self.get_adapter(_ANY_TLS), _SystemAdapter):
            self.mount(_ANY_TLS, _SystemAdapter())
        return True


class _SystemAdapter(HTTPAdapter):
    """Trust the system's authorities, too, where requests itself trusts those of Mozilla alone."""

    def init_poolmanager(self, *arguments: Any, **named: Any) -> None:
        """Make the connections to servers."""
        super().init_poolmanager(*arguments, **named, ssl_context=tls_context(_ANY_TLS))

    def proxy_manager_for(self, *arguments: Any, **named: Any) -> Any:
        """Make the connections to servers behind a proxy."""
        return super().proxy_manager_for(*arguments, **named, ssl_context=tls_context(_ANY_TLS))
