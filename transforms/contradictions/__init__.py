"""Find numbers, units, dates, names and negations in claims that contradict the facts."""
