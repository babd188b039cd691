"""Times and sizes in the units that the program counts in."""

SECOND_US = 1_000_000
MINUTE_US = 60 * SECOND_US
HOUR_US = 60 * MINUTE_US
DAY_US = 24 * HOUR_US

MEGABYTE = 1024 * 1024
