"""What scores claims instead of the embedded checker's words: classifiers, a language model."""
