"""Review answers in a browser: people label them, and the labels measure the verdicts."""
