"""Checks that the build refuses a free-threaded Python, before anything is compiled.

``python tests/free_threaded.py`` configures the build with the tag of such a Python.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
TAG = "cpython-313t-x86_64-linux-gnu"
MESSAGE = "this one is free-threaded"


def main() -> None:
    """Configure the build in a temporary folder."""
    program = Path(sys.executable).with_name("cmake")
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "-S", ROOT, "-B", folder, "-G", "Ninja"]
        options = [f"-DPython_EXECUTABLE={sys.executable}", f"-DSKBUILD_SOABI={TAG}"]
        options.append(f"-DCMAKE_MAKE_PROGRAM={Path(sys.executable).with_name('ninja')}")
        run = subprocess.run([*command, *options], capture_output=True, text=True)
    if run.returncode == 0 or MESSAGE not in " ".join(run.stderr.split()):
        sys.exit(f"The build must refuse {TAG}, but cmake printed:\n{run.stdout}{run.stderr}")
    print(f"The build refuses a free-threaded Python ({TAG}).")


if __name__ == "__main__":
    main()
