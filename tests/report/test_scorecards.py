"""Scorecards in reports: the points, the cut and the table of risks are those of the model."""

import html
import re

import numpy as np
import pandas as pd
from sklearn.datasets import load_iris

from rulewright import ScorecardClassifier
from rulewright.render import band_texts, points_text, risk_text
from rulewright.report import report_model


def page(card, X, y, path):
    report_model(card.model_, X, y, path)
    return html.unescape(path.read_text(encoding="utf-8"))


def test_a_report_has_the_points_and_the_risks(tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 3)).round(2), columns=["a", "b", "c"])
    y = np.where(X["a"] + X["b"] + rng.normal(size=300) > 0, "yes", "no")
    card = ScorecardClassifier(4).fit(X, y)
    body, shown = card.model_.body, page(card, X, y, tmp_path / "report.html")
    for line in body.lines:
        assert f"<b>{points_text(line.points)}</b>" in shown
    assert f"if the total is at least {body.cut}" in shown
    rows = re.findall(r"<tr><td>([^<]*)</td><td class=\"n\"><b>([^<]*)</b></td>", shown)
    assert rows == [
        (total, risk_text(band.risk))
        for total, band in zip(band_texts(body), body.bands, strict=True)
    ]


def test_a_report_of_several_classes_has_points_for_each(tmp_path):
    X, y = load_iris(return_X_y=True, as_frame=True)
    card = ScorecardClassifier(3).fit(X, y)
    shown = page(card, X, y, tmp_path / "report.html")
    for line in card.model_.body.lines:
        cells = "".join(f'<td class="n"><b>{points_text(p)}</b></td>' for p in line.points)
        assert cells in shown
    assert f"exp({card.model_.body.slope:g} x points)" in shown
