"""What is missing before Flink can run here."""


class Missing(Exception):
    """Something is not there, or not as it should be; the message says what to do."""
