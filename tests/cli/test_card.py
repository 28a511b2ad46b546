"""rulewright card: prints the card, writes it, and refuses unknown learners."""

import pytest

CARD = "rulewright.experiments.card.card"


@pytest.fixture
def small(monkeypatch, tmp_path):
    monkeypatch.setattr(f"{CARD}.REFERENCE", "majority")
    monkeypatch.setattr(f"{CARD}.QUICK_NUMERIC", ("iris",))
    monkeypatch.setattr(f"{CARD}.QUICK_ROWS", (50, 100))
    monkeypatch.setattr(f"{CARD}.MIXED_ROWS", 60)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def test_the_card_is_printed_and_written(rulewright, small, tmp_path):
    page = tmp_path / "card.html"
    run = rulewright("card", "--quick", "--learner", "tree", "-j", 1, "--out", page)
    assert run.code == 0, run.err
    assert "yes (0.0 %)" in run.out
    assert "<svg" in page.read_text()
    again = rulewright("card", "--quick", "--learner", "tree", "-j", 1, "--json").json
    assert again["tables"][0]["columns"][:2] == ["learner", "mixed data"]


def test_a_learner_that_does_not_exist_is_refused(rulewright):
    run = rulewright("card", "--learner", "oracle")
    assert run.code == 1
    assert "no learner or baseline 'oracle'. Choose among scm, dlm" in run.err
