"""Wire types: the JSON that chatbots write, and that the checker reads and writes."""
