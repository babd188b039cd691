"""What is counted. No files, no clock: records go in, counts come out."""
