"""Memory of freed arrays."""

import platform
import subprocess
import sys

import pytest

PROGRAM = """
import resource
import numpy as np
from rulewright.kernels import keep_freed_memory
assert keep_freed_memory()
np.ones(1 << 23).sum()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(20):
    np.ones(1 << 23).sum()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc can")
def test_the_memory_of_a_freed_array_is_used_again():
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    )
    assert int(found.stdout) < 100
