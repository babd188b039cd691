"""Read the files of an output folder, for the report, verify, show and export."""
