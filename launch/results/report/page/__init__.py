"""Render counts as HTML. No files but the templates, no clock."""
