"""Try whether the checkers of a run can be connected to, before it begins."""

from groundwatch.transforms.runtime import network_environment
from groundwatch.transforms.runtime.errors import InvalidEnvironment
from .errors import Misconfigured, Unavailable
from .scorers.python_object import find_object
from .settings import LOCAL, CheckSettings


def try_connection(settings: CheckSettings) -> None:
    """Connect to a checker, and to one before it, unless a proxy stands between.

    A Python object is looked up, and not made.

    Raises:
      Unavailable: there is no connection.
      InvalidEnvironment: there is no such object, or its proxy, or the certificates to trust,
        cannot be used.
    """
    for checker in settings.checkers:
        if checker.checker == LOCAL or checker.given:
            continue
        if checker.is_object:
            try:
                find_object(checker.checker)
            except Misconfigured as error:
                raise InvalidEnvironment(str(error)) from error
            continue
        try:
            network_environment.try_address(checker.endpoint, checker.proxy)
        except OSError as error:
            raise unreachable(checker, error) from None


def unreachable(settings: CheckSettings, error: Exception) -> Unavailable:
    """Describe a checker that cannot be connected to, with advice."""
    proxy = network_environment.choose_proxy(settings.endpoint, settings.proxy)
    advice = "check the network, or set --proxy"
    if proxy:
        advice = f"check {proxy.source}, or list the checker in NO_PROXY"
    elif settings.account is None:
        another = "--escalate" if settings.screen else "--checker"
        advice = f"start the checker, or choose another with {another}"
    place = f"{settings.endpoint}{network_environment.through(proxy)}"
    message = f"cannot connect to {place} ({network_environment.describe_failure(error)}): {advice}"
    return Unavailable(message, was_sent=False)
