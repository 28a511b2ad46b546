"""Numbers are decoded as they were encoded, from the bits alone, with the computed lengths."""

import itertools
import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from oracles.bits import BitDecoder, BitEncoder

from rulewright.certificates.codes import LengthEncoder
from rulewright.errors import InputError

FINITE = st.floats(allow_nan=False, allow_infinity=False)


def bits_of(write):
    """Write with both pens: really, and for the price."""
    encoder, lengths = BitEncoder(), LengthEncoder()
    write(encoder)
    write(lengths)
    price = math.log2(encoder.total) - math.log2(encoder.width)
    assert nats_of(lengths) / math.log(2) == pytest.approx(price, rel=1e-9, abs=1e-9)
    assert len(encoder.bits) <= price + 2 + 1e-9
    return encoder.bits


def nats_of(lengths):
    return math.fsum(nats for _, nats in lengths.message)


def weight_of(write):
    lengths = LengthEncoder()
    write(lengths)
    return math.exp(-nats_of(lengths))


@given(st.lists(st.integers(0, 10**6) | st.integers(0, 2**40), max_size=8))
def test_sizes_are_read_as_written(numbers):
    decoder = BitDecoder(bits_of(lambda encoder: [encoder.size(number) for number in numbers]))
    assert [decoder.size() for _ in numbers] == numbers


@given(st.integers(-(2**30), 2**30))
@example(0)
@example(-1)
def test_signed_numbers_are_read_as_written(number):
    assert BitDecoder(bits_of(lambda encoder: encoder.signed(number))).signed() == number


@given(FINITE | st.integers(-(2**60), 2**60).map(float))
@example(5e-324)
@example(-0.0)
@example(1.7976931348623157e308)
@example(0.1)
def test_finite_numbers_are_read_as_written(value):
    assert BitDecoder(bits_of(lambda encoder: encoder.real(value))).real() == value


def test_a_number_of_few_bits_is_cheap():
    def bits(value):
        return -math.log2(weight_of(lambda encoder: encoder.real(value)))

    assert bits(1.0) < bits(0.75) < bits(0.7890625) < bits(0.1)
    assert bits(0.5) < 6
    assert bits(0.1) < 70


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_numbers_that_are_not_finite_are_refused(value):
    with pytest.raises(InputError, match="Only finite numbers"):
        LengthEncoder().real(value)


def shapes(splits):
    """All binary trees of so many splits, in preorder."""
    if not splits:
        return [[False]]
    return [
        [True, *left, *right]
        for first in range(splits)
        for left in shapes(first)
        for right in shapes(splits - 1 - first)
    ]


@pytest.mark.parametrize("splits", range(7))
def test_all_shapes_are_equally_likely_and_read_as_written(splits):
    every = shapes(splits)
    for shape in every:
        weight = weight_of(lambda encoder, shape=shape: encoder.shape(shape))
        assert weight == pytest.approx(1 / len(every))
        bits = bits_of(lambda encoder, shape=shape: encoder.shape(shape))
        assert BitDecoder(bits).shape(splits) == shape


@pytest.mark.parametrize(("size", "of"), [(0, 0), (0, 3), (1, 4), (2, 3), (3, 3), (3, 1), (4, 2)])
def test_all_multisets_are_equally_likely_and_read_as_written(size, of):
    every = list(itertools.combinations_with_replacement(range(of), size))
    for members in every:
        weight = weight_of(lambda encoder, members=members: encoder.multiset(members, of))
        assert weight == pytest.approx(1 / len(every))
        bits = bits_of(lambda encoder, members=members: encoder.multiset(members, of))
        assert BitDecoder(bits).multiset(size, of) == list(members)


@given(st.lists(st.integers(0, 2**80 - 1), max_size=5).map(sorted))
def test_multisets_of_huge_numbers_are_read_as_written(members):
    bits = bits_of(lambda encoder: encoder.multiset(members, 2**80))
    assert BitDecoder(bits).multiset(len(members), 2**80) == members


@given(st.lists(st.booleans(), max_size=12))
def test_all_subsets_are_equally_likely_and_read_as_written(chosen):
    weight = weight_of(lambda encoder: encoder.subset(chosen))
    assert weight == pytest.approx(1 / math.comb(len(chosen), sum(chosen)))
    bits = bits_of(lambda encoder: encoder.subset(chosen))
    assert BitDecoder(bits).subset(sum(chosen), len(chosen)) == chosen


@pytest.mark.parametrize(
    ("places", "examples"), [(0, 0), (1, 1), (3, 1), (3, 2), (3, 3), (4, 2), (5, 3)]
)
def test_all_maps_onto_the_examples_are_equally_likely_and_read_as_written(places, examples):
    every = [
        chosen
        for chosen in itertools.product(range(examples), repeat=places)
        if len(set(chosen)) == examples
    ]
    for chosen in every:
        weight = weight_of(lambda encoder, chosen=chosen: encoder.covering(chosen, examples))
        assert weight == pytest.approx(1 / len(every))
        bits = bits_of(lambda encoder, chosen=chosen: encoder.covering(chosen, examples))
        assert BitDecoder(bits).covering(places, examples) == list(chosen)


def test_what_cannot_be_written_has_no_price():
    for write in (
        lambda encoder: encoder.choose(3, 3),
        lambda encoder: encoder.choose(0, 0),
        lambda encoder: encoder.choose(-1, 3),
        lambda encoder: encoder.weighted(0, (0, 1)),
        lambda encoder: encoder.weighted(2, (1, 1)),
        lambda encoder: encoder.size(-1),
        lambda encoder: encoder.multiset([0, 3], 3),
        lambda encoder: encoder.covering([0, 0], 2),
    ):
        with pytest.raises(InputError):
            write(LengthEncoder())


def test_prices_are_added_up_by_what_they_are_about():
    lengths = LengthEncoder()
    lengths.part("colours").choose(0, 4)
    lengths.part("shapes").choose(1, 2)
    lengths.part("colours").choose(1, 2)
    lengths.part("nothing").choose(0, 1)
    said = [(what, pytest.approx(nats)) for what, nats in lengths.message]
    assert said == [("colours", math.log(8)), ("shapes", math.log(2))]
