"""Puts the sources of the site together in a folder, for Sphinx.

``python docs/site/build.py FOLDER`` copies the documents, writes the reference of the commands and
of the Python names, and leaves the finished examples of an earlier run where they are.
"""

import importlib
import inspect
import re
import shutil
import sys
from pathlib import Path
from typing import Any

from rulewright.cli.commands import COMMANDS, load_command

SITE = Path(__file__).parent
DOCS = SITE.parent
ROOT = DOCS.parent
WHOLE = (
    "CHANGELOG.md",
    "CODE_OF_CONDUCT.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "THINGS_THAT_BITE.md",
)
API = {
    "rulewright": None,
    "rulewright.models": ("Model", "RegressionModel"),
    "rulewright.certificates": (
        "SplitCertificate",
        "CompressionCertificate",
        "HoldoutCertificate",
        "RegressionCertificate",
    ),
    "rulewright.bounds": None,
    "rulewright.criteria": None,
}
"""Packages whose names are documented: all of them, or those that are named."""


def cell(text: str) -> str:
    """A text for a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;").replace("[", "\\[")


def option_line(parameter: Any) -> str:
    """A line of the table of options."""
    names = ", ".join(f"`{name}`" for name in (*parameter.opts, *parameter.secondary_opts))
    default = parameter.default
    shown = (
        ""
        if default in (None, False, "", (), []) or callable(default)
        else f" Default: `{default}`."
    )
    return f"| {names} | {cell(getattr(parameter, 'help', None) or '')}{shown} |\n"


def command_text(name: str) -> str:
    """Section of a command: its help, its arguments and its options."""
    command = load_command(name)
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [p for p in command.params if p.param_type_name == "option" and not p.hidden]
    usage = " ".join(
        ["rulewright", name, *((p.metavar or p.name or "").upper() for p in arguments)]
    )
    parts = re.split(r"\n\s*\n", (command.help or "").replace("\b", "").strip())
    lines = [f"## {name}\n\n    {usage} [OPTIONS]\n\n"]
    for part in parts:
        indented = all(line.startswith("  ") or "rulewright " in line for line in part.splitlines())
        lines.append(
            f"```text\n{part}\n```\n\n" if indented and "\n" in part else f"{cell(part)}\n\n"
        )
    if arguments or options:
        lines.append("| argument or option | meaning |\n|---|---|\n")
        for argument in arguments:
            label = (argument.metavar or argument.name or "").upper().replace("|", "\\|")
            lines.append(f"| `{label}` | {cell(getattr(argument, 'help', None) or '')} |\n")
        lines += [option_line(option) for option in options]
    return "".join(lines) + "\n"


def command_page() -> str:
    """The reference of all commands."""
    head = (
        "# The command line\n\nWritten from the commands themselves. [Commands](commands.md) has exit codes, "
        "files and the members of `--json`. `rulewright learners NAME` lists the options of a learner; they are "
        "the parameters of its estimator in [Python](api.md).\n\n"
    )
    return head + "".join(map(command_text, COMMANDS))


def names_of(package: str, chosen: tuple[str, ...] | None) -> list[str]:
    """Classes and functions of a package that have a docstring of their own."""
    module = importlib.import_module(package)
    names = chosen or [name for name in module.__all__ if not name.startswith("__")]
    found = {name: getattr(module, name) for name in names}
    return [name for name, it in found.items() if inspect.isclass(it) or inspect.isroutine(it)]


def api_page() -> str:
    """The reference of the Python names, which autosummary fills."""
    parts = ["# Python\n\n"]
    for package, chosen in API.items():
        summary = (importlib.import_module(package).__doc__ or "").splitlines()[0]
        listed = "\n".join(f"   {name}" for name in names_of(package, chosen))
        parts.append(
            f"## {package}\n\n{summary}\n\n```{{eval-rst}}\n.. currentmodule:: {package}\n\n"
            f".. autosummary::\n   :toctree: generated\n\n{listed}\n```\n\n"
        )
    return "".join(parts)


def write(path: Path, text: str) -> None:
    """Write a text, unless it is there already: an unchanged file is not read again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def site_text(text: str) -> str:
    """A document in which links to examples lead to their pages in the gallery."""
    text = text.replace("](examples)", "](gallery/index.rst)")
    return re.sub(r"\]\(examples/(\w+)\.py\)", r"](gallery/\1.rst)", text)


def main(folder: Path) -> None:
    """Put the sources together."""
    shutil.rmtree(folder / "generated", ignore_errors=True)  # pages of names that are gone
    for source in (DOCS / "pictures", DOCS / "adr", SITE / "static", SITE / "templates"):
        shutil.copytree(source, folder / source.name, dirs_exist_ok=True)
    for path in [*DOCS.glob("*.md"), *DOCS.glob("*.json"), *SITE.glob("*.md"), SITE / "conf.py"]:
        write(folder / path.name, site_text(path.read_text(encoding="utf-8")))
    for name in WHOLE:
        text = (ROOT / name).read_text(encoding="utf-8")
        write(folder / name, site_text(text.replace("](docs/", "](")))
    write(folder / "cli.md", command_page())
    write(folder / "api.md", api_page())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
