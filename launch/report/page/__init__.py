"""How the counts are shown. Counts go in, HTML comes out; no files but the templates, no clock."""
