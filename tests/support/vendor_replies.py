"""What each tool and channel answers for what it has stored, as its API's reference says."""

import msgspec

from tests.support.http_messages import Received, Reply

_INSERTED = {"id": "U3BhbkFubm90YXRpb246MQ=="}


def documented_reply(request: Received) -> Reply:
    """Answer as the service does that takes such a request."""
    path = request.path.partition("?")[0]
    if path.startswith("/api/public/scores"):
        # https://api.reference.langfuse.com/#tag/scores: CreateScoreResponse
        return _json({"id": request.json["id"]})
    if path.endswith("_annotations"):
        # https://arize.com/docs/phoenix/sdk-api-reference/rest-api: AnnotateSpansResponseBody
        return _json({"data": [_INSERTED for _ in request.json["data"]]})
    if path.endswith("/assessments"):
        # https://mlflow.org/docs/latest/api_reference/rest-api.html: CreateAssessment
        return _json({"assessment": {"assessment_id": "a-1", **request.json["assessment"]}})
    if path.startswith("/api/3.0/mlflow/traces/"):
        return _json({"trace": {"trace_info": {"trace_id": path.rpartition("/")[2]}}})
    if path.endswith("/v1/logs"):
        # https://opentelemetry.io/docs/specs/otlp/#otlphttp-response: an empty message
        return Reply(body=b"", headers={"Content-Type": "application/x-protobuf"})
    return _channel_reply(request.json)


def _channel_reply(body: dict[str, object]) -> Reply:
    if "routing_key" in body:
        # https://developer.pagerduty.com/docs/events-api-v2/overview
        taken = {"status": "success", "message": "Event processed", "dedup_key": "k"}
        return _json(taken, status=202)
    if "cardsV2" in body:
        # https://developers.google.com/workspace/chat/api/reference/rest/v1/spaces.messages
        return _json({"name": "spaces/AAAA/messages/BBBB.BBBB"})
    if "blocks" in body:
        # https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
        return Reply(body=b"ok", headers={"Content-Type": "text/html"})
    # https://github.com/standard-webhooks/standard-webhooks/blob/main/spec: any status of 2xx
    return Reply(204, b"")


def _json(body: object, status: int = 200) -> Reply:
    return Reply(status, msgspec.json.encode(body), {"Content-Type": "application/json"})
