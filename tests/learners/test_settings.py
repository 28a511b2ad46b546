"""A parameter has one name, one default and one help text: in its learner's settings."""

import inspect
import re
from dataclasses import fields

import pytest

import rulewright
from rulewright.errors import InputError
from rulewright.learners import ESTIMATORS, SETTINGS, options_of
from rulewright.learners.base.estimator_class import SHELL
from rulewright.selection import AutoSettings

CLASSES = [getattr(rulewright, name) for name in ESTIMATORS]
EVERY = [AutoSettings, *SETTINGS.values()]


def learner_of(settings):
    return settings.learner


@pytest.mark.parametrize("estimator", CLASSES, ids=lambda cls: cls.__name__)
def test_parameters_of_an_estimator_are_the_fields_of_its_settings(estimator):
    signature = inspect.signature(estimator.__init__)
    given = {n: p.default for n, p in signature.parameters.items() if n != "self"}
    known = {one.name: one.default for one in fields(estimator.settings_class)}
    assert given == known | {name: default for name, (default, _) in SHELL.items()}
    assert estimator().get_params() == given


@pytest.mark.parametrize("estimator", CLASSES, ids=lambda cls: cls.__name__)
def test_only_the_first_parameter_is_positional(estimator):
    parameters = list(inspect.signature(estimator.__init__).parameters.values())[1:]
    assert parameters[0].name == estimator.settings_class.first
    assert [p.kind.name for p in parameters] == [
        "POSITIONAL_OR_KEYWORD",
        *["KEYWORD_ONLY"] * (len(parameters) - 1),
    ]
    with pytest.raises(TypeError, match="too many positional"):
        estimator(1, 2)
    with pytest.raises(TypeError, match="no_such"):
        estimator(no_such=1)


@pytest.mark.parametrize("estimator", CLASSES, ids=lambda cls: cls.__name__)
def test_every_parameter_is_documented_with_its_default(estimator):
    for name, (default, option) in (options_of(estimator.settings_class) | SHELL).items():
        assert f"{name} : {option.type}, default={default!r}\n" in estimator.__doc__
    assert "{" not in re.sub(r'\{("|None|label|\()[^}]*\}|\{2: 9\}', "", estimator.__doc__)


@pytest.mark.parametrize("settings", EVERY, ids=learner_of)
def test_help_is_one_short_sentence(settings):
    for name, (_, option) in options_of(settings).items():
        assert option.help.endswith("."), name
        assert "\n" not in option.help, name
        assert len(option.help) <= 135, name


@pytest.mark.parametrize("settings", EVERY, ids=learner_of)
def test_defaults_are_allowed_and_settings_are_frozen(settings):
    made = settings()
    with pytest.raises(AttributeError, match="cannot assign"):
        made.delta = 0.5
    assert made == settings()


def needed(settings, name, choice):
    """Other options without which a choice is refused."""
    if name == "base" and choice == "trees":
        return {"n_rounds": 2}
    optimal = settings is SETTINGS["tree"] and name in ("ties", "missing_sides")
    return {"search": "optimal", "max_depth": 2} if optimal else {}


@pytest.mark.parametrize("settings", EVERY, ids=learner_of)
def test_choices_are_checked_and_the_way_out_is_named(settings):
    for name, (_, option) in options_of(settings).items():
        for choice in option.choices:
            settings(**{name: choice}, **needed(settings, name, choice))
        if option.choices:
            with pytest.raises(InputError, match=f"^{name} must be .* got 'nonsense'"):
                settings(**{name: "nonsense"})
            with pytest.raises(InputError, match=f"^{name} must be .* got 7"):
                settings(**{name: 7})


@pytest.mark.parametrize("settings", EVERY, ids=learner_of)
def test_the_same_name_means_the_same_everywhere(settings):
    """Parameters that learners share have one default and one type."""
    own = {"criterion", "family", "pruning", "class_costs", "max_rules", "penalty", "n_rounds"}
    own |= {"min_samples_leaf", "consistent", "monotonic_cst", "size"}
    own |= {"max_terms", "beam_width"}  # conditions of a scorecard have one or two terms
    own |= {"ties"}  # of predicates in a set covering machine, of classes in a list
    own |= {"preset"}  # each learner has presets of its own
    own |= {"certificate"}  # auto chooses by a split certificate, a single learner uses all rows
    for other in EVERY:
        known = options_of(other)
        for name, (default, option) in options_of(settings).items():
            if name in known and name not in own:
                assert (default, option.type) == (known[name][0], known[name][1].type), name
