"""Read archives, subscriptions and batches of messages."""
