"""The commands by name; each is imported when it runs, because some imports take long."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand

COMMANDS = {
    "fit": ("fit", "Learn rules from a table, with a certificate of their error on new cases."),
    "learners": ("learner_options", "List the learners, or the options of one of them."),
    "show": ("show", "Print a model's rules and its certificate, or take another size of it."),
    "predict": ("predict", "Predict every row of a table of any size, in its order."),
    "explain": ("explain", "Explain each row's prediction: the rule that answered it, and why."),
    "test": ("test", "Test a model on rows with known classes that it was not learnt from."),
    "monitor": (
        "monitor",
        "Compare batches of rows with the training rows, and their errors with the certificate.",
    ),
    "plot": ("plot", "Draw a model: its rules with the cases that each answers, or its tree."),
    "export": ("export", "Write a model as a program or document that gives the same answers."),
    "certify": (
        "certify",
        "Check a model's certificate against its training data, or certify rules in a text file.",
    ),
    "edit": ("edit", "Write a model as a rules file that a person can edit."),
    "model-card": (
        "model_card",
        "Write a model card: what a model is, how it was made, and how far it can be trusted.",
    ),
    "compare": (
        "compare",
        "Compare learners on a table: errors, sizes, certificates and paired tests.",
    ),
    "reproduce": (
        "reproduce",
        "Compute a table or figure of the papers again, beside the published numbers.",
    ),
    "card": ("card", "Measure what learners need and withstand, by nine criteria."),
    "serve": ("serve", "Open a workbench in the browser: fit, compare, edit and export models."),
    "data": ("data", "Look at a table before learning from it, or write a data set to a file."),
}
"""Module of each command, and the first line of its help."""


class LazyCommand(TyperCommand):
    """A command that is known by its name and summary until it runs."""

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        return load_command(str(self.name)).make_context(*args, **kwargs)


def lazy_commands() -> list[LazyCommand]:
    """The commands in the order of the help."""
    return [LazyCommand(name, help=summary) for name, (_, summary) in COMMANDS.items()]


def load_command(name: str) -> Any:
    """Import a command with its options."""
    module = import_module(f"rulewright.cli.{COMMANDS[name][0]}")
    function = getattr(module, name.replace("-", "_"))
    alone = typer.Typer(add_completion=False)
    alone.command(name, cls=getattr(module, "COMMAND_CLASS", TyperCommand))(function)
    return typer.main.get_command(alone)
