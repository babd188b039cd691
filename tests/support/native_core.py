"""The native core, built once a process into a temporary folder where there is a C compiler."""

import atexit
import os
import shutil
import subprocess
import sysconfig
import tempfile
from functools import cache
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from transforms.grounding.local import native

SOURCE = Path(native.__file__).with_name("core.c")
ABSENT = "NO C COMPILER: the native core was not built. Install gcc and Python's headers, or set CC"


def find_compiler() -> str | None:
    """The path of the C compiler: that in the environment's CC, else cc; None without headers."""
    has_headers = (Path(sysconfig.get_path("include")) / "Python.h").exists()
    return shutil.which(os.environ.get("CC", "cc")) if has_headers else None


def build(folder: Path, *flags: str) -> Path:
    """Compile the core without a warning; `flags` are the compiler's."""
    compiler = find_compiler()
    assert compiler, ABSENT
    target = folder / f"core{sysconfig.get_config_var('EXT_SUFFIX')}"
    paths = ["-I", sysconfig.get_path("include"), str(SOURCE), "-o", str(target)]
    strict = ["-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    subprocess.run([compiler, *strict, *flags, *paths], check=True)  # noqa: S603 - our own source
    return target


@cache
def native_core() -> Any:
    """The module; None without a compiler."""
    if find_compiler() is None:
        return None
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = build(Path(folder), "-O1")
    spec = spec_from_file_location("core", path, loader=ExtensionFileLoader("core", str(path)))
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
