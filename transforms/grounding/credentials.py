"""Get access tokens for Google's service, once for all calls."""

import asyncio
import os
import threading
from collections.abc import Mapping
from pathlib import Path

import google.auth
from google.auth import environment_vars, impersonated_credentials
from google.auth.credentials import Credentials
from google.auth.exceptions import GoogleAuthError, TransportError
from google.auth.transport.requests import Request
from google.oauth2 import service_account

from groundwatch.transforms.runtime.errors import InvalidEnvironment
from groundwatch.transforms.runtime.requests_session import EnvironmentSession
from .errors import Misconfigured, Unavailable
from .settings import GoogleAccount

SCOPE = "https://www.googleapis.com/auth/cloud-platform"


class Authority:
    """Share one token among all threads and tasks, and refresh it once when it expires.

    In google-auth every caller that finds the token expired refreshes it:
    googleapis/google-auth-library-python#1780.

    Raises:
      Misconfigured: the account's credentials do not exist, or the quota project cannot be sent.
    """

    def __init__(self, account: GoogleAccount) -> None:
        self._credentials = find_credentials(account)
        self._request = Request(EnvironmentSession())
        self._lock = threading.Lock()
        project = account.quota_project or self._credentials.quota_project_id
        self._headers = {"X-Goog-User-Project": project} if project else {}
        if not _can_be_sent(project or ""):
            raise Misconfigured(
                f"the quota project {project!r} is not the id of a project: correct --quota_project"
                " or the credentials"
            )

    async def headers(self, rejected: Mapping[str, str] | None = None) -> Mapping[str, str]:
        """Return the headers that authorize a call; get a new token if the last one has expired.

        `rejected` are headers that the service did not accept; their token is not returned again.
        """
        headers = self._current()
        if self._credentials.valid and headers != rejected:
            return headers
        return await asyncio.to_thread(self._refresh, rejected)

    def _current(self) -> Mapping[str, str]:
        token = f"Bearer {self._credentials.token}"
        if not _can_be_sent(token):
            raise Misconfigured(
                "the access token contains a line break or another character that no HTTP header"
                " may have: correct the credentials"
            )
        return {**self._headers, "Authorization": token}

    def _refresh(self, rejected: Mapping[str, str] | None) -> Mapping[str, str]:
        with self._lock:
            if not self._credentials.valid or self._current() == rejected:
                try:
                    self._credentials.refresh(self._request)
                except GoogleAuthError as error:
                    raise _check_failure(error) from None
                except InvalidEnvironment as error:
                    raise Misconfigured(str(error)) from None
            return self._current()


def _can_be_sent(value: str) -> bool:
    """Return whether a text can be the value of an HTTP header."""
    return value.isascii() and value.isprintable()


def find_credentials(account: GoogleAccount) -> Credentials:
    """Find the credentials of an account: a key file, or the application's default credentials."""
    named = account.credentials_file or os.environ.get(environment_vars.CREDENTIALS)
    if named and not Path(named).is_file():
        flag = "--credentials_file" if account.credentials_file else environment_vars.CREDENTIALS
        raise Misconfigured(
            f"{flag} {named}: there is no such key file; name another, or none after `gcloud auth"
            " application-default login`"
        )
    try:
        if account.credentials_file:
            credentials = service_account.Credentials.from_service_account_file(
                account.credentials_file, scopes=[SCOPE]
            )
        else:
            credentials, _ = google.auth.default(scopes=[SCOPE])
    except (GoogleAuthError, OSError, ValueError) as error:
        problem = f"{named} is not a key file of Google" if named else "no Google credentials"
        raise Misconfigured(
            f"{problem} ({type(error).__name__}): run `gcloud auth"
            " application-default login`, or name a key file with --credentials_file or"
            f" {environment_vars.CREDENTIALS}"
        ) from None
    if account.impersonate:
        return impersonated_credentials.Credentials(
            source_credentials=credentials,
            target_principal=account.impersonate,
            target_scopes=[SCOPE],
        )
    return credentials


def _check_failure(error: GoogleAuthError) -> Misconfigured | Unavailable:
    if getattr(error, "retryable", False) or isinstance(error, TransportError):
        return Unavailable(f"no access token now: {type(error).__name__}")
    return Misconfigured(
        f"no access token for these credentials: {type(error).__name__}; log in again, or grant"
        " roles/iam.serviceAccountTokenCreator on the account to impersonate"
    )
