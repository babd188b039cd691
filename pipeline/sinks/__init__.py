"""Write records, alerts and failures to files and topics."""
