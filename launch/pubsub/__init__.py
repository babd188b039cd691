"""Pub/Sub: pull messages and acknowledge them once they are durable, publish alerts and failures.

Both sides wait out an outage of Pub/Sub, and fail only if a person has to change something.
"""
