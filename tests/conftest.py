"""What all tests share: the hypothesis profile, the dataframe libraries, where real data lies."""

import os
import warnings
from pathlib import Path

import hypothesis
import pytest

hypothesis.settings.register_profile(
    "rulewright",
    deadline=None,
    print_blob=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
    derandomize=True,  # the same examples every time; the thorough profile looks for others
)
hypothesis.settings.register_profile(
    "quick", hypothesis.settings.get_profile("rulewright"), max_examples=5
)
hypothesis.settings.register_profile("thorough", max_examples=2000, deadline=None)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "rulewright"))


WHOLE = ("contract", "golden")


def pytest_addoption(parser):
    parser.addoption(
        "--first-cases", action="store_true", help="run only the first case of every test"
    )


def pytest_collection_modifyitems(config, items):
    """Keep the first case of every test, and all cases in the folders ``WHOLE``."""
    if not config.getoption("--first-cases"):
        return
    first = {item.nodeid.partition("[")[0]: item.nodeid for item in reversed(items)}
    chosen = set(first.values())
    chosen |= {item.nodeid for item in items if item.path.parent.name in WHOLE}
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in chosen])
    items[:] = [item for item in items if item.nodeid in chosen]


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
