"""rulewright plot: a picture of a model's rules, or of its tree."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import typer

from rulewright.certificates import counted_evidence, load_model
from rulewright.cli.certificate_lines import sentence_lines
from rulewright.cli.console import out, print_json
from rulewright.cli.options import DataTable, Json, ModelPath, Overwrite, Target, output_path
from rulewright.cli.outputs import Output, check_outputs, exit_on_signals
from rulewright.cli.show import sizes_in
from rulewright.data import labels_of, open_data, write_atomically
from rulewright.errors import InputError
from rulewright.models import Model, RegressionModel, most_used
from rulewright.render import NO_ANSWER, PicturedRule, name_text, rule_figure
from rulewright.rules import ABSTAIN, Conjunction, Disjunction, RuleVote, Tree
from rulewright.selection import front_figure, model_costs

FORMATS = (".svg", ".png", ".pdf")
MAX_RULES = 30
"""Maximum number of rules in a picture: those that answer the most."""
MAX_CONDITION = 400
"""Maximum number of letters of a condition."""
IN_TRAINING = (
    "Conditions in the values of the training cases; rulewright show --verbose adds where missing "
    "and new values go."
)
CREATOR = "rulewright plot"
NAMES = {".svg": "Creator", ".png": "Software", ".pdf": "Creator"}
"""Where a file names the program that made it."""


def plot(
    model: ModelPath,
    data: Annotated[
        Path | None,
        typer.Argument(
            metavar="DATA",
            help="Table whose cases are counted; by default those of training.",
            show_default=False,
        ),
    ] = None,
    out_path: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Write the picture here, as .svg, .png or .pdf.",
            callback=output_path,
        ),
    ] = Path("model.svg"),
    what: Annotated[
        str,
        typer.Option(
            metavar="rules|tree|front",
            help="What to draw; by default a tree as a tree. The front is the bound of each size, "
            "in a file that fit --front wrote.",
        ),
    ] = "",
    target: Target = None,
    table: DataTable = None,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Draw a model: its rules with the cases that each answers, or its tree.

    Each rule has a bar of the cases that it answers, coloured by their classes. The certificate is
    below. It needs matplotlib, which the extra rulewright[plot] installs.

    Examples: rulewright plot model.json --out rules.svg; rulewright plot model.json new.csv --out
    rules.pdf; rulewright plot model.json --what front --out sizes.png
    """
    suffix = out_path.suffix.lower()
    if suffix not in FORMATS:
        raise InputError(
            f"--out must end in {', '.join(FORMATS)}, got {out_path.name!r}. The ending is the "
            "format."
        )
    loaded = load_model(model)
    drawn = _kind(what, loaded)
    inputs = {"model": model} | ({"input": data} if data else {})
    output = Output("--out", out_path, "a picture of rulewright", _is_picture)
    check_outputs([output], inputs, overwrite=overwrite)
    if data is not None and (drawn != "rules" or isinstance(loaded, RegressionModel)):
        raise InputError("DATA is for a picture of rules with classes: add --what rules.")
    if drawn == "front":
        _write(_front_figure(model, loaded), out_path, suffix)
    else:
        _write(_figure(loaded, drawn, data, target, table), out_path, suffix)
    if json:
        print_json({"what": drawn, "rules": len(loaded.rules), "out": str(out_path)})
    else:
        out(out_path).print(f"picture: {out_path}")


def _kind(what: str, model: Model | RegressionModel) -> Literal["rules", "tree", "front"]:
    is_tree = isinstance(model.body, Tree)
    if what not in ("", "rules", "tree", "front"):
        raise InputError(f"--what must be rules, tree or front, got {what!r}.")
    if what == "front" and isinstance(model, Model):
        return "front"
    if what == "tree" and not is_tree:
        raise InputError("This model is not a tree: leave out --what tree.")
    if isinstance(model, RegressionModel):
        if what == "rules" or not is_tree:
            raise InputError("A model that answers with numbers is drawn as a tree.")
        return "tree"
    return "tree" if is_tree and what != "rules" else "rules"


def _front_figure(path: Path, model: Model | RegressionModel) -> Any:
    """Draw the certified and the training error, or cost, of each size in a file."""
    os.environ.setdefault("MPLBACKEND", "Agg")  # no window is opened
    assert isinstance(model, Model)
    front, costs = sizes_in(path), model_costs(model)
    try:
        return front_figure(front, costs).figure
    except ImportError as error:
        raise InputError(str(error)) from error


def _figure(
    model: Model | RegressionModel,
    drawn: str,
    data: Path | None,
    target: str | None,
    table: str | None,
) -> Any:
    os.environ.setdefault("MPLBACKEND", "Agg")  # no window is opened
    try:
        if drawn == "tree":
            return model.plot().figure
        assert isinstance(model, Model)
        counts, counted = _counts(model, data, target, table)
        return _rules_figure(model, counts, counted, in_training=data is None)
    except ImportError as error:
        raise InputError(str(error)) from error


def _counts(
    model: Model, data: Path | None, target: str | None, table: str | None
) -> tuple[list[list[float]], str]:
    """Return the cases of each class that each rule answers, and what these cases are."""
    if data is None:
        return [list(row) for row in model.evidence], "training cases"
    name = target or model.target
    if name is None:
        raise InputError("The model does not say which column is the class: give --target.")
    with open_data(data, table) as file:
        file.need([*model.kinds, name])
        whole = file.read_as({**model.kinds, **file.kinds([name])})
    labels, known = labels_of(whole, name)
    rows = model.table(whole.without([name]).take(known))
    codes = model.codes(labels[known])
    ones = np.ones(rows.rows)
    evidence = counted_evidence(model.body, rows, codes, ones, len(model.classes))
    return evidence.tolist(), f"cases of {name_text(data.name)}"


def _rules_figure(
    model: Model, counts: list[list[float]], counted: str, *, in_training: bool
) -> Any:
    shown = most_used([sum(row) for row in counts], MAX_RULES)
    rules = [_pictured(model, number, counts[number], in_training=in_training) for number in shown]
    caption = sentence_lines(model) if model.certificate is not None else []
    if in_training and model.shortened_in_training(shown):
        caption = [IN_TRAINING, *caption]
    left = len(counts) - len(shown)
    if left:
        caption = [f"{left:,} more rules answer fewer cases.", *caption]
    classes = [name_text(str(label)) for label in model.classes]
    return rule_figure(rules, classes, title=_title(model), caption=caption, counted=counted)


def _pictured(model: Model, number: int, counts: list[float], *, in_training: bool) -> PicturedRule:
    output = model.body.outputs[number]
    answer = NO_ANSWER if output == ABSTAIN else name_text(str(model.classes[output]))
    return PicturedRule(
        number + 1,
        model.rule_headline(number, MAX_CONDITION, in_training=in_training),
        answer,
        None if output == ABSTAIN else output,
        counts,
    )


def _title(model: Model) -> str:
    name = name_text(model.target) if model.target else "the class"
    if isinstance(model.body, RuleVote):
        return f"{name}: all rules that hold vote; each case is counted at the heaviest"
    if isinstance(model.body, Conjunction | Disjunction | Tree):
        return f"{name}: the rule that holds answers"
    return f"{name}: the first rule that holds answers"


def _write(figure: Any, path: Path, suffix: str) -> None:
    """Write a figure; equal figures give equal files."""
    from matplotlib import rc_context  # noqa: PLC0415  (an extra)
    from matplotlib.pyplot import close  # noqa: PLC0415

    metadata: dict[str, Any] = {NAMES[suffix]: CREATOR}
    metadata |= {"Date": None} if suffix == ".svg" else {}
    metadata |= {"CreationDate": None} if suffix == ".pdf" else {}
    with (
        exit_on_signals(),
        write_atomically(path) as temporary,
        rc_context({"svg.hashsalt": CREATOR, "svg.fonttype": "none"}),
        warnings.catch_warnings(),
    ):
        warnings.filterwarnings("ignore", "Glyph")  # letters that the font does not have
        figure.savefig(temporary, format=suffix[1:], metadata=metadata)
    close(figure)


def _is_picture(path: Path) -> bool:
    try:
        return CREATOR.encode() in path.read_bytes()
    except OSError:
        return False
