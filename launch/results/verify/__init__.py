"""Compare an output folder with its summary, its manifest and the ledgers of its workers."""
