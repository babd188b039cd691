"""What other programs write and read: the JSON of the services groundwatch talks to."""
