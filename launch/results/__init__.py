"""Work with an output folder: `show`, `report`, `export`, `verify`."""
