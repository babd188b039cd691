"""Reading a sentence: its dates, numbers, names and denials."""
