"""What rules cover, and of how many."""

from hypothesis import strategies as st


@st.composite
def coverages(draw, most=30):
    """Counts p, n, P, N; often nothing, or all of a class, is there or is covered."""
    counts = st.one_of(st.just(0), st.integers(0, most))
    P, N = draw(counts), draw(counts)
    p = draw(st.one_of(st.just(0), st.just(P), st.integers(0, P)))
    n = draw(st.one_of(st.just(0), st.just(N), st.integers(0, N)))
    return p, n, P, N
