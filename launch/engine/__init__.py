"""The durable engine: batches of messages, one transaction each, final files from one database."""
