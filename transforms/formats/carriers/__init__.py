"""Carriers: the logs, exports and envelopes of other systems that answers arrive in.

A new carrier is a `Carrier` in a file here and an entry in `carrier_table.CARRIERS`. Carriers nest:
a Pub/Sub push body may hold a log entry, which may hold an answer in any format.
"""
