"""The command line: commands and their settings, paths, Beam's options, and what people read."""
