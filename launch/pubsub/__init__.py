"""Pub/Sub for the durable worker: messages in until their fate is settled, alerts and failures out.

`subscription.py` pulls, holds leases and settles; `topic.py` publishes. Both go on through times in
which Pub/Sub does not answer, and stop only for what a person has to change.
"""
