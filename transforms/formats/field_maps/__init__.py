"""Field maps: read an answer, a query and facts by paths, from any JSON object.

A preset is an entry of `presets.toml`. A user's map comes from `--map`.
"""
