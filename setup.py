"""Build the native core of the embedded checker where GROUNDWATCH_BUILD_NATIVE=1 asks for it."""

import os

from setuptools import Extension, setup

CORE = Extension(
    "transforms.grounding.local.native.core",
    ["transforms/grounding/local/native/core.c"],
    extra_compile_args=["-O2", "-Wall", "-Wextra"],
)

setup(ext_modules=[CORE] if os.environ.get("GROUNDWATCH_BUILD_NATIVE") == "1" else [])
