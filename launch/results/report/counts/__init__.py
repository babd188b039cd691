"""Count the records of an output folder. No files, no clock: records go in, counts come out."""
