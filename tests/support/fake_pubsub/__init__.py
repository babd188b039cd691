"""A Pub/Sub server of our own: what tests, the demo and local play talk to, over real gRPC.

It keeps everything in memory and speaks as much of `google.pubsub.v1` as groundwatch needs: topics
and subscriptions, publishing within the service's limits, Pull and StreamingPull, leases that end,
and refusals. What it does not do (filters, ordering, exactly-once, push, retry policies, dead
letters, snapshots) it refuses rather than ignores. Faults can be injected.
"""
