"""The worker's health, its metrics, and the server that shows them."""
