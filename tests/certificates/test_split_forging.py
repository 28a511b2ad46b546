"""Forged split certificates: each is refused when it is loaded or checked, with its reason."""

import copy
import dataclasses
import json

import numpy as np
import pytest
from certificates.splitting import estimator, fitted, split_rows

from rulewright.certificates import from_json, split_message
from rulewright.data import seed_key
from rulewright.errors import CertificateError, ModelFileError
from rulewright.models import to_json

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

SPLIT_1 = "rulewright-split-1"


@pytest.fixture(scope="module", params=["two classes", "seed"])
def found(request):
    return fitted("tree", request.param)


def consistent(certificate, **changes):
    """Make message and bound fit what was changed, as a forger would."""
    c = dataclasses.replace(certificate, **changes)
    message = split_message(c.split, c.n_splits, c.place, c.pool_size, c.log_prior, c.settings)
    c = dataclasses.replace(c, message=message, tail=None)
    return dataclasses.replace(c, bound=c.recomputed_bound())


def refused(found, reason, /, *, model=None, y=None, X=None, **changes):
    forged = consistent(found.certificate, **changes)
    with pytest.raises(CertificateError, match=reason):
        forged.verify(
            model or found.model,
            found.X if X is None else X,
            found.y if y is None else y,
        )


def with_parameter(found, name, value):
    recipe = copy.deepcopy(found.certificate.recipe)
    recipe["parameters"][name] = value
    return recipe


def test_what_is_not_forged_is_accepted(found):
    assert consistent(found.certificate).verify(found.model, found.X, found.y).holds


def test_another_place_is_refused(found):
    c = found.certificate
    for place in set(range(1, c.pool_size + 1)) - {c.place}:
        refused(found, f"The model is not candidate {place} of the pool", place=place)


def test_a_place_or_split_that_does_not_exist_is_refused(found):
    c = found.certificate
    refused(found, "are not possible", place=c.pool_size + 1)
    refused(found, "are not possible", split=c.n_splits + 1)


def test_another_split_is_refused(found):
    other = 3 - found.certificate.split
    refused(found, "The pool differs|is not candidate", split=other)


def test_fewer_splits_than_there_were_are_refused():
    """The model is of the first split; the others, which were tried as well, are not paid for."""
    X, y = fitted("tree").X, fitted("tree").y
    for seed in range(20):
        made = estimator("tree", random_state=seed, n_splits=2).fit(X, y)
        if made.certificate_.split == 1:
            forged = consistent(made.certificate_, n_splits=1)
            assert forged.bound < made.certificate_.split_bound
            reason = "says n_splits = 1; its recipe says n_splits = 2"
            with pytest.raises(CertificateError, match=reason):
                forged.verify(made.model_, X, y)
            return
    pytest.fail("no model of the first split")


def test_the_usual_number_of_splits_cannot_become_another():
    X, y = fitted("tree").X, fitted("tree").y
    c = estimator("tree", n_splits=None).fit(X, y).certificate_
    assert c.n_splits == 5
    with pytest.raises(CertificateError, match="its recipe says n_splits = None"):
        consistent(c, n_splits=4, split=1).check_numbers()


def test_a_changed_cut_is_refused(found):
    """By the last digit: all rows are answered as before."""
    data = json.loads(json.dumps(to_json(found.model)))
    cuts = [path for path in paths(data["body"]) if path[-1] == "cut"]
    assert cuts
    for path in cuts:
        place = data["body"]
        for step in path[:-1]:
            place = place[step]
        before = place["cut"]
        place["cut"] = float(np.nextafter(before, np.inf))
        model = from_json(data)
        with pytest.raises(CertificateError, match="A rule was changed"):
            model.certificate.verify(model, found.X, found.y)
        place["cut"] = before
    model = from_json(data)
    assert model.certificate.verify(model, found.X, found.y).holds


def paths(data, path=()):
    if isinstance(data, dict | list):
        for step, part in data.items() if isinstance(data, dict) else enumerate(data):
            yield from paths(part, (*path, step))
    else:
        yield path


def relabelled(found, row):
    y = found.y.copy()
    y[row] = "b" if y[row] == "a" else "a"
    return y


def test_one_changed_label_of_a_design_row_is_refused(found):
    design, _ = split_rows(found, found.certificate.split)
    reason = "do not give the key" if found.certificate.seed is None else "The pool differs"
    for row in design:
        refused(found, reason, y=relabelled(found, row))


def test_one_changed_label_of_a_check_row_is_refused(found):
    _, check = split_rows(found, found.certificate.split)
    reason = "do not give the key" if found.certificate.seed is None else "A label differs"
    for row in check:
        refused(found, reason, y=relabelled(found, row))


def test_labels_of_check_rows_that_keep_the_counts_are_refused():
    """Two labels exchanged: one row more is wrong, or fewer."""
    found = fitted("tree", "seed")
    _, check = split_rows(found, found.certificate.split)
    says = found.estimator.predict(found.X)
    right = [row for row in check if says[row] == found.y[row]]
    one, two = (next(row for row in right if found.y[row] == label) for label in "ab")
    y = found.y.copy()
    y[[one, two]] = y[[two, one]]
    refused(found, r"counts .* errors on the other .* counting again gives", y=y)


def test_one_changed_value_is_refused():
    found = fitted("tree")
    X = found.X.copy()
    X.loc[3, "size"] = float(np.nextafter(X.loc[3, "size"], 9))
    refused(found, "do not give the key", X=X)


def test_a_changed_weight_is_refused():
    found = fitted("tree", "weights")
    weight = found.weight.copy()
    weight[np.flatnonzero(weight)[0]] += 1
    with pytest.raises(CertificateError, match="do not give the key"):
        found.certificate.verify(found.model, found.X, found.y, weight)
    with pytest.raises(CertificateError, match="do not give the key"):
        found.certificate.verify(found.model, found.X, found.y)


def test_a_changed_delta_is_refused(found):
    refused(found, "says delta = 0.5; its recipe says delta = 0.05", delta=0.5)
    c = dataclasses.replace(found.certificate, delta=0.5)
    with pytest.raises(CertificateError, match="says delta = 0.5"):
        c.verify(found.model, found.X, found.y)


def test_a_delta_changed_in_the_recipe_too_is_refused():
    found = fitted("tree")
    refused(found, "do not give the key", delta=0.5, recipe=with_parameter(found, "delta", 0.5))


def test_a_pool_of_another_size_is_refused(found):
    size = found.certificate.pool_size
    reason = f"with {size + 1} candidates; this version finds {size}"
    refused(found, reason, pool_size=size + 1)
    if found.certificate.place < size:
        refused(found, f"with {size - 1} candidates", pool_size=size - 1)


def test_another_pool_is_refused_with_the_version_that_made_it(found):
    """Another version may find another pool, so the file is not called forged."""
    digest = found.certificate.pool_digest[::-1]
    recipe = {**found.certificate.recipe, "version": "0.0.7"}
    refused(found, "made by version", pool_digest=digest)
    if found.certificate.seed is not None:
        refused(found, r"made by version 0\.0\.7", pool_digest=digest, recipe=recipe)


def test_another_version_that_finds_the_same_pool_is_accepted():
    found = fitted("tree", "seed")
    recipe = {**found.certificate.recipe, "version": "0.0.7"}
    assert consistent(found.certificate, recipe=recipe).verify(found.model, found.X, found.y).holds


def test_a_learner_or_parameter_that_this_version_does_not_have_is_named():
    found = fitted("tree", "seed")
    recipe = {**found.certificate.recipe, "learner": "oracle", "version": "9.1"}
    refused(found, r"made by version 9\.1\. This version has no learner 'oracle'", recipe=recipe)
    recipe = {**with_parameter(found, "n_oracles", 3), "version": "9.1"}
    refused(found, r"made by version 9\.1\. This version cannot run its recipe", recipe=recipe)
    refused(found, "cannot run its recipe", recipe=with_parameter(found, "preset", "oracle"))


def test_a_changed_prior_is_refused(found):
    for log_prior in (0.0, found.certificate.log_prior + 1e-6, found.certificate.log_prior - 1):
        refused(found, "prior probability of the model has the logarithm", log_prior=log_prior)


def test_a_message_that_pays_less_is_refused(found):
    for changes in ({"log_prior": -0.0}, {"n_splits": 1, "split": 1}):
        c = dataclasses.replace(found.certificate, **changes)
        with pytest.raises(CertificateError, match="nats for the choice|n_splits"):
            c.verify(found.model, found.X, found.y)
    c = dataclasses.replace(found.certificate, message=(), tail=None)
    c = dataclasses.replace(c, bound=c.recomputed_bound())
    with pytest.raises(CertificateError, match=r"pays 0\.000000 nats"):
        c.verify(found.model, found.X, found.y)


def test_changed_counts_are_refused(found):
    c = found.certificate
    refused(found, "counts .* errors on the other", wrong=(0, 0))
    refused(found, "examples of the classes", counts=(c.counts[0] + 1, c.counts[1] - 1))
    refused(found, "training examples", counts=(c.counts[0] + 100, c.counts[1]))
    refused(found, "is for 3 classes", counts=(*c.counts, 0), wrong=(*c.wrong, 0))
    refused(found, "design rows; the certificate says", design=c.design + 1)
    refused(found, "has no compression set", aside=(1, 0))
    refused(found, "has no compression set", roles={"x": (1,)}, role_counts={"x": (1, 0)})


def test_a_changed_bound_is_refused(found):
    c = dataclasses.replace(found.certificate, bound=0.01)
    with pytest.raises(CertificateError, match="claims a bound of 0.01"):
        c.verify(found.model, found.X, found.y)


@pytest.mark.parametrize(("name", "value"), [("max_depth", 2), ("criterion", "error")])
def test_a_changed_parameter_of_the_recipe_is_refused(found, name, value):
    reason = "do not give the key" if found.certificate.seed is None else "The pool differs"
    refused(found, reason, recipe=with_parameter(found, name, value))


def test_another_key_seed_or_share_is_refused(found):
    key = seed_key(SPLIT_1, 99).hex()
    refused(found, "do not give the key", key=key)
    refused(found, "its recipe says random_state = ", seed=99, key=key)
    recipe = with_parameter(found, "random_state", 99)
    refused(found, "The pool differs|is not candidate", seed=99, key=key, recipe=recipe)
    refused(found, "its recipe says check_share = None", check_share=0.5)


def test_a_certificate_of_another_model_is_refused():
    one, two = fitted("tree"), fitted("scm")
    with pytest.raises(CertificateError, match="A rule was changed"):
        one.certificate.verify(two.model, one.X, one.y)


def changed_file(found, **changes):
    data = json.loads(json.dumps(to_json(found.model)))
    data["certificate"].update(changes)
    return data


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"bound": 0.01}, "claims a bound of 0.01"),
        ({"delta": 0.5}, "says delta = 0.5; its recipe says"),
        ({"n_splits": 1, "split": 1}, "says n_splits = 1"),
        ({"wrong": [0, 0]}, "claims a bound"),
        ({"log_prior": -1e-3}, "nats for the choice of split and model"),
        ({"log_prior": 0.5}, "log_prior must be 0 or less"),
        ({"place": 0}, "place must be 1 or more"),
        ({"place": 10**6}, "are not possible"),
        ({"split": 7}, "are not possible"),
        ({"message": []}, "nats for the choice of split and model"),
        ({"seed": "content"}, "seed must be|whole number"),
        ({"key": 7}, "must be text"),
        ({"recipe": []}, "recipe must be an object"),
        ({"recipe": {}}, "must have a learner, parameters and a version"),
        ({"recipe": {"learner": 1, "parameters": {}, "version": ""}}, "must have a learner"),
        ({"pool_size": 2.5}, "whole number"),
        ({"held": [1, 2]}, "has no 'held'"),
        ({"form": "holdout"}, "of the form 'holdout' has no|members are not"),
        ({"form": "compression"}, "of the form 'compression' has no|members are not"),
    ],
    ids=str,
)
def test_a_file_that_contradicts_itself_is_not_loaded(changes, reason):
    with pytest.raises(ModelFileError, match=reason):
        from_json(changed_file(fitted("tree"), **changes))


@pytest.mark.parametrize("kind", ["two classes", "seed"])
def test_every_changed_value_of_a_file_is_noticed(kind):
    """Of body and certificate, but for what is printed only."""
    found = fitted("tree", kind)
    data = json.loads(json.dumps(to_json(found.model)))
    printed = ("cautions", "canonical", "printed_bound", "families", "settings")
    tried = 0
    for part in ("body", "certificate"):
        for path in paths(data[part], (part,)):
            if path[1] in printed or "anchored_on" in path:
                continue
            if path[-1] == "version" or (path[1] == "recipe" and kind == "seed"):
                continue  # a recipe that makes the same pool is as good
            forged = copy.deepcopy(data)
            place = forged
            for step in path[:-1]:
                place = place[step]
            place[path[-1]] = other(place[path[-1]])
            tried += 1
            assert notices(forged, found), ".".join(map(str, path))
    assert tried > 25


def other(value):
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    return 0.25 if value is None else value + "x"


def notices(data, found):
    try:
        model = from_json(data)
        model.certificate.verify(model, found.X, found.y)
    except (ModelFileError, CertificateError):
        return True
    return False
