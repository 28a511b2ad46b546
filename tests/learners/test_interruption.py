"""Ctrl-C ends a fit in the middle of a kernel, and leaves the learner as if it had not begun."""

import signal
import subprocess
import sys
import time

import pytest

PROGRAM = """
import numpy as np
from rulewright import *

rng = np.random.default_rng(0)
X, y = rng.normal(size=({rows}, {columns})), rng.integers(0, {classes}, {rows})
learner = {learner}
learner.fit(X[:60], y[:60])
print("fitting", flush=True)
try:
    learner.fit(X, y)
except KeyboardInterrupt:
    print("stopped", hasattr(learner, "model_"), flush=True)
    learner.fit(X[:60], y[:60])
    print("fitted", hasattr(learner, "model_"), flush=True)
"""

LEARNERS = [
    ("TreeClassifier(family=['thresholds', 'intervals'], n_jobs=2)", 200_000, 20, 2),
    ("TreeRegressor(criterion='absolute_error', n_jobs=2)", 300_000, 20, 9),
    ("SetCoveringMachine(family='half_spaces', max_candidates=None, n_jobs=2)", 5000, 10, 2),
    ("RipperClassifier(n_jobs=2)", 1_000_000, 40, 2),
    ("RuleListClassifier(n_jobs=2)", 300_000, 40, 3),
]

SOON = 60
"""Seconds in which even a busy machine stops. The kernels of the trees alone take longer."""


@pytest.mark.cross_section(1)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("learner", "rows", "columns", "classes"), LEARNERS, ids=[case[0] for case in LEARNERS]
)
def test_a_fit_that_is_interrupted_stops_soon(learner, rows, columns, classes):
    code = PROGRAM.format(learner=learner, rows=rows, columns=columns, classes=classes)
    command = [sys.executable, "-W", "ignore", "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "fitting\n"
            time.sleep(1)
            process.send_signal(signal.SIGINT)
            said, _ = process.communicate(timeout=SOON)
        finally:
            process.kill()
    assert said == "stopped False\nfitted True\n"
