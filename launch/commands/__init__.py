"""The commands, one module each: `COMMAND` says what it takes and which function runs it."""
