"""Wire types: the JSON that chatbots write and that the checker reads and writes.

The types have the names of the services' own types; import a module of them as `wire`.
"""
