"""`probe`: what a checker sees in texts of one's own."""
