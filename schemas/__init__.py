"""What things are: wire types, records and Avro schemas. No Beam, no I/O."""
