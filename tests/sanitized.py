"""Runs the kernel tests on a build of the package that has the sanitizers in it.

``python tests/sanitized.py FOLDER``, with the sanitizer's library preloaded. The editable install
would win over the folder, so its finder is taken out first.
"""

import sys

import pytest

if __name__ == "__main__":
    folder = sys.argv[1]
    sys.meta_path = [f for f in sys.meta_path if "ScikitBuild" not in type(f).__name__]
    sys.path.insert(0, folder)
    import rulewright.kernels._core as core

    if not core.__file__.startswith(folder) and f"/{folder}/" not in core.__file__:
        sys.exit(f"the sanitized core is not the one imported: {core.__file__}")
    sanitizers_allocate = "--ignore=tests/kernels/test_memory.py"  # so glibc's malloc is not there
    plugins = ["-p", "no:cacheprovider", "-p", "no:xdist"]
    sys.exit(pytest.main(["-q", "-s", *plugins, sanitizers_allocate, "tests/kernels"]))
