"""Lists and votes of conjunctive rules, beside the table of their paper.

K. Vorontsov and A. Ivahnenko (2011), Tight Combinatorial Generalization Bounds for Threshold
Conjunction Rules, the last table: weighted voting (WV) and decision lists (DL), without and with
the correction of counts (+CS). The paper names neither its criterion nor its limits: here all four
have boosting's criterion of shares, a greedy search and the learners' own limits.
"""

import time

import numpy as np
import pandas
import pytest
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from rulewright import RuleListClassifier, RuleVoteClassifier

pytestmark = [pytest.mark.slow, pytest.mark.papers]

SPLITS = 5
SETS = {
    "australian": ("australian", "A1 A4 A5 A6 A8 A9 A11 A12", ""),
    "echo": ("echocardiogram", "still_alive pericardial_effusion", "group"),
    "heart": ("heart_hungarian", "sex cp fbs restecg exang slope thal", ""),
    "hepatitis": (
        "hepatitis",
        "sex steroid antivirals fatigue malaise anorexia liver_big liver_firm spleen_palpable "
        "spiders ascites varices histology",
        "",
    ),
    "labor": ("labor", "", ""),
    "liver": ("bupa", "", ""),
}
"""The file, its columns of category codes, and the columns left out.

Echo keeps the columns that define its class, as errors of 3 to 7 % say that the paper did.
"""
PUBLISHED = {
    "DL": (15.1, 4.51, 20.5, 19.5, 14.7, 35.8),
    "DL+CS": (14.4, 3.6, 19.5, 18.6, 13.6, 32.3),
    "WV": (14.9, 4.37, 20.1, 19.0, 14.0, 32.3),
    "WV+CS": (14.1, 3.2, 19.3, 18.1, 13.4, 30.2),
}
LEARNERS = {
    "DL": RuleListClassifier("boosting_normalised", beam_width=1),
    "DL+CS": RuleListClassifier("boosting_normalised", correction="sc", beam_width=1),
    "WV": RuleVoteClassifier("boosting_normalised", beam_width=1),
    "WV+CS": RuleVoteClassifier("boosting_normalised", correction="sc", beam_width=1),
}


def prepared(folder, name):
    """Give a set with its categories as text, and its labels; rows without a class are left out."""
    file, codes, absent = SETS[name]
    frame = pandas.read_csv(folder / f"{file}.csv").dropna(subset=["class"])
    y = frame["class"].astype(str).to_numpy()
    X = frame.drop(columns=["class", *absent.split()])
    unknown = set(codes.split()) - set(X.columns)
    assert not unknown, (unknown, list(X.columns))
    for code in codes.split():
        X[code] = X[code].map(str, na_action="ignore").astype(object)
    return X, y


def fold(learner, X, y, train, test):
    fitted = clone(learner).fit(X.iloc[train], y[train])
    wrong = int((fitted.predict(X.iloc[test]) != y[test]).sum())
    return wrong, len(fitted.model_.rules) - 1, fitted.model_.body.literals


def cross_validated(learner, X, y):
    """Give the percentage of errors over ten folds for every split, and the sizes."""
    jobs = [
        (split, *parts)
        for split in range(SPLITS)
        for parts in StratifiedKFold(10, shuffle=True, random_state=split).split(X, y)
    ]
    found = Parallel(n_jobs=-1)(delayed(fold)(learner, X, y, *parts) for _, *parts in jobs)
    wrong, rules, terms = np.array(found).reshape(SPLITS, 10, 3).transpose(2, 0, 1)
    return 100 * wrong.sum(axis=1) / y.size, rules.mean(), terms.mean()


@pytest.fixture(scope="module")
def results(data_folder):
    """Cross-validate all four on all sets, and print them beside what was published."""
    start, found = time.process_time(), {}
    print(f"\n{'':<14}{'rules':>6}{'terms':>6}  " + " ".join(f"{name:>17}" for name in SETS))
    for name, learner in LEARNERS.items():
        errors, rules, terms = zip(
            *(cross_validated(learner, *prepared(data_folder, file)) for file in SETS), strict=True
        )
        found[name] = np.array(errors)
        said = [f"{e.mean():5.1f} [{e.min():.1f}-{e.max():.1f}]".rjust(17) for e in found[name]]
        print(f"{name:<14}{np.mean(rules):6.1f}{np.mean(terms):6.1f}  " + " ".join(said))
        said = [f"{published:5.1f}".rjust(17) for published in PUBLISHED[name]]
        print(f"{'  published':<26}  " + " ".join(said))
    for plain in ("DL", "WV"):
        gain = found[plain].mean() - found[f"{plain}+CS"].mean()
        published = np.mean(PUBLISHED[plain]) - np.mean(PUBLISHED[f"{plain}+CS"])
        print(f"{plain}: the correction saves {gain:.2f} points; published {published:.2f}")
    print(f"{time.process_time() - start:.0f} s of this process")
    return found


@pytest.mark.parametrize("plain", ["DL", "WV"])
def test_the_correction_helps_on_average_as_published(results, plain):
    assert results[f"{plain}+CS"].mean() < results[plain].mean() - 0.25


@pytest.mark.parametrize("name", LEARNERS)
def test_the_mean_over_the_sets_is_as_low_as_published(results, name):
    assert results[name].mean() < np.mean(PUBLISHED[name]) + 1.0
