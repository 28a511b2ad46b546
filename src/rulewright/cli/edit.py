"""rulewright edit: a model as a rules file that a person can edit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rulewright.cli.console import data_stream, out, print_json
from rulewright.cli.options import Json, ModelPath, Overwrite, output_path
from rulewright.cli.outputs import Output, check_outputs, exit_on_signals
from rulewright.cli.rules_files import is_rules_file, model_of_classes, read_rules
from rulewright.data import write_atomically
from rulewright.models import Model
from rulewright.render import name_text, rules_file_text
from rulewright.rules import RuleList, RulesFile, RuleVote, Scorecard, parse_rules_file

HEADER = """\
# Rules of {name}, which answer {target}. {how}
# Edit them, and certify the result: rulewright certify {rules} DATA --target {target} --out NEW
# A line that begins with # is a comment. rulewright certify --help describes what can be written.
"""


HOW: dict[type, str] = {
    RuleList: "The first rule that holds answers.",
    RuleVote: "All rules that hold vote; the class with the most votes is the answer.",
    Scorecard: "The points of all conditions that hold are added.",
}


def edit(
    model: ModelPath,
    rules: Annotated[
        Path | None,
        typer.Option(
            "--rules", metavar="FILE", help="Rules file to change, in the place of the model's."
        ),
    ] = None,
    drop: Annotated[
        list[int] | None,
        typer.Option(metavar="NUMBER", help="Number of a rule to leave out; repeatable."),
    ] = None,
    simplify: Annotated[
        bool,
        typer.Option("--simplify", help="Leave out tests and rules that change no answer."),
    ] = False,
    out_path: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FILE", help="Write the rules here.", callback=output_path
        ),
    ] = None,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Write a model as a rules file that a person can edit.

    A tree becomes a list with a rule for each leaf that does not give the answer of the last line.
    The rules of a vote have votes, and the conditions of a scorecard have points.
    certify reads the file back, counts its errors, and makes a model with a new certificate. With
    --rules, a file that was edited is changed; its comments are kept.

    Examples: rulewright edit model.json --out rules.txt; rulewright edit model.json --drop 3
    """
    loaded = model_of_classes(model)
    if rules is None:
        name = out_path.name if out_path else "RULES"
        file = _with_header(RulesFile.of(loaded.body), loaded, model.name, name)
    else:
        file = parse_rules_file(read_rules(rules), loaded.columns, loaded.classes)
    changed = file.without(drop or ())
    if simplify:
        changed = changed.simplified()
    text = rules_file_text(changed, loaded.classes)
    if out_path is not None:
        output = Output("--out", out_path, "a rules file", is_rules_file)
        inputs = {"model": model} | ({"rules file": rules} if rules else {})
        check_outputs([output], inputs, overwrite=overwrite)
        with exit_on_signals(), write_atomically(out_path) as temporary:
            temporary.write_text(text, encoding="utf-8")
    if json:
        listed = len(changed.parts)
        print_json({"rules": listed, "text": text, "out": str(out_path) if out_path else None})
    elif out_path is None:
        data_stream().write(text)
    else:
        out(out_path).print(f"rules: {out_path}")


def _with_header(file: RulesFile, model: Model, name: str, rules: str) -> RulesFile:
    """Return a file without comments with a header that says what to do with it."""
    target = name_text(model.target or "CLASS")
    how = HOW[type(file.body)]
    header = HEADER.format(name=name_text(name), target=target, rules=name_text(rules), how=how)
    return RulesFile(file.body, (tuple(header.splitlines()), *[()] * file.statements))
