"""Input formats: detect the format of a message and read it as answers.

`parser` parses a message's JSON (`json_input`), unwraps its `carriers`, splits it into its answers,
detects the format of each (`format_table`), reads it, and makes its record id. A new format is a
`Format` in a file here and an entry in `format_table.FORMATS`. `field_maps` read rows of other
tools by paths.
"""
