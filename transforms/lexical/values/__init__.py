"""Read and compare values: numbers, amounts, dates and their units."""
