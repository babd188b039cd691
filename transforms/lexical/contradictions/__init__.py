"""Find how a claim contradicts a fact, and which of its values no fact has."""
