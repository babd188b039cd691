"""Read words, sentences and phrases, by a table of each language."""
