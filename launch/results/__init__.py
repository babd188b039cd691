"""Work with an output folder: `show`, `report`, `review`, `export`, `evaluate`, `verify`."""
