"""`watch` on one machine: nothing is acknowledged before it is durable."""
