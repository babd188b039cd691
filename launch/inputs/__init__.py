"""The inputs of a command: paths, messages of archives, and labels."""
