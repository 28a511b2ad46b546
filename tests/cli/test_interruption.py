"""Ctrl-C on the command line."""

import subprocess
import sys

import numpy as np
import pytest

SOON = 60
"""Seconds in which even a busy machine stops. The kernel alone takes longer."""

INTERRUPTED = """
import signal
from rulewright.cli.main import run
from rulewright.learners.tree import grown_tree

def timed(*args, **options):
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    return grow_tree(*args, **options)

grow_tree, grown_tree.grow_tree = grown_tree.grow_tree, timed
signal.signal(signal.SIGALRM, signal.default_int_handler)
run()
"""


@pytest.mark.slow
def test_an_interrupted_kernel_says_so_and_leaves_no_file(tmp_path):
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.integers(0, 9**6, (60_000, 12)), rng.integers(0, 2, 60_000)])
    names = ",".join([*(f"x{number}" for number in range(12)), "y"])
    table, out = tmp_path / "table.csv", tmp_path / "out"
    np.savetxt(table, rows, "%d", ",", header=names, comments="")
    out.mkdir()
    command = [sys.executable, "-c", INTERRUPTED, "fit", str(table), "-t", "y", "--learner"]
    command += [
        "tree",
        "--family",
        "thresholds",
        "--family",
        "intervals",
        "--out",
        str(out / "m.json"),
        "--report",
        str(out / "r.html"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SOON)
    assert (done.returncode, done.stderr) == (130, "Stopped.\n")
    assert list(out.iterdir()) == []
