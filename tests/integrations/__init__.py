"""Results to real servers, in an environment of their own: `make integrations`."""
