"""Options of ``rulewright fit``, made from the settings of the learner."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import cache
from typing import Annotated, Any

import typer
from rich.markup import escape
from typer.core import TyperCommand

from rulewright.cli.class_costs import costs_from_texts
from rulewright.cli.console import print_json
from rulewright.cli.options import Json
from rulewright.errors import suggestion
from rulewright.learners import (
    CERTIFICATE,
    COLUMNS,
    COMMON,
    CONSTRAINTS,
    Option,
    Settings,
    options_of,
)
from rulewright.selection import LEARNERS

SHARED = (COMMON, CERTIFICATE, COLUMNS, CONSTRAINTS)
"""Groups of options that every learner has."""
GIVEN = "rulewright.settings"
LEARNER = "rulewright.learner"
FLAGS = {"random_state": "--seed", "k": "-k"}
"""Options whose names differ from those of the parameters."""
ALIASES = {"keep": "--only", "positive_tests": "--positive-only"}
"""Second names of options, in plain words."""
MAPPINGS = {
    "class_costs": "CLASS=NUMBER",
    "monotonic_cst": "COL=1|-1",
    "interactions": "COL,COL,...",
}


class FitCommand(TyperCommand):
    """A command with the options of the learner that ``--learner`` names."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.meta[LEARNER], ctx.meta[GIVEN] = _learner_in(args), {}
        _check_learner(ctx.meta[LEARNER] or "auto")
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            # The class of the error is in click or in typer, by the version of typer.
            name = getattr(error, "option_name", None)
            if type(error).__name__ != "NoSuchOption" or name is None:
                raise
            owners = [known for known, made in LEARNERS.items() if name in _flags(made)]
            if not owners:
                raise
            raise typer.BadParameter(
                f"{name} is an option of --learner {_either(owners)}, not of "
                f"{ctx.meta[LEARNER] or 'auto'}."
            ) from error

    def get_params(self, ctx: Any) -> list[Any]:
        common = super().get_params(ctx)
        chosen = ctx.meta.get(LEARNER)
        settings = LEARNERS[chosen or "auto"]
        own = _options(settings, only_shared=chosen is None)
        return [*common, *own]


def given_settings(context: typer.Context, classes: Sequence[Any]) -> Settings:
    """Settings of the learner from the command line."""
    given = dict(context.meta[GIVEN])
    if "class_costs" in given:
        given["class_costs"] = costs_from_texts(given["class_costs"], classes)
    if "interactions" in given:
        given["interactions"] = _groups(given["interactions"])
    if "monotonic_cst" in given:
        given["monotonic_cst"] = dict(map(_direction, given["monotonic_cst"]))
    return LEARNERS[context.meta[LEARNER] or "auto"](**given)


def option_text(name: str, value: object) -> str:
    """Return a parameter with its value as an option of the command line."""
    return f"{flag_of(name)} {value}"


def learners(
    name: str | None = typer.Argument(None, metavar="NAME", help="One of the learners."),
    json: Json = False,
) -> None:
    """List the learners, or the options of one of them.

    Example: rulewright learners ripper
    """
    if name is not None:
        _check_learner(name)
    if json:
        chosen = LEARNERS if name is None else {name: LEARNERS[name]}
        print_json(
            [_learner_json(settings, options=name is not None) for settings in chosen.values()]
        )
        return
    if name is None:
        for settings in LEARNERS.values():
            print(f"{settings.learner:<11} {settings.summary}")
        print("\nrulewright learners NAME lists the options of one of them.")
        return
    settings = LEARNERS[name]
    print(f"{settings.summary}\n\nrulewright fit DATA --target COL --learner {name} [OPTIONS]\n")
    for parameter, (default, option) in options_of(settings).items():
        if option.parse is not None:
            names = ", ".join(_names(parameter))
            print(f"  {names:<24} {option.help}{_shown(default)}")


def _learner_json(settings: type[Settings], *, options: bool) -> dict[str, Any]:
    """Return a learner, and its options on the command line, as JSON values."""
    facts: dict[str, Any] = {"name": settings.learner, "summary": settings.summary}
    if options:
        facts["options"] = [
            {
                "option": flag_of(parameter),
                "aliases": _names(parameter)[1:],
                "help": option.help,
                "default": default if isinstance(default, str | int | float) else None,
                "choices": list(option.choices),
            }
            for parameter, (default, option) in options_of(settings).items()
            if option.parse is not None
        ]
    return facts


def _check_learner(name: str) -> None:
    if name not in LEARNERS:
        raise typer.BadParameter(
            f"There is no learner {name!r}.{suggestion(name, LEARNERS)} The learners are "
            f"{', '.join(LEARNERS)}."
        )


def _learner_in(args: Sequence[str]) -> str | None:
    """Value of --learner among the arguments."""
    for place, word in enumerate(args):
        if word == "--":
            return None
        if word == "--learner" and place + 1 < len(args):
            return args[place + 1]
        if word.startswith("--learner="):
            return word.partition("=")[2]
    return None


@cache  # a command asks for its parameters several times
def _options(settings: type[Settings], *, only_shared: bool) -> list[Any]:
    """Options of a learner, made by Typer; the learner's own options can be hidden in the help."""

    def command(**given: Any) -> None:
        """Placeholder for the function of a command; only its options are used."""

    known = {n: k for n, k in options_of(settings).items() if k[1].parse is not None}
    command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [_argument(name, *of, only_shared=only_shared) for name, of in known.items()]
    )
    app = typer.Typer(add_completion=False)
    app.command()(command)
    made = {option.name: option for option in typer.main.get_command(app).params}
    for name, (_, option) in known.items():
        made[_parameter(name)].expose_value = False
        made[_parameter(name)].callback = _keep(name, option)
    return [made[_parameter(name)] for name in known]


def _argument(name: str, default: Any, option: Option, *, only_shared: bool) -> inspect.Parameter:
    """Argument of a function that Typer turns into the option."""
    flag, switch = flag_of(name), isinstance(default, bool)
    facts: dict[str, Any] = {} if switch else {"metavar": _metavar(name, option)}
    if not switch and option.parse not in (int, float, str):
        facts["parser"] = option.parse
    made = typer.Option(
        f"{flag}/--no-{flag.lstrip('-')}" if switch else flag,
        *_names(name)[1:],
        help=escape(f"{option.help}{_shown(default)}"),
        rich_help_panel=option.group or "Options of the learner",
        hidden=only_shared and option.group not in SHARED,
        show_default=False,
        **facts,
    )
    one: Any = bool if switch else option.parse if option.parse in (int, float) else str
    kind = list[one] | None if option.repeatable else one | None
    return inspect.Parameter(
        _parameter(name),
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[kind, made],
    )


def _parameter(name: str) -> str:
    """Name of the parameter inside the command, different from those of the function."""
    return f"setting_{name}"


def _keep(name: str, option: Option) -> Callable[[Any, Any, Any], None]:
    """Callback that stores the value of an option."""

    def keep(ctx: Any, parameter: Any, value: Any) -> None:
        source = ctx.get_parameter_source(parameter.name)
        if source is None or source.name != "COMMANDLINE":
            return
        if option.choices and value not in option.choices:
            known = ", ".join(option.choices)
            raise typer.BadParameter(f"{flag_of(name)} must be one of {known}, got {value!r}.")
        ctx.meta[GIVEN][name] = list(value) if option.repeatable else value

    return keep


def _metavar(name: str, option: Option) -> str:
    if option.choices:
        return "|".join(option.choices)
    if name in MAPPINGS:
        return MAPPINGS[name]
    if option.group == COLUMNS:
        return "COL"
    return {int: "INTEGER", float: "NUMBER"}.get(option.parse, "TEXT")  # type: ignore[call-overload, no-any-return]


def flag_of(name: str) -> str:
    """Return the name of a parameter on the command line."""
    return FLAGS.get(name, f"--{name.replace('_', '-')}")


def _names(name: str) -> list[str]:
    """Return the names of an option on the command line."""
    return [flag_of(name), *([ALIASES[name]] if name in ALIASES else [])]


def _flags(settings: type[Settings]) -> list[str]:
    known = [name for name, (_, option) in options_of(settings).items() if option.parse]
    return [flag for name in known for flag in _names(name)]


def _shown(default: Any) -> str:
    return "" if default is None else f" [{default}]"


def _either(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last


def _groups(texts: Sequence[str]) -> Any:
    """Groups of columns from the command line, each with commas between its columns."""
    if len(texts) == 1 and texts[0] in ("pairwise", "no_interactions"):
        return texts[0]
    return [text.split(",") for text in texts]


def _direction(text: str) -> tuple[str, int]:
    name, _, number = text.rpartition("=")
    if not name or number not in ("1", "-1", "0"):
        raise typer.BadParameter(f"--monotonic-cst {text}: write COL=1 or COL=-1.")
    return name, int(number)
