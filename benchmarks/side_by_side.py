"""The learners of other packages beside those that take their place here, on one table.

``python benchmarks/side_by_side.py`` learns from scikit-learn's table of 569 tumours with both
sides, prints the models, and counts errors on the same five folds. It compares the text with that
in ``docs/coming-from.md``, and fails if it differs; ``--write`` puts it there. It needs imodels,
wittgenstein, c50py, interpret-core and Weka's jar (the extra ``bench``, or ``--python`` of an
environment that has them), and Java.
"""

from __future__ import annotations

import argparse
import difflib
import json
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import weka
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold

from rulewright import (
    RipperClassifier,
    RuleListClassifier,
    SlipperClassifier,
    TreeClassifier,
    TreeRulesClassifier,
)
from rulewright.data import detect_table

PAGE = Path(__file__).parents[1] / "docs" / "coming-from.md"
PEERS = Path(__file__).with_name("side_by_side_peers.py")
FIRST, LAST = "<!-- measured, first line -->\n", "<!-- measured, last line -->\n"
MAX_LINES = 12
WEKA = {"JRip": "rules", "J48": "trees", "PART": "rules"}
OURS: dict[str, tuple[type, dict[str, Any]]] = {
    "GreedyRuleListClassifier(max_depth=3)": (RuleListClassifier, {"max_terms": 1, "max_rules": 3}),
    "SlipperClassifier()": (SlipperClassifier, {}),
    "C45TreeClassifier(max_rules=4)": (TreeClassifier, {"preset": "c4.5", "max_leaf_nodes": 5}),
    "RIPPER()": (RipperClassifier, {}),
    "IREP()": (RipperClassifier, {"algorithm": "irep"}),
    "C5RulesClassifier()": (TreeRulesClassifier, {}),
    "ClassificationTree(max_depth=2)": (TreeClassifier, {"max_depth": 2}),
    "JRip": (RipperClassifier, {}),
    "J48": (TreeClassifier, {"preset": "c4.5"}),
    "PART": (TreeRulesClassifier, {}),
}
SHOWN = ("GreedyRuleListClassifier(max_depth=3)", "RIPPER()", "J48", "C5RulesClassifier()")
"""Pairs whose models are printed."""


class Side(NamedTuple):
    """A learner, and what came of it."""

    call: str
    package: str
    errors: int
    text: str


def tumours() -> tuple[Any, np.ndarray]:
    """The table, and the classes as text."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X, np.where(y == 0, "malignant", "benign")


def folds_of(y: np.ndarray) -> list[list[int]]:
    """The five folds of all learners."""
    splits = StratifiedKFold(5, shuffle=True, random_state=0).split(y, y)
    return [tested.tolist() for _, tested in splits]


def our_side(learner: type, parameters: dict[str, Any], folds: list[list[int]]) -> Side:
    """A learner of ours, and its call as in the tables of the page."""
    X, y = tumours()

    def fitted(rows: np.ndarray) -> Any:
        return learner(**parameters, certificate=None).fit(X[rows], y[rows])

    errors = 0
    for fold in folds:
        tested = np.isin(np.arange(len(y)), fold)
        errors += int((fitted(~tested).predict(X[tested]) != y[tested]).sum())
    given = ", ".join(f"{name}={json.dumps(value)}" for name, value in parameters.items())
    model = fitted(np.ones(len(y), bool)).model_
    return Side(f"{learner.__name__}({given})", "rulewright", errors, str(model))


def package_sides(python: str, folds: list[list[int]]) -> list[Side]:
    """The learners of packages, in an environment that has them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "folds.json"
        path.write_text(json.dumps(folds), encoding="utf-8")
        run = subprocess.run([python, PEERS, path], check=True, stdout=subprocess.PIPE, text=True)
    return [
        Side(it["call"], f"{it['package']} {it['version']}", it["errors"], it["text"])
        for it in json.loads(run.stdout)
    ]


def weka_sides(jar: str, folds: list[list[int]]) -> list[Side]:
    """Weka's learners, with their defaults."""
    if reason := weka.no_weka(jar):
        print(reason, file=sys.stderr)
        return []
    X, y = tumours()
    table, found = detect_table(X), []
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "table.arff"
        data.write_text("".join(weka.arff(table, y)), encoding="utf-8")
        opened = "--add-opens=java.base/java.lang=ALL-UNNAMED"
        for name, package in WEKA.items():
            errors = sum(fold.errors for fold in weka.folds(name, table, y, folds, jar))
            learner = f"weka.classifiers.{package}.{name}"
            command = ["java", opened, "-cp", jar, learner, "-t", str(data), "-no-cv"]
            run = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
            found.append(Side(name, "Weka", errors, weka_model(run.stdout)))
    return found


def weka_model(output: str) -> str:
    """The model in what Weka prints: between the first rule under a title and the next title."""
    lines = output.split("=== Classifier model", 1)[1].split("Time taken", 1)[0].splitlines()[1:]
    first = next(i for i, line in enumerate(lines) if set(line.strip()) in ({"="}, {"-"}))
    return "\n".join(line for line in lines[first + 1 :] if line.strip())


def shortened(text: str) -> str:
    """The first lines of a model, and how many follow."""
    lines = [line.rstrip() for line in text.strip("\n").splitlines()]
    if len(lines) <= MAX_LINES:
        return "\n".join(lines)
    return "\n".join([*lines[: MAX_LINES - 1], f"({len(lines) - MAX_LINES + 1} more lines)"])


def block(pairs: list[tuple[Side, Side]], rows: int) -> str:
    """The part of the page that is measured."""
    parts = ["| package | there | errors | here | errors |\n|---|---|---|---|---|\n"]
    for peer, own in pairs:
        parts.append(
            f"| {peer.package} | `{peer.call}` | {peer.errors / rows:.1%} | `{own.call}` | "
            f"{own.errors / rows:.1%} |\n".replace("%", " %")
        )
    for peer, own in pairs:
        if peer.call in SHOWN:
            parts.append(
                f"\n`{peer.call}` of {peer.package}:\n\n```text\n{shortened(peer.text)}\n```\n\n"
                f"`{own.call}`:\n\n```text\n{shortened(own.text)}\n```\n"
            )
    return "".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=sys.executable, help="a Python that has the packages")
    parser.add_argument("--weka", default=weka.JAR, metavar="JAR", help="Weka's jar")
    parser.add_argument("--write", action="store_true", help="write the text into the page")
    options = parser.parse_args()
    _, y = tumours()
    folds = folds_of(y)
    peers = package_sides(options.python, folds) + weka_sides(options.weka, folds)
    text = block([(peer, our_side(*OURS[peer.call], folds)) for peer in peers], len(y))
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(FIRST)
    known, after = rest.split(LAST)
    print(f"rulewright {version('rulewright')}\n\n{text}")
    if options.write:
        PAGE.write_text(before + FIRST + text + LAST + after, encoding="utf-8")
    elif known != text:
        print(*difflib.unified_diff(known.splitlines(), text.splitlines(), lineterm=""), sep="\n")
        sys.exit(f"{PAGE.name} has other results. To replace them: --write.")


if __name__ == "__main__":
    main()
