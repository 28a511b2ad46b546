"""Rules files on the command line: reading them, and certifying what they say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import typer
from numpy.typing import NDArray

from rulewright.certificates import certified_rules, load_model, model_of_rules, unlabelled_caution
from rulewright.cli.certificate_lines import cost_json, sentence_lines
from rulewright.cli.console import out, print_json, warn
from rulewright.cli.exit_codes import NOT_HELD
from rulewright.cli.outputs import Output, check_outputs, exit_on_signals
from rulewright.cli.show import certificate_json, print_model, rules_json
from rulewright.data import Table, labels_of, open_data
from rulewright.errors import FileError, InputError, UnrenderableError
from rulewright.learners import code_labels
from rulewright.models import Model, is_model_file, normalised_weight, save_model
from rulewright.rules import LAST_RULE

MAX_BYTES = 1 << 22
"""Maximum size of a rules file."""


@dataclass(frozen=True)
class RulesOptions:
    """Options of a check of a rules file."""

    target: str | None
    table: str | None
    weight: str | None
    out: Path | None
    report: Path | None
    like: Path | None
    settled: bool
    delta: float
    strict: bool
    overwrite: bool
    verbose: bool
    json: bool


def is_rules_file(path: Path) -> bool:
    """Whether a file is a rules file: text, and a line that begins with otherwise ->."""
    try:
        if path.stat().st_size > MAX_BYTES:
            return False
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    if text.lstrip().startswith("{"):
        return False
    return any(LAST_RULE.match(line) or "->" in line for line in text.splitlines())


def has_rules_to_certify(path: Path) -> bool:
    """Whether a file is a rules file, or a model that can be one and has no certificate."""
    if not is_model_file(path):
        return is_rules_file(path)
    loaded = load_model(path)
    if not isinstance(loaded, Model) or loaded.certificate is not None:
        return False
    try:
        return bool(loaded.to_rules())
    except (InputError, UnrenderableError):
        return False


def certify_rules_file(path: Path, data: Path, options: RulesOptions) -> None:
    """Count the errors of the rules in a file, certify them, and write the model."""
    described = path if options.like is None and is_model_file(path) else options.like
    like = None if described is None else model_of_classes(described)
    target = options.target or (like.target if like else None)
    if target is None:
        raise InputError(f"Name the column of {data.name} that holds the class with --target.")
    if options.out is not None:
        output = Output("--out", options.out, "a model file of rulewright", is_model_file)
        check_outputs([output], {"rules": path, "input": data}, overwrite=options.overwrite)
    if options.report is not None:
        check_report(options.report, {"rules": path, "input": data}, overwrite=options.overwrite)
    made, absent, features, labels = _certified(path, data, target, like, options)
    if options.report is not None:
        write_checked_report(made, features, labels, options.report, data)
    if options.out is not None:
        with exit_on_signals():
            save_model(made, options.out)
    said = [*made.certificate.cautions, *absent]
    if options.json:
        print_json(
            {
                "rules": rules_json(made),
                "settled": options.settled,
                "certificate": certificate_json(made.certificate),
                **cost_json(made),
                "text": "\n".join(sentence_lines(made)),
                "assumptions": made.certificate.assumptions(made),
                "cautions": said,
                "model": None if options.out is None else str(options.out),
            }
        )
    else:
        console = out(options.out)
        print_model(made, console, verbose=options.verbose)
        console.print("Taken on trust, since data cannot show it:")
        for assumption in made.certificate.assumptions(made):
            console.print(f"- {assumption}")
        if options.out is not None:
            console.print(f"model: {options.out}")
        warn(said)
    if options.strict and said:
        raise typer.Exit(NOT_HELD)


def model_of_classes(path: Path) -> Model:
    """Return the model of a file, which must answer with classes."""
    loaded = load_model(path)
    if not isinstance(loaded, Model):
        raise InputError(f"{path.name} answers with numbers, and a rules file with classes.")
    return loaded


def _certified(
    path: Path, data: Path, target: str, like: Model | None, options: RulesOptions
) -> tuple[Model, list[str], Table, NDArray[Any]]:
    """Return the certified model, a caution about rows without a class, and the rows."""
    weight = options.weight
    with open_data(data, options.table) as file:
        file.need([target, *([weight] if weight else [])])
        if like is None:
            whole = file.read()
        else:
            kinds = {column.name: column.kind for column in like.columns}
            whole = file.read_as(kinds | file.kinds([n for n in (target, weight) if n]))
    labels, known = labels_of(whole, target)
    weights = np.where(known, whole.numbers(weight) if weight else 1.0, 0.0)
    kept = known & (weights > 0)
    features = whole.without([name for name in (target, weight) if name]).take(kept).observed()
    text = read_rules(path)
    if like is None:
        classes, codes = code_labels(labels[kept])
        made = model_of_rules(text, features, classes.tolist(), target)
    else:
        made = like.edited(text)
        codes, features = made.codes(labels[kept]), made.table(features, every=True)
    certified = certified_rules(
        made,
        features,
        codes,
        normalised_weight(weights[kept]),
        settled=options.settled,
        delta=options.delta,
    )
    absent = unlabelled_caution(int((~known).sum()), whole.rows)
    return certified, absent, features, labels[kept]


def check_report(path: Path, inputs: Mapping[str, Path], *, overwrite: bool) -> None:
    """Refuse a report that cannot be written or would destroy something."""
    from rulewright.report import is_report  # noqa: PLC0415  (only needed here)

    output = Output("--report", path, "a report of rulewright", is_report)
    check_outputs([output], inputs, overwrite=overwrite)


def write_checked_report(
    model: Model, features: Table, labels: NDArray[Any], path: Path, data: Path
) -> None:
    """Write the report of a model whose certificate was just made or checked."""
    from rulewright.report import report_model  # noqa: PLC0415  (only needed here)

    with exit_on_signals():
        report_model(model, features, labels, path, title=f"{data.name}: rules for {model.target}")


def read_rules(path: Path) -> str:
    """Return the text of a rules file, or of a model as one."""
    if is_model_file(path):
        return model_of_classes(path).to_rules()
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"Cannot read {str(path)!r}: {error}. Save it as UTF-8 text.") from error
