"""What the worker raises alerts about, and how alerts and failures are published."""
