"""What a backfill will take, told without a call."""
