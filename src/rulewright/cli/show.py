"""rulewright show: print a model file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from rulewright.certificates import (
    Certificate,
    PathEntry,
    RegressionCertificate,
    load_front,
    load_model,
)
from rulewright.cli.certificate_lines import (
    cost_json,
    detail_lines,
    front_json,
    front_lines,
    regression_json,
    regression_lines,
    sentence_lines,
)
from rulewright.cli.console import PlainConsole, out, print_json, warn
from rulewright.cli.options import (
    All,
    DataTable,
    Json,
    ModelPath,
    Overwrite,
    Verbose,
    output_path,
)
from rulewright.cli.outputs import Output, check_outputs, exit_on_signals
from rulewright.data import open_data
from rulewright.errors import InputError
from rulewright.models import (
    REGRESSION,
    Model,
    RegressionModel,
    Rounded,
    is_model_file,
    most_used,
    save_model,
    to_json,
)
from rulewright.render import (
    NO_ANSWER,
    class_text,
    name_text,
    number_text,
    percent_text,
    rounded_text,
    weight_text,
)
from rulewright.rules import ABSTAIN, RuleVote
from rulewright.selection import model_costs

MAX_CLASSES = 6
"""Maximum number of class bounds to print; of more classes only the worst bound is printed."""

MAX_RULES = 30
"""Maximum number of rules whose training results are printed: those that answered the most."""

MAX_LINES, SHOWN_LINES = 80, 60
"""Number of lines of a model that are all printed, and of those printed of a longer model."""

MAX_CHARACTERS = 72
"""Maximum length of a condition beside its training result."""

NO_CERTIFICATE = "only TreeRegressor(certificate='split') makes one"
"""Reason why a regression model has no certificate."""

NOT_VERIFIED = (
    "Not verified against data: the counts above are what the file says. Only the training data "
    "can show whether they are true"
)
HOW_TO_VERIFY = "rulewright certify MODEL DATA"

SHORTENED = (
    "  (in the values of the training cases; --verbose adds where missing and new values go)"
)


Front = Annotated[
    bool,
    typer.Option(
        "--front",
        help="List the sizes in the file, where fit --front kept them, with their bounds.",
    ),
]
Size = Annotated[
    int | None,
    typer.Option(
        min=0,
        help="Take the model of this size, or else the next smaller one, from a file that fit "
        "--front wrote. Its certificate holds at no price.",
    ),
]
SmallerOut = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="FILE",
        help="Write the model of this size here.",
        callback=output_path,
    ),
]


def show(
    model: ModelPath,
    decimals: Annotated[
        int | None,
        typer.Option(help="Number of decimals to which the model is rounded; needs --data."),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="DATA", help="Table on which answers changed by rounding are counted."
        ),
    ] = None,
    table: DataTable = None,
    front: Front = False,
    size: Size = None,
    out_path: SmallerOut = None,
    overwrite: Overwrite = False,
    whole: All = False,
    verbose: Verbose = False,
    json: Json = False,
) -> None:
    """Print a model's rules and its certificate, or take another size of it.

    Examples: rulewright show model.json --all; rulewright show model.json --front; rulewright show
    model.json --size 4 --out smaller.json
    """
    if out_path is not None and size is None:
        raise InputError("--out is for a model of another size: add --size.")
    loaded = load_model(model)
    sizes = sizes_in(model) if front or size is not None else []
    if size is not None:
        loaded = _of_size(sizes, size)
    if out_path is not None:
        output = Output("--out", out_path, "a model file of rulewright", is_model_file)
        check_outputs([output], {"model": model}, overwrite=overwrite)
        with exit_on_signals():
            save_model(loaded, out_path)
    if decimals is not None:
        rounded = _rounded(loaded, decimals, data, table)
        if json:
            print_json(
                {"model": to_json(rounded.model), "changed": rounded.changed, "rows": rounded.rows}
            )
        else:
            out().print(str(rounded))
        return
    if isinstance(loaded, RegressionModel):
        _show_regression(loaded, json=json, verbose=verbose, whole=whole)
        return
    if json:
        certificate = loaded.certificate
        print_json(
            {
                "classes": list(loaded.classes),
                "target": loaded.target,
                "columns": list(loaded.body.columns),
                "rules": rules_json(loaded),
                "abstains": loaded.abstains,
                "unanswered": loaded.unanswered,
                "certificate": certificate_json(certificate) if certificate else None,
                **cost_json(loaded),
                **({"front": front_json(sizes, model_costs(loaded))} if front else {}),
                **({"out": str(out_path)} if out_path else {}),
                "verified": False,
            }
        )
        return
    console = out(out_path)
    print_model(loaded, console, verbose=verbose, whole=whole)
    if front:
        console.print("\n".join([*front_lines(sizes, loaded, model_costs(loaded)), ""]))
    how = f" ({HOW_TO_VERIFY})" if loaded.certificate is not None else ""
    console.print(f"{NOT_VERIFIED}{how}.\n")
    if out_path is not None:
        console.print(f"model: {out_path}")
    if loaded.certificate is not None:
        warn(loaded.certificate.cautions)


def sizes_in(model: Path) -> list[PathEntry]:
    """Return the models of all sizes in a file, the smallest first."""
    found = load_front(model)
    if not found:
        raise InputError(
            f"{model.name} holds one model. Fit again with --front, which keeps the other sizes in "
            "the file."
        )
    return found


def _of_size(front: Sequence[PathEntry], size: int) -> Model:
    """Return the largest model of at most a size, which has the best certificate of these."""
    fitting = [entry for entry in front if entry.size <= size]
    if not fitting:
        known = ", ".join(str(entry.size) for entry in front)
        raise InputError(f"There is no model of size {size} or less: the sizes are {known}.")
    return fitting[-1].model


def _show_regression(model: RegressionModel, *, json: bool, verbose: bool, whole: bool) -> None:
    certificate: RegressionCertificate | None = model.certificate
    if json:
        print_json(
            {
                "task": REGRESSION,
                "target": model.target,
                "columns": list(model.body.columns),
                "rules": _values_json(model),
                "certificate": regression_json(certificate) if certificate else None,
                "verified": False,
            }
        )
        return
    console = out()
    console.print(f"{shortened(str(model), whole=whole)}\n\nIn training:")
    for line in _spread_lines(model, exact=verbose):
        console.print(line)
    if certificate is None:
        console.print(f"\nThis model has no certificate: {NO_CERTIFICATE}.\n{NOT_VERIFIED}.\n")
        return
    lines = regression_lines(certificate, verbose=verbose)
    for line in ["", *lines, f"{NOT_VERIFIED} ({HOW_TO_VERIFY}).", ""]:
        console.print(line)
    warn(certificate.cautions)


def _rounded(
    model: Model | RegressionModel, decimals: int, data: Path | None, table: str | None
) -> Rounded[Model | RegressionModel]:
    if data is None:
        raise InputError(
            "A rounded model gives other answers: name a table to count them on with --data."
        )
    changed = rows = 0
    with open_data(data, table) as file:
        for batch, _ in file.batches(model.kinds):
            rounded = model.rounded(decimals, batch)
            changed, rows = changed + rounded.changed, rows + rounded.rows
    if not rows:
        raise InputError(f"{data.name} has columns but no rows.")
    return Rounded(rounded.model, decimals, changed, rows)


def rules_json(model: Model) -> list[dict[str, Any]]:
    """Rules as JSON values."""
    return [
        {
            "number": number + 1,
            "rule": model.rule_text(number),
            "class": model.label_of(output),
            "support": support,
            "right": right,
        }
        for number, (output, (support, right)) in enumerate(
            zip(model.body.outputs, model.support, strict=True)
        )
    ]


def certificate_json(certificate: Certificate) -> dict[str, Any]:
    """Certificate, and values computed from it, as JSON values."""
    return {
        **certificate.to_json(),
        "m": certificate.m,
        "errors": certificate.errors,
        "examples": list(certificate.examples),
        "message_nats": certificate.message_nats,
        "class_bounds": list(certificate.class_bounds),
        "miss_rate_bound": certificate.miss_rate_bound,
        "false_alarm_bound": certificate.false_alarm_bound,
        "text": str(certificate),
    }


def shortened(text: str, *, whole: bool) -> str:
    """Return the first lines of a long text and the number of the others, or the whole text."""
    lines = text.splitlines()
    if whole or len(lines) <= MAX_LINES:
        return text
    left = len(lines) - SHOWN_LINES
    return "\n".join([*lines[:SHOWN_LINES], f"... and {left:,} more lines (--all prints them)"])


def print_model(
    model: Model, console: PlainConsole, *, verbose: bool = False, whole: bool = False
) -> None:
    """Print the rules, the certificate, and the training results of the rules."""
    console.print(f"{shortened(str(model), whole=whole)}\n")
    for line in _certificate_lines(model, verbose=verbose):
        console.print(line)
    vote = isinstance(model.body, RuleVote)
    where = ", each case counted at the weightiest rule for its answer" if vote else ""
    console.print(f"\nIn training{where}:")
    for line in _training_lines(model, exact=verbose):
        console.print(line)
    console.print("")


def _certificate_lines(model: Model, *, verbose: bool) -> list[str]:
    certificate = model.certificate
    if certificate is None:
        return ["This model has no certificate."]
    lines = [*sentence_lines(model), _by_class(model, certificate)]
    return [*lines, *detail_lines(certificate, model)] if verbose else lines


def _by_class(model: Model, certificate: Certificate) -> str:
    """Sentence of the bound of each class, the last one first: of two it is the positive one."""
    bounds = list(zip(model.classes, certificate.class_bounds, strict=True))[::-1]
    if len(bounds) > MAX_CLASSES:
        label, worst = max(bounds, key=lambda pair: pair[1])
        return (
            f"Among new cases of any one class, at most {percent_text(worst)} (of "
            f"{class_text(label)}; all with the same confidence)."
        )
    listed = "; among those that are ".join(
        f"{class_text(label)}, at most {percent_text(bound)}" for label, bound in bounds
    )
    together = "both" if len(bounds) == 2 else "all"
    return f"Among new cases that are {listed} ({together} with the same confidence)."


def _values_json(model: RegressionModel) -> list[dict[str, Any]]:
    """Leaves of a regression model as JSON values."""
    return [
        {
            "number": number + 1,
            "rule": model.rule_text(number),
            "value": value,
            "support": support,
            "spread": spread,
        }
        for number, (value, (support, spread)) in enumerate(
            zip(model.values, model.evidence, strict=True)
        )
    ]


def _training_lines(model: Model, *, exact: bool) -> list[str]:
    answers = []
    for output, (support, right) in zip(model.body.outputs, model.support, strict=True):
        share = f"{100 * right / support:5.1f} % right" if support else ""
        if output == ABSTAIN:
            answers.append((NO_ANSWER, support, ""))
        else:
            answers.append((name_text(str(model.classes[output])), support, share))
    return _aligned(model, answers, exact=exact)


def _spread_lines(model: RegressionModel, *, exact: bool) -> list[str]:
    answers = []
    for value, (support, spread) in zip(model.values, model.evidence, strict=True):
        answers.append((number_text(value), support, f"spread {rounded_text(spread)}"))
    return _aligned(model, answers, exact=exact)


def _aligned(
    model: Model | RegressionModel, answers: Sequence[tuple[str, float, str]], *, exact: bool
) -> list[str]:
    """Lines of the rules: the answer, the weight answered in training, and the result there."""
    shown = most_used([support for _, support, _ in answers], MAX_RULES)
    conditions = [
        model.rule_headline(number, MAX_CHARACTERS, in_training=not exact) for number in shown
    ]  # the full text is above
    condition = max(map(len, conditions))
    label = max(len(answers[number][0]) for number in shown)
    weights = [weight_text(answers[number][1]) for number in shown]
    digits = max(map(len, weights))
    width = max(2, len(str(shown[-1] + 1)))
    lines = []
    for number, rule, weight in zip(shown, conditions, weights, strict=True):
        answer, support, quality = answers[number]
        cases = "case " if support == 1 else "cases"
        lines.append(
            f"  {number + 1:>{width}}  {rule:<{condition}}  {answer:<{label}}  "
            f"{weight:>{digits}} {cases}  {quality}".rstrip()
        )
    if len(shown) < len(answers):
        lines.append(f"  ... and {len(answers) - len(shown)} more, which answer fewer cases")
    if not exact and model.shortened_in_training(shown):
        lines.append(SHORTENED)
    return lines
