"""Read words, sentences and phrases; the tables of eight languages."""
