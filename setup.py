"""Build the native core of the embedded checker where NATIVE_CORE=1 asks for it."""

import os

from setuptools import Extension, setup

CORE = Extension(
    "transforms.grounding.local.native.core",
    ["transforms/grounding/local/native/core.c"],
    extra_compile_args=["-O2", "-Wall", "-Wextra"],
)

setup(ext_modules=[CORE] if os.environ.get("NATIVE_CORE") == "1" else [])
