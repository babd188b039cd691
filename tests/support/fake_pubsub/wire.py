"""Pub/Sub's messages as bare protocol buffers, a tenth of the cost of the client's wrappers."""

from typing import Any

from google.protobuf import empty_pb2
from google.pubsub_v1 import types

AcknowledgeRequest: Any = types.AcknowledgeRequest.pb()
DeleteSubscriptionRequest: Any = types.DeleteSubscriptionRequest.pb()
DeleteTopicRequest: Any = types.DeleteTopicRequest.pb()
GetSubscriptionRequest: Any = types.GetSubscriptionRequest.pb()
GetTopicRequest: Any = types.GetTopicRequest.pb()
ModifyAckDeadlineRequest: Any = types.ModifyAckDeadlineRequest.pb()
PublishRequest: Any = types.PublishRequest.pb()
PublishResponse: Any = types.PublishResponse.pb()
PubsubMessage: Any = types.PubsubMessage.pb()
PullRequest: Any = types.PullRequest.pb()
PullResponse: Any = types.PullResponse.pb()
StreamingPullRequest: Any = types.StreamingPullRequest.pb()
StreamingPullResponse: Any = types.StreamingPullResponse.pb()
Subscription: Any = types.Subscription.pb()
Empty = empty_pb2.Empty
Topic: Any = types.Topic.pb()
