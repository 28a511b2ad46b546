"""What all tests share: the hypothesis profile, the dataframe libraries, where real data lies."""

import os
import shutil
import warnings
from pathlib import Path

import hypothesis
import pytest

hypothesis.settings.register_profile(
    "rulewright",
    deadline=None,
    print_blob=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
    max_examples=12,
    derandomize=True,  # the same examples every time; the thorough profile looks for others
)
hypothesis.settings.register_profile(
    "quick", hypothesis.settings.get_profile("rulewright"), max_examples=5
)
hypothesis.settings.register_profile(
    "more", hypothesis.settings.get_profile("rulewright"), max_examples=200
)
hypothesis.settings.register_profile("thorough", max_examples=2000, deadline=None)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "rulewright"))


WHOLE = ("contract", "golden")


def pytest_addoption(parser):
    parser.addoption(
        "--first-cases", action="store_true", help="run only the first case of every test"
    )
    parser.addoption(
        "--all-cases", action="store_true", help="run all cases of tests with a cross-section"
    )


def pytest_collection_modifyitems(config, items):
    """Keep the cases that this run asks for: the first of every test, a cross-section, or all."""
    if config.getoption("--first-cases"):
        chosen = first_cases(items)
    elif config.getoption("--all-cases"):
        return
    else:
        chosen = cross_section(items)
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in chosen])
    items[:] = [item for item in items if item.nodeid in chosen]


def first_cases(items):
    """Return the first case of every test, and all cases in the folders ``WHOLE``."""
    first = {item.nodeid.partition("[")[0]: item.nodeid for item in reversed(items)}
    return set(first.values()) | {item.nodeid for item in items if item.path.parent.name in WHOLE}


def cross_section(items):
    """Return all cases, but of tests marked ``cross_section(n)`` only n, at equal distances."""
    cases, sizes = {}, {}
    for item in items:
        test = item.nodeid.partition("[")[0]
        cases.setdefault(test, []).append(item.nodeid)
        if mark := item.get_closest_marker("cross_section"):
            (sizes[test],) = mark.args
    chosen = set()
    for test, ids in cases.items():
        size = min(sizes.get(test, len(ids)), len(ids))
        chosen |= {ids[place * len(ids) // size] for place in range(size)}
    return chosen


def as_pandas(columns):
    import pandas

    return pandas.DataFrame(columns)


def as_pandas_nullable(columns):
    import pandas

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pandas 2 warns of infinities on the way
        return pandas.DataFrame(columns).convert_dtypes()


def as_polars(columns):
    import polars

    return polars.DataFrame(columns, strict=False)


def as_arrow(columns):
    import pyarrow

    return pyarrow.table(columns)


FRAMES = {
    "pandas": as_pandas,
    "pandas-nullable": as_pandas_nullable,
    "polars": as_polars,
    "arrow": as_arrow,
}


@pytest.fixture(params=FRAMES)
def make_frame(request):
    """Make a frame of each library from a dict of lists."""
    return FRAMES[request.param]


@pytest.fixture(scope="session")
def data_folder():
    """The folder of real data sets, where there is one."""
    folder = os.environ.get("RULEWRIGHT_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("RULEWRIGHT_DATA does not name a folder of data sets")
    return Path(folder)


@pytest.fixture(scope="module")
def browser():
    """Chromium, which `make browser` works in."""
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    chromium = chromium or shutil.which("google-chrome")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if chromium is None:
        pytest.skip("chromium is not installed")
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield opened
        opened.close()
