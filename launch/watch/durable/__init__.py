"""The worker's durable state: journal, batches, files, and who owns the output."""
