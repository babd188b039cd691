"""Libraries and servers as they are, in an environment of their own: `make integrations`."""
