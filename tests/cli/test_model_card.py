"""rulewright model-card: a card as Markdown or HTML."""

import pandas as pd


def test_a_card_is_printed_and_written(rulewright, table, model, tmp_path):
    done = rulewright("model-card", model)
    assert done.code == 0, done.err
    assert done.out.startswith("<!-- Written by rulewright. -->\n\n# Model card: ")
    for name in ("card.md", "card.html"):
        assert rulewright("model-card", model, "--out", tmp_path / name).code == 0
    assert "<h2>Intended use</h2>" in (tmp_path / "card.html").read_text(encoding="utf-8")
    assert rulewright("model-card", model, "--out", tmp_path / "card.txt").code == 1


def test_a_card_counts_groups(rulewright, table, model):
    column = next(name for name in pd.read_csv(table).columns if name not in ("class", "age"))
    done = rulewright("model-card", model, "--data", table, "--by", column)
    assert done.code == 0, done.err
    assert f"## Groups by {column}" in done.out
    assert rulewright("model-card", model, "--by", column).code == 1
