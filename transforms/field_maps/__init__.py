"""Field maps: read an answer, a query and facts by paths, from any JSON object.

A preset is a row of `presets.PRESETS`. A user's map comes from `--map`.
"""
