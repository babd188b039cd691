"""What the steps need of Beam: metrics, failures, coders, throttling and shared resources."""
