"""Starting jobs: Beam's options, the input, the output, and the run itself."""
