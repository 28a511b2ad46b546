"""Models as documents: what they say, and that names are not markup in them."""

import pytest
from exports.test_hostile_names import hostile_model
from golden import make

from rulewright import load_model
from rulewright.errors import InputError


def golden(name):
    return load_model(make.FOLDER / "0.1" / f"{name}.json", functions=make.FUNCTIONS)


def test_markdown_has_the_rules_their_counts_and_the_certificate():
    model = golden("RuleListClassifier-abstaining")
    text = model.export("markdown")
    assert text.startswith("<!--\nRulewright model: list of 3 rules on 5 columns.\n")
    assert "| 1 | age \\> 69 and score \\> -0.81 | ill | 20 of 20 |\n" in text
    assert "| 4 | otherwise | no answer | 70 |\n" in text
    assert f"Certificate: {model.certificate.sentence}\n" in text


def test_english_has_a_sentence_for_each_rule():
    text = golden("RuleListClassifier-abstaining").export("english")
    assert "1. If age is above 69, and score is above -0.81, the answer is ill." in text
    assert "(Right for 20 of 20 training cases.)" in text
    assert "2. Otherwise, if stage is at most 1, and stay is above 3 days 04:00" in text
    assert "4. Otherwise, there is no answer. (Training cases: 70.)" in text
    vote = golden("node-rule_vote").export("english")
    assert "3. If ward is north or west, 0.75 is added to ill." in vote


@pytest.mark.parametrize(
    ("name", "answer", "reasons"),
    [
        (
            "RuleListClassifier-abstaining",
            "ill",
            ["age is above 69, and score is above -0.81."],
        ),
        ("ScorecardClassifier", "ill", ["age is above 68 (5 points)."]),
        (
            "ScorecardClassifier",
            "well",
            ["It is not the case that age is above 68 (5 points missed)."],
        ),
        ("node-rule_vote", "ill", ["ward is north or west (weight 0.75)."]),
        ("node-rule_list", "well", ["None of these holds: "]),
    ],
)
def test_the_reasons_for_an_answer_are_listed(name, answer, reasons):
    text = golden(name).export("english", adverse=answer)
    _, found = text.split(f"Reasons to state where the answer is {answer}:\n")
    for reason in reasons:
        assert f"- {reason}" in found


def test_an_answer_that_is_not_known_is_refused():
    with pytest.raises(InputError, match="adverse must be one of the answers, 'ill', 'well'"):
        golden("RipperClassifier").export("english", adverse="bad")


def test_documents_have_the_points_of_a_scorecard():
    model = golden("ScorecardClassifier")
    text = model.export("markdown")
    assert "| Points | If |\n| ---: | --- |\n| +4 | age \\<= 51 |\n" in text
    assert "| 3 | total -6 | ill | 11.1 % | 9 of 9 |\n" in text
    assert "+4 & age \\textless{}= 51 \\\\\n" in model.export("latex")
    words = model.export("english")
    assert "- Minus 5 points if age is above 68.\n" in words
    assert "- The risk is the probability of well.\n" in words
    assert "3. If the total is -6, the answer is ill, and the risk is 11.1 %." in words


def test_documents_have_the_points_of_each_class():
    model = golden("ScorecardClassifier-three")
    assert "| -5 | 0 | +5 | age \\> 60 |\n" in model.export("markdown")
    assert "- -5 for class 0, +5 for class 2, if age is above 60.\n" in model.export("english")
    assert "-5 & 0 & +5 & age \\textgreater{} 60" in model.export("latex")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("threshold", "age is above 60 or missing"),
        ("threshold_at_cut", "age is below 60"),
        ("interval", "dose is above 3.5 and at most 6.25"),
        ("outside", "dose is below 3.5 or at least 6.25 or missing"),
        ("not_category", "ward is not north or missing"),
        ("missing", "ward is missing"),
        ("given", "smoker is false"),
        ("any_of", "age is above 70, or age is missing"),
        ("not", "it is not the case that (age is above 40, and ward is south)"),
        ("at_least", "at least 2 of these 3 statements hold (age is above 50; smoker is true; "),
        ("half_plane", "dose"),
    ],
)
def test_conditions_in_words(name, words):
    assert f"1. If {words}" in golden(f"node-{name}").export("english")


@pytest.mark.parametrize("form", ["markdown", "latex", "english"])
@pytest.mark.parametrize("name", ["TreeRegressor", "TreeClassifier", "SetCoveringMachine-balls"])
def test_every_kind_of_model_has_a_document(form, name):
    model = golden(name)
    text = model.export(form)
    assert text == model.export(form)
    assert "Rulewright model: " in text.splitlines()[1 if form == "markdown" else 0]
    assert "Certificate: " in text


def test_names_are_not_markup():
    model = hostile_model()
    markdown = model.export("markdown")
    page = markdown.partition("-->")[2]
    assert "-->" not in page.replace("\\>", "")
    assert "<script" not in markdown.replace("\\<", "")
    assert "](javascript" not in markdown.replace("\\]", "")
    lines = [line for line in page.splitlines() if line.startswith("|")]
    assert len(lines) == 2 + len(model.rules)
    assert {line.replace("\\|", "").count("|") for line in lines} == {5}
    latex = model.export("latex")
    assert "\\section" not in latex.replace("\\textbackslash{}", "")
    assert all(line.startswith("%") for line in latex.splitlines()[:4])
    assert all(letter.isprintable() for letter in latex.replace("\n", ""))
    assert len(model.export("english").splitlines()) == 8 + len(model.rules)
