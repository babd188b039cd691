"""Bare ids out of resource names such as ``projects/P/…/engines/E/sessions/S/answers/A``."""


def engine_id(*names: str) -> str | None:
    """The engine, or the data store, in the first of several resource names that tells."""
    for name in names:
        if engine := _id_below("engines", name) or _id_below("dataStores", name):
            return engine
    return None


def session_id(*names: str) -> str | None:
    """The session in the first of several resource names that tells."""
    for name in names:
        if session := _id_below("sessions", name):
            return session
    return None


def _id_below(collection: str, name: str) -> str:
    rest = f"/{name}".partition(f"/{collection}/")[2]
    return rest.partition("/")[0]
