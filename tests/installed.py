"""Tries a wheel in a new environment, where no compiler and no other program is found.

``python tests/installed.py WHEEL`` installs the wheel with its dependencies, all of them from
wheels, runs the README's Python examples and the two commands that a user runs first.
"""

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
COMMANDS = (
    ("data", "wdbc", "--out", "wdbc.csv"),
    ("fit", "wdbc.csv", "--target", "class", "--learner", "tree", "--out", "model.json"),
)


def try_wheel(wheel: Path, folder: Path) -> None:
    """Install a wheel in a folder and use it."""
    venv.create(folder / "env", with_pip=True)
    programs = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
    python = str(programs / "python")
    kept = {name: os.environ[name] for name in os.environ if not name.startswith("RULEWRIGHT")}
    env = {**kept, "PATH": str(programs)}

    def run(*command: str) -> None:
        subprocess.run(command, cwd=folder, env=env, check=True)

    found = [
        name for name in ("cc", "c++", "gcc", "g++", "clang", "cl", "cmake") if which(name, env)
    ]
    if found:
        sys.exit(f"The environment must have no compiler, but it has {', '.join(found)}.")
    run(python, "-m", "pip", "install", "--quiet", "--only-binary", ":all:", str(wheel), "pandas")
    for command in COMMANDS:
        run(str(programs / "rulewright"), *command)
    run(python, "-m", "doctest", str(ROOT / "README.md"))
    print(f"{wheel.name} works with Python {sys.version.split()[0]}, without a compiler.")


def which(name: str, env: dict[str, str]) -> bool:
    """Whether a program is on the path of an environment."""
    return any((Path(part) / name).exists() for part in env["PATH"].split(os.pathsep))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        try_wheel(Path(sys.argv[1]).resolve(), Path(folder))
