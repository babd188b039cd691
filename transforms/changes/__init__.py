"""Change statements that a text supports so that it no longer does (pure)."""
