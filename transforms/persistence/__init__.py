"""Keep state in local files and SQLite databases that other users cannot read."""
