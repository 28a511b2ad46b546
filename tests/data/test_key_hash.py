"""Hashes of keys: the same in every engine, and no sign of the keys in them."""

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lazy_frames import ENGINES
from oracles.counts import hash_of

from rulewright.data import MODULUS, KeyHash, checked_keys, rows_from
from rulewright.errors import InputError

ENDS = [0, 1, MODULUS - 1, MODULUS, MODULUS + 1, 2**53 - 1, 2**53]


@given(st.lists(st.sampled_from(ENDS) | st.integers(0, 2**53), min_size=1), st.binary(max_size=4))
def test_a_hash_is_a_chain_of_fifth_powers(keys, secret):
    key_hash = KeyHash.of(secret, 3)
    found = key_hash.hashed(np.array(keys, np.int64)).tolist()
    assert found == [hash_of(key_hash.secrets, key) for key in keys]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("key", ["id", "hash", "hash power", 'a"--'])
def test_engines_divide_rows_as_memory_does(engine, key):
    keys = np.unique(np.concatenate([ENDS, np.arange(300) * 7_919_999_999_999]))
    frame = pl.DataFrame({key: keys, "x": np.arange(keys.size)})
    key_hash, least = KeyHash.of(b"k", 1), MODULUS // 3
    rows = rows_from(nw.from_native(ENGINES[engine](frame)), key, key_hash, least)
    assert rows.collect_schema().names() == [key, "x"]
    found = nw.to_native(rows.select("x").collect(backend="polars")).to_series()
    assert sorted(found) == np.flatnonzero(key_hash.hashed(keys) >= least).tolist()


@pytest.mark.parametrize("step", [1, 2, 10, 4096, MODULUS, 10**9 + 7])
def test_hashes_of_regular_keys_are_spread_evenly_and_independent(step):
    """Fixed keys: neighbours, a period of ten, and shares of tenths within five deviations."""
    rows = 20_000
    x = KeyHash.of(b"even", 1).hashed(np.arange(rows) * step) / MODULUS
    tenths = np.bincount((10 * x).astype(int), minlength=10)
    assert np.abs(tenths - rows / 10).max() < 5 * np.sqrt(rows * 0.1 * 0.9)
    for lag in (1, 2, 10):
        assert abs(np.corrcoef(x[lag:], x[:-lag])[0, 1]) < 5 / np.sqrt(rows)
    other = KeyHash.of(b"even", 2).hashed(np.arange(rows) * step)
    assert abs(np.corrcoef(x, other)[0, 1]) < 5 / np.sqrt(rows)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ([0.5, 1.0], "a whole number from 0 to 2.*53 for each row, got the number 0.5"),
        ([-1, 1], "got numbers from -1 to 1"),
        ([0, 2**60], "got numbers from 0 to"),
        (["a", "b"], "got values of type <U1"),
        ([3, 3, 4], "different in each row: 3 rows have 2 different ones"),
    ],
)
def test_other_keys_are_refused(keys, message):
    with pytest.raises(InputError, match=message):
        checked_keys(np.array(keys))


def test_whole_numbers_of_any_type_are_keys():
    assert checked_keys(np.array([2.0, 0.0])).tolist() == [2, 0]
    assert checked_keys(np.array([], np.uint8)).size == 0
