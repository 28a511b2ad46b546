"""scikit-learn's own checks, all of them, for every estimator."""

import os
import subprocess
import sys

import pytest

from rulewright import learners

SETTINGS = {
    "SetCoveringMachine": [
        {},
        {"kind": "disjunction", "p": 0.5},
        {"kind": "best", "p": 3.0, "max_rules": None},
        {"family": "thresholds", "consistent": True},
        {"family": "balls"},
        {"family": "balls", "kind": "best", "consistent": True},
        {"family": "half_spaces"},
        {"family": "half_spaces", "kernel": "rbf", "consistent": True},
        {"family": "intervals"},
        {"family": ["thresholds", "balls", "half_spaces"], "max_rules": 3},
    ],
    "DecisionListMachine": [
        {},
        {"types": "complex", "metric": "l1", "consistent": True},
        {"family": "auto"},
        {"family": "thresholds", "consistent": True},
        {"family": "half_spaces"},
        {"family": "intervals", "consistent": True},
        {"family": ["thresholds", "balls", "half_spaces"], "max_rules": 3},
    ],
}
CASES = [(name, options) for name, cases in SETTINGS.items() for options in cases]
PROGRAM = """
import sys, warnings
from sklearn.utils.estimator_checks import check_estimator
from rulewright import learners
estimator = getattr(learners, sys.argv[1])(**eval(sys.argv[2]))
results = check_estimator(estimator, on_fail=None, on_skip=None)
bad = [(r["check_name"], repr(r["exception"])) for r in results if r["status"] != "passed"]
assert len(results) > 40 and not bad, bad
"""


def test_every_learner_is_checked():
    assert set(SETTINGS) == set(learners.LEARNERS)


@pytest.mark.parametrize(("name", "options"), CASES, ids=[f"{n}-{o}" for n, o in CASES])
def test_every_check_passes_and_none_is_skipped(name, options):
    """In a process of its own: one check runs only where SciPy's array API is switched on."""
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, name, repr(options)],
        env={**os.environ, "SCIPY_ARRAY_API": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
