"""Pull messages, and acknowledge them once they are durable."""
