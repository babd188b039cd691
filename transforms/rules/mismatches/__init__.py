"""What a claim says otherwise than its facts: numbers, dates, units, names and negations."""
