"""Draws what each learner makes of two columns.

``python docs/pictures/learners.py FOLDER`` learns from the radius and the concave points of the 569
tumours of scikit-learn, and a decision list machine from the petals of its 150 irises. A picture
shows the answers of a model and the model as it is printed.
"""

import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
from PIL import Image
from sklearn.datasets import load_breast_cancer, load_iris

from rulewright import (
    DecisionListMachine,
    RipperClassifier,
    RuleListClassifier,
    RuleVoteClassifier,
    ScorecardClassifier,
    SetCoveringMachine,
    SlipperClassifier,
    TreeClassifier,
    TreeRulesClassifier,
)
from rulewright.models import Model
from rulewright.report import plot_regions

LEARNERS = {
    "machine-scm": SetCoveringMachine(kind="disjunction", max_rules=2),
    "machine-dlm": DecisionListMachine(family=["thresholds", "half_spaces"], max_rules=2),
    "tree": TreeClassifier(max_leaf_nodes=4),
    "rule-list": RuleListClassifier(max_rules=2),
    "rule-vote": RuleVoteClassifier(max_rules=3),
    "ripper": RipperClassifier(),
    "slipper": SlipperClassifier(n_rounds=4),
    "scorecard": ScorecardClassifier(max_conditions=4),
    "tree-rules": TreeRulesClassifier(),
}
WIDTH, HEIGHT, LINE_HEIGHT = 5.2, 3.4, 0.23
"""Inches, at 100 dots each: narrow enough to be read on a phone."""
LETTERS, LINES = 54, 14


def lines_of(model: Model) -> Iterator[str]:
    """Printed lines of a model, broken where they are too long for the picture."""
    for line in str(model).splitlines()[:LINES]:
        rest = line
        while len(rest) > LETTERS:
            at = max(rest.rfind(" and ", 8, LETTERS), 0) or rest.rfind(" ", 8, LETTERS)
            yield rest[:at]
            rest = "       " + rest[at:]
        yield rest


def tumours() -> tuple[Any, Any]:
    """Two columns of the tumours, and their classes."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X = X[["worst radius", "worst concave points"]].set_axis(["radius", "concave points"], axis=1)
    return X, y.map({0: "malignant", 1: "benign"})


def irises() -> tuple[Any, Any]:
    """Length and width of the petals, and the species."""
    iris = load_iris(as_frame=True)
    petals = iris.data[["petal length (cm)", "petal width (cm)"]]
    return petals.set_axis(["length", "width"], axis=1), iris.target_names[iris.target]


def draw(model: Model, X: Any, y: Any, path: Path) -> None:
    """Draw the answers of a model over two columns, and print it below them."""
    lines = list(lines_of(model))
    heights = (HEIGHT, LINE_HEIGHT * (len(lines) + 2))
    figure, (above, below) = plt.subplots(
        2, 1, figsize=(WIDTH, sum(heights)), height_ratios=heights, layout="constrained"
    )
    plot_regions(model, X, y, columns=list(X), ax=above)
    below.axis("off")
    options = {"family": "monospace", "size": 9.5, "linespacing": 1.5, "va": "top"}
    below.text(0.0, 1.0, "\n".join(lines), parse_math=False, in_layout=False, **options)
    drawn = BytesIO()
    figure.savefig(drawn, dpi=100)
    plt.close(figure)
    Image.open(drawn).convert("RGB").quantize(64).save(path, optimize=True)


def main(folder: Path) -> None:
    """Draw all of them."""
    for name, learner in LEARNERS.items():
        X, y = irises() if name == "machine-dlm" else tumours()
        draw(learner.fit(X, y).model_, X, y, folder / f"{name}.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
