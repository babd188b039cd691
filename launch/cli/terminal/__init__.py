"""What a person reads on a terminal: numbers, summaries, errors, and the exit status."""
