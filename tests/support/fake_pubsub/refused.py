"""What the service answers instead of doing what it was asked."""

import grpc


class Refused(Exception):
    """A call that ends in an error.

    Args:
      code: the gRPC status.
      reason: one sentence for a person.
    """

    def __init__(self, code: grpc.StatusCode, reason: str) -> None:
        super().__init__(reason)
        self.code = code


def invalid(reason: str) -> Refused:
    """Refuse a request that can never be right."""
    return Refused(grpc.StatusCode.INVALID_ARGUMENT, reason)


def not_found(name: str) -> Refused:
    """Refuse to use what is not there."""
    return Refused(grpc.StatusCode.NOT_FOUND, f"Resource not found (resource={name}).")


def already_exists(name: str) -> Refused:
    """Refuse to create what is there."""
    return Refused(
        grpc.StatusCode.ALREADY_EXISTS, f"Resource already exists in the project (resource={name})."
    )
