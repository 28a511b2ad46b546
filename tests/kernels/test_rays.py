"""The heaviest ball and the heaviest half-space, against trying every one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracles import rays as oracle
from strategies.numbers import TIED, TIED_OR_MISSING, UGLY, numeric_columns, weights_for

from rulewright.kernels import (
    BallIndex,
    PairIndex,
    distances,
    kernel_distances,
    similarities,
    similarity_rows,
)

THREADS = st.sampled_from([1, 2, 8])
METRICS = st.sampled_from(["l1", "l2", "linf"])
KERNELS = st.sampled_from(["linear", "rbf", "polynomial"])
VALUES = st.sampled_from([TIED, TIED_OR_MISSING, UGLY])


def masks(count):
    return hnp.arrays(np.bool_, count)


def numbers_below(count, most):
    return hnp.arrays(np.int32, st.integers(0, most), elements=st.integers(0, count - 1))


@st.composite
def questions(draw, rows):
    """Weights, borders and open rows, several in a row, often like the ones before."""
    asked = []
    weight = draw(weights_for(rows))
    for _ in range(draw(st.integers(1, 4))):
        border = draw(st.one_of(st.just(np.ones(rows, bool)), masks(rows)))
        asked.append((weight, border, draw(st.one_of(st.none(), masks(rows)))))
        change = draw(st.sampled_from(["settle", "redraw", "grow"]))
        if change == "settle":
            weight = np.where(draw(masks(rows)), 0, weight)
        elif change == "redraw":
            weight = draw(weights_for(rows))
        else:
            weight = weight + draw(weights_for(rows, low=0))
    return asked


@st.composite
def ball_cases(draw):
    columns = draw(numeric_columns(values=draw(VALUES), most_rows=14))
    rows = columns[0].size
    centres = draw(numbers_below(rows, 5))
    return columns, centres, draw(masks(centres.size)), draw(questions(rows))


@st.composite
def pair_cases(draw):
    rows = draw(st.integers(1, 14))
    prototypes = draw(hnp.arrays(np.int32, st.integers(1, 6), elements=st.integers(0, rows - 1)))
    shape = (prototypes.size, rows)
    similarity = draw(hnp.arrays(np.float64, shape, elements=draw(VALUES)))
    toward = draw(numbers_below(prototypes.size, 4))
    away = draw(numbers_below(prototypes.size, 4))
    return (similarity, prototypes, toward, away), draw(questions(rows))


def to_centres(columns, centres, distance):
    lines = [distance([x[c] for x in columns]) for c in centres]
    return np.array(lines).reshape(len(centres), columns[0].size)


@given(ball_cases(), METRICS, THREADS, st.data())
def test_the_heaviest_ball_is_the_first_of_the_best(case, metric, threads, data):
    columns, centres, below, asked = case
    expected = to_centres(columns, centres, lambda c: distances(columns, c, metric))
    index = BallIndex(columns, centres, below, metric=metric, threads=threads)
    for weight, border, opened in asked:
        apart = data.draw(st.none() | masks(weight.size))
        options = {"apart": apart is not None, "excused": apart}
        found = index.heaviest(weight, border, open=opened, **options)
        assert found == oracle.heaviest_ball(
            expected, centres, below, weight, border, opened, **options
        )


@given(ball_cases(), KERNELS, st.sampled_from([0.5, 30.0]), st.integers(1, 3), THREADS, st.data())
def test_balls_may_lie_in_the_space_of_a_kernel(case, kernel, gamma, degree, threads, data):
    columns, centres, below, asked = case
    shape = {"gamma": gamma, "offset": 1.0, "degree": degree}
    expected = to_centres(columns, centres, lambda c: kernel_distances(columns, c, kernel, **shape))
    index = BallIndex(columns, centres, below, kernel=kernel, **shape, threads=threads)
    for weight, border, opened in asked:
        apart = data.draw(st.none() | masks(weight.size))
        options = {"apart": apart is not None, "excused": apart}
        found = index.heaviest(weight, border, open=opened, **options)
        assert found == oracle.heaviest_ball(
            expected, centres, below, weight, border, opened, **options
        )


@given(pair_cases(), THREADS, st.data())
def test_the_heaviest_given_ball_is_the_first_of_the_best(case, threads, data):
    (matrix, centres, *_), asked = case
    below = centres % 2 == 0
    index = BallIndex.of_distances(matrix, centres, below, threads=threads)
    for weight, border, opened in asked:
        apart = data.draw(st.none() | masks(weight.size))
        options = {"apart": apart is not None, "excused": apart}
        found = index.heaviest(weight, border, open=opened, **options)
        assert found == oracle.heaviest_ball(
            matrix, centres, below, weight, border, opened, **options
        )


@given(pair_cases(), st.booleans(), st.data(), THREADS)
def test_the_heaviest_half_space_is_the_first_of_the_best(case, apart, data, threads):
    pairs, asked = case
    index = PairIndex(*pairs, threads=threads)
    for weight, border, opened in asked:
        excused = data.draw(st.one_of(st.none(), masks(weight.size)))
        found = index.heaviest(weight, border, open=opened, apart=apart, excused=excused)
        assert found == oracle.heaviest_half_space(
            *pairs, weight, border, opened, apart, excused if apart else None
        )


def spread_values(kind, rng, shape):
    """Values such as those of RBF kernels: few large ones, most of them tiny, zero, or tied."""
    tiny = 10.0 ** -rng.uniform(0, 330, shape)
    if kind == "signed":
        return tiny * rng.choice([-1.0, 1.0], shape)
    if kind == "half zero":
        return np.where(rng.random(shape) < 0.5, 0.0, tiny)
    if kind == "sparse":
        return np.where(rng.random(shape) < 0.93, 0.0, np.round(tiny, 2) + tiny)
    if kind == "nearly nothing":
        return np.where(rng.random(shape) < 0.99, 0.0, 1.0)
    if kind == "missing":
        return np.where(rng.random(shape) < 0.1, rng.choice([np.nan, np.inf, -np.inf], shape), tiny)
    return np.round(tiny, 2) if kind == "tied" else tiny


@pytest.mark.cross_section(9)
@pytest.mark.parametrize(
    "kind", ["positive", "signed", "half zero", "sparse", "nearly nothing", "tied", "missing"]
)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("heavy", [1, 2**50])
def test_values_over_many_powers_of_ten_have_the_same_heaviest_half_space(kind, threads, heavy):
    rng = np.random.default_rng(len(kind))
    rows, lines = 80, np.arange(60, dtype=np.int32)
    similarity = spread_values(kind, rng, (60, rows))
    toward, away = lines[:30], lines[30:]
    with np.errstate(invalid="ignore"):
        values = (similarity[toward][:, None] - similarity[away][None]).reshape(-1, rows)
    index = PairIndex(similarity, lines, toward, away, threads=threads)
    weight = np.where(np.arange(rows) % 3 == 0, 2, -1) * heavy
    for _ in range(3):
        border = rng.random(rows) < 0.7
        above = values[:, None, :] > values[:, border][:, :, None]
        totals = np.where(np.isfinite(values[:, border]), above @ weight, -(2**62))
        gathered = above @ np.maximum(weight, 0)
        ray, place = min(np.ndindex(totals.shape), key=lambda at: (-totals[at], -gathered[at], *at))
        chosen = np.flatnonzero(border)[place]
        expected = (totals[ray, place], gathered[ray, place], ray)
        found = index.heaviest(weight, border)
        assert found[:3] == expected
        assert values[ray, found.border] == values[ray, chosen]
        weight = np.where(values[ray] > values[ray, chosen], 0, weight)


@given(pair_cases())
def test_no_sum_overflows(case):
    """Weights near the largest allowed, of either sign, from one question to the next."""
    pairs, asked = case
    rows = pairs[0].shape[1]
    index = PairIndex(*pairs)
    for weight, border, opened in asked:
        heavy = np.sign(weight) * (2**61 // rows) + weight
        for w in (heavy, -heavy):
            found = index.heaviest(w, border, open=opened)
            assert found == oracle.heaviest_half_space(*pairs, w, border, opened)


@given(
    numeric_columns(values=TIED_OR_MISSING, most_rows=9),
    KERNELS,
    st.sampled_from([0.5, 2.0]),
    THREADS,
    st.data(),
)
def test_similarities_by_rows_are_bit_for_bit_those_by_points(columns, kind, gamma, threads, data):
    rows = data.draw(numbers_below(columns[0].size, 5))
    shape = {"gamma": gamma, "offset": 1.0, "degree": 3}
    found = similarity_rows(columns, rows, kind, **shape, threads=threads)
    assert found.shape == (rows.size, columns[0].size)
    for line, row in zip(found, rows, strict=True):
        expected = similarities(columns, [x[row] for x in columns], kind, **shape)
        assert line.tobytes() == expected.tobytes()


def table(rng, shape, rows):
    """Columns and weights that give the buckets, the limits and the ties something to do."""
    X = rng.normal(size=(rows, 3))
    weight = np.where(X[:, 0] + X[:, 1] ** 2 + rng.normal(size=rows) > 1, 2, -3)
    if shape == "tied":
        X = np.round(X)
    if shape == "far values":
        X[rng.random(rows) < 0.02] *= 1e6
    if shape == "many at zero":
        X[rng.random(rows) < 0.6] *= [1e-9, 1e-9, 0.0]
    if shape == "missing":
        X[rng.random(X.shape) < 0.02] = np.nan
    if shape == "infinite":
        X[rng.random(X.shape) < 0.02] = np.inf
    if shape == "noise":
        weight = rng.permutation(weight)
    if shape == "separable":
        weight = np.where(X[:, 0] > 0, 2, -3)
        X[:, 0] += np.sign(X[:, 0])
    return [X[:, j] for j in range(3)], weight


SHAPES = [
    "normal",
    "tied",
    "far values",
    "many at zero",
    "missing",
    "infinite",
    "noise",
    "separable",  # many half-spaces are as good as the best
]


def pairs_of(columns, rng, kind="linear"):
    prototypes = rng.choice(columns[0].size, 40, replace=False).astype(np.int32)
    toward, away = np.arange(25, dtype=np.int32), np.arange(20, 40, dtype=np.int32)
    similarity = similarity_rows(columns, prototypes, kind)
    with np.errstate(invalid="ignore"):
        rays = [
            (i * 20 + j, similarity[a] - similarity[b], False)
            for i, a in enumerate(toward)
            for j, b in enumerate(away)
        ]
    return (similarity, prototypes, toward, away), rays


@pytest.mark.cross_section(9)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", ["linear", "rbf"])
def test_many_half_spaces_are_searched_exactly(shape, kind):
    rng = np.random.default_rng(3)
    columns, weight = table(rng, shape, 300)
    pairs, rays = pairs_of(columns, rng, kind)
    indexes = [PairIndex(*pairs, threads=threads) for threads in (1, 2, 8)]
    border = weight < 0
    for _ in range(4):
        expected = oracle.heaviest_sorted_cut(rays, weight, border)
        assert [index.heaviest(weight, border) for index in indexes] == [expected] * 3
        _, _, ray, row = expected
        weight = np.where(rays[ray][1] > rays[ray][1][row], 0, weight)


@pytest.mark.cross_section(3)
@pytest.mark.parametrize("shape", SHAPES)
def test_many_half_spaces_apart_are_searched_exactly(shape):
    rng = np.random.default_rng(6)
    columns, weight = table(rng, shape, 300)
    pairs, rays = pairs_of(columns, rng)
    _, prototypes, toward, away = pairs
    index = PairIndex(*pairs)
    border = rng.random(300) < 0.8
    for step in range(4):
        opened, excused = rng.random(300) < 0.9, rng.random(300) < 0.2 * step

        def allows(ray, t, opened=opened, excused=excused):
            near, far = prototypes[toward[ray // 20]], prototypes[away[ray % 20]]
            values = rays[ray][1]
            if not (opened[near] and opened[far]):
                return np.zeros(t.size, bool)
            return ~(values[far] > t) & ((values[near] > t) | excused[near])

        found = index.heaviest(weight, border, open=opened, apart=True, excused=excused)
        assert found == oracle.heaviest_sorted_cut(rays, weight, border, allows)
        weight = np.where(rng.random(300) < 0.3, 0, weight)


@pytest.mark.parametrize("shape", SHAPES)
def test_many_balls_are_searched_exactly(shape):
    rng = np.random.default_rng(4)
    columns, weight = table(rng, shape, 300)
    centres = np.arange(300, dtype=np.int32)
    below = weight > 0
    indexes = [BallIndex(columns, centres, below, threads=threads) for threads in (1, 2, 8)]
    border = weight < 0
    lines = [distances(columns, [x[c] for x in columns], "l2") for c in centres]
    rays = [(c, lines[c], bool(below[c])) for c in centres]
    for _ in range(4):
        expected = oracle.heaviest_sorted_cut(rays, weight, border)
        assert [index.heaviest(weight, border) for index in indexes] == [expected] * 3
        _, _, ray, row = expected
        d = lines[ray]
        weight = np.where(d < d[row] if below[ray] else d > d[row], 0, weight)


def test_where_all_is_tied_the_first_ray_and_the_first_border_win():
    """Nothing can be pruned by weight: equal similarities, and then equal weights."""
    lines = np.arange(30, dtype=np.int32)
    border = np.arange(60) >= 7
    flat = PairIndex(np.ones((30, 60)), lines, lines, lines)
    assert flat.heaviest(np.ones(60, np.int64), border) == (0, 0, 0, 7)
    steps = PairIndex(np.outer(lines % 3, np.arange(60.0) // 10), lines, lines, lines)
    assert steps.heaviest(np.zeros(60, np.int64), border) == (0, 0, 0, 7)
    assert steps.heaviest(np.full(60, -1), border) == (0, 0, 0, 7)


def test_weights_that_grow_raise_the_limits_that_were_kept():
    rng = np.random.default_rng(5)
    similarity = rng.normal(size=(12, 80))
    lines = np.arange(12, dtype=np.int32)
    index = PairIndex(similarity, lines, lines, lines)
    border = np.ones(80, bool)
    rays = [(i * 12 + j, similarity[i] - similarity[j], False) for i in lines for j in lines]
    for _ in range(10):
        weight = rng.integers(-9, 10, 80) * rng.integers(0, 2, 80)
        assert index.heaviest(weight, border) == oracle.heaviest_sorted_cut(rays, weight, border)


def test_without_a_cut_there_is_no_answer():
    row, none = np.zeros(1, np.int32), np.empty(0, np.int32)
    one, nothing = np.ones(1, np.int64), np.empty(0, np.int64)
    x = [np.array([4.0])]
    yes, no, empty = np.ones(1, bool), np.zeros(1, bool), np.empty(0, bool)
    assert BallIndex(x, row, yes).heaviest(one, no) is None
    assert BallIndex(x, row, yes).heaviest(one, yes, open=no) is None
    assert BallIndex(x, none, empty).heaviest(one, yes) is None
    assert BallIndex([np.empty(0)], none, empty).heaviest(nothing, empty) is None
    assert BallIndex([np.array([np.nan])], row, yes).heaviest(one, yes) is None
    assert PairIndex(np.ones((1, 1)), row, row, none).heaviest(one, yes) is None
    assert PairIndex(np.empty((0, 0)), none, none, none).heaviest(nothing, empty) is None
    assert PairIndex(np.ones((1, 1)), row, row, row).heaviest(one, yes) == (0, 0, 0, 0)
    assert PairIndex(np.ones((1, 1)), row, row, row).heaviest(one, yes, apart=True) is None


def test_the_given_arrays_are_not_written_to():
    matrix = np.arange(12.0).reshape(3, 4)
    lines = np.arange(3, dtype=np.int32)
    weight, marks = np.array([1, -1, 2, 0]), np.ones(4, bool)
    for array in (matrix, lines, weight, marks):
        array.setflags(write=False)
    PairIndex(matrix, lines, lines, lines).heaviest(weight, marks, open=marks, excused=marks)
    BallIndex.of_distances(matrix, lines, marks[:3]).heaviest(weight, marks)
    BallIndex([matrix[0]], lines, marks[:3]).heaviest(weight, marks)


def test_arrays_of_another_length_are_refused():
    row, weight, marks = np.zeros(1, np.int32), np.ones(3, np.int64), np.ones(3, bool)
    index = BallIndex([np.arange(3.0)], row, marks[:1])
    with pytest.raises(ValueError, match="weight must have shape \\(3,\\), got \\(2,\\)"):
        index.heaviest(weight[:2], marks)
    with pytest.raises(ValueError, match="mask of rows must have shape \\(3,\\)"):
        index.heaviest(weight, marks[:2])
    with pytest.raises(ValueError, match="mask of rows must have shape \\(3,\\)"):
        index.heaviest(weight, marks, open=marks[:2])
    with pytest.raises(ValueError, match="mask of centres must have shape \\(1,\\)"):
        BallIndex([np.arange(3.0)], row, marks)
    with pytest.raises(TypeError, match="weight must be int64"):
        index.heaviest(weight.astype(float), marks)


def test_rows_and_prototypes_that_do_not_exist_are_refused():
    matrix, weight, marks = np.ones((2, 3)), np.ones(3, np.int64), np.ones(3, bool)
    good, bad = np.arange(2, dtype=np.int32), np.array([0, 3], np.int32)
    with pytest.raises(ValueError, match="row must be from"):
        PairIndex(matrix, bad, good, good).heaviest(weight, marks)
    with pytest.raises(ValueError, match="prototype must be from"):
        PairIndex(matrix, good, bad, good).heaviest(weight, marks)
    with pytest.raises(ValueError, match="prototype must be from"):
        PairIndex(matrix, good, good, -good).heaviest(weight, marks)
    with pytest.raises(ValueError, match="row must be from"):
        BallIndex([np.arange(3.0)], bad, marks[:2]).heaviest(weight, marks)
    with pytest.raises(ValueError, match="one line per prototype"):
        PairIndex(matrix, good[:1], good[:1], good[:1]).heaviest(weight, marks)
    with pytest.raises(ValueError, match="one line per centre"):
        BallIndex.of_distances(matrix, good[:1], marks[:1]).heaviest(weight, marks)
    with pytest.raises(ValueError, match="row must be from"):
        similarity_rows([np.arange(3.0)], bad, "linear")
    with pytest.raises(ValueError, match="at least one coordinate"):
        BallIndex([], good, marks[:2])
