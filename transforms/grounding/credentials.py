"""Access tokens for Google's service: fetched once for all calls that need one."""

import asyncio
import threading
from collections.abc import Callable, Mapping

import google.auth
from google.auth import impersonated_credentials
from google.auth.credentials import Credentials
from google.auth.exceptions import GoogleAuthError, TransportError
from google.auth.transport.requests import Request
from google.oauth2 import service_account

from transforms.grounding.errors import Misconfigured, Unavailable
from transforms.grounding.settings import GoogleAccount

SCOPE = "https://www.googleapis.com/auth/cloud-platform"


class Authority:
    """Says who asks: one token for any number of threads and tasks.

    google-auth itself lets every caller refresh that finds the token expired:
    googleapis/google-auth-library-python#1780.

    Args:
      account: whose credentials to find.
      credentials: google-auth's own, in place of those the account names.
      request: google-auth's transport, which fetches tokens.

    Raises:
      Misconfigured: the account names credentials that are not there.
    """

    def __init__(
        self,
        account: GoogleAccount,
        credentials: Credentials | None = None,
        request: Callable[..., object] | None = None,
    ) -> None:
        self._credentials = credentials or find_credentials(account)
        self._request = request or Request()
        self._lock = threading.Lock()
        project = account.quota_project or self._credentials.quota_project_id
        self._headers = {"X-Goog-User-Project": project} if project else {}

    async def headers(self, rejected: Mapping[str, str] | None = None) -> Mapping[str, str]:
        """Return the headers that authorise a call, waiting for a token where there is none.

        Args:
          rejected: headers that the service has refused; their token is not returned again.

        Raises:
          Unavailable: a token could not be fetched now.
          Misconfigured: no token is given to these credentials.
        """
        headers = self._current()
        if self._credentials.valid and headers != rejected:
            return headers
        return await asyncio.to_thread(self._refreshed, rejected)

    def _current(self) -> Mapping[str, str]:
        return {**self._headers, "Authorization": f"Bearer {self._credentials.token}"}

    def _refreshed(self, rejected: Mapping[str, str] | None) -> Mapping[str, str]:
        with self._lock:
            if not self._credentials.valid or self._current() == rejected:
                try:
                    self._credentials.refresh(self._request)
                except GoogleAuthError as error:
                    raise _failure(error) from None
            return self._current()


def find_credentials(account: GoogleAccount) -> Credentials:
    """Find the credentials that the account names.

    Args:
      account: a service account's key file, else the application's default credentials; and
        whom to impersonate with them.

    Raises:
      Misconfigured: there are none.
    """
    try:
        if account.credentials_file:
            credentials = service_account.Credentials.from_service_account_file(
                account.credentials_file, scopes=[SCOPE]
            )
        else:
            credentials, _ = google.auth.default(scopes=[SCOPE])
    except (GoogleAuthError, OSError, ValueError) as error:
        raise Misconfigured(
            f"no Google credentials ({type(error).__name__}): run `gcloud auth"
            " application-default login`, or name a key file with --credentials_file"
        ) from None
    if account.impersonate:
        return impersonated_credentials.Credentials(
            source_credentials=credentials,
            target_principal=account.impersonate,
            target_scopes=[SCOPE],
        )
    return credentials


def _failure(error: GoogleAuthError) -> Misconfigured | Unavailable:
    if getattr(error, "retryable", False) or isinstance(error, TransportError):
        return Unavailable(f"no access token now: {type(error).__name__}")
    return Misconfigured(
        f"no access token for these credentials: {type(error).__name__}; log in again, or grant"
        " roles/iam.serviceAccountTokenCreator on the account to impersonate"
    )
