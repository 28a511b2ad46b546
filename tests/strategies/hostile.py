"""JSON that was tampered with: one value changed, somewhere."""

import copy

from hypothesis import strategies as st

STRANGE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.just([]),
    st.just({}),
    st.just([[]]),
    st.just({"node": "tree", "nodes": []}),
    st.just("__import__('os').system('true')"),
)


def places(value):
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield value, key
        if isinstance(inner, dict | list):
            yield from places(inner)


@st.composite
def tampered(draw, content):
    """The same JSON value, with one member changed or left out."""
    content = copy.deepcopy(content)
    place, key = draw(st.sampled_from(list(places(content))))
    if draw(st.booleans()) and isinstance(place, dict):
        del place[key]
    else:
        place[key] = draw(STRANGE)
    return content
