"""Pull messages, acknowledge them once they are durable, and publish alerts and failures."""
