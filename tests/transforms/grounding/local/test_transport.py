import asyncio

import msgspec

from tests.support.checks import CHECK_PATH, check_request
from transforms.grounding.local.transport import LocalTransport
from transforms.grounding.transport import RawReply


def post(path: str, body: bytes) -> RawReply:
    return asyncio.run(LocalTransport().post(path, body, {}))


def test_a_client_is_answered_without_a_network() -> None:
    body = msgspec.json.encode(check_request("Lamps glow.", "Lamps glow."))
    reply = post(CHECK_PATH, body)
    assert reply.status == 200
    assert msgspec.json.decode(reply.body)["claims"][0]["citationIndices"] == [0]


def test_a_client_is_refused_as_the_service_would_refuse_it() -> None:
    reply = post("/v1/elsewhere", b"{}")
    assert reply.status == 404
    assert msgspec.json.decode(reply.body)["error"]["status"] == "NOT_FOUND"
