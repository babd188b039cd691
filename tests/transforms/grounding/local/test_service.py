import msgspec
import pytest

from schemas.wire.grounding_check import CheckResponse
from tests.support.checks import CHECK_PATH, check_request
from transforms.grounding.local.embedded_check import check_grounding
from transforms.grounding.local.service import answer

REQUEST = check_request("Lamps glow.", "Lamps glow red.")
BODY = msgspec.json.encode(REQUEST)


@pytest.mark.parametrize(
    "path",
    [
        "/v1/projects/p/locations/global/groundingConfigs/c:check",
        "/v1beta/projects/p/locations/eu/groundingConfigs/c:check",
        "/v1alpha/projects/1/locations/us/groundingConfigs/c-1:check?alt=json&x=y",
    ],
)
def test_every_version_and_location_is_served(path: str) -> None:
    reply = answer("POST", path, BODY)
    assert reply.status == 200
    assert msgspec.json.decode(reply.body, type=CheckResponse) == check_grounding(REQUEST)


def test_what_is_absent_is_not_written() -> None:
    reply = answer("POST", CHECK_PATH, b'{"answerCandidate": "Hello!"}')
    assert msgspec.json.decode(reply.body) == {
        "claims": [{"endPos": 6, "claimText": "Hello!", "groundingCheckRequired": False}]
    }


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "name"),
    [
        pytest.param("POST", "/", BODY, 404, "NOT_FOUND", id="root"),
        pytest.param("POST", CHECK_PATH[:-6], BODY, 404, "NOT_FOUND", id="no verb"),
        pytest.param("POST", f"/v2{CHECK_PATH[7:]}", BODY, 404, "NOT_FOUND", id="version"),
        pytest.param("POST", f"{CHECK_PATH}/x", BODY, 404, "NOT_FOUND", id="longer path"),
        pytest.param("GET", CHECK_PATH, b"", 405, "UNIMPLEMENTED", id="method"),
        pytest.param("POST", CHECK_PATH, b"{", 400, "INVALID_ARGUMENT", id="cut JSON"),
        pytest.param("POST", CHECK_PATH, b"{}", 400, "INVALID_ARGUMENT", id="no answer"),
    ],
)
def test_refusals_are_written_as_google_writes_them(
    method: str, path: str, body: bytes, status: int, name: str
) -> None:
    reply = answer(method, path, body)
    error = msgspec.json.decode(reply.body)["error"]
    assert (reply.status, error["code"], error["status"]) == (status, status, name)
    assert error["message"]
