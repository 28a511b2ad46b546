"""BuildSCM and BuildDLM against brute force, step by step, for every family."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracles import machines as oracle
from strategies.mixed import tables
from strategies.numbers import TIED

from rulewright.certificates.codes import compress_machine, rebuild_machine
from rulewright.data import NumericColumn, Table
from rulewright.families import Examples, SpaceOptions, as_families
from rulewright.learners import GreedyTask, Sample, covering_stages, listing_stages
from rulewright.learners.dlm import build_dlm
from rulewright.learners.scm import build_scm
from rulewright.models import read_penalty
from rulewright.rules import Kernel, Metric

PENALTIES = [0.0, 0.1, 0.5, 1.0, 1.1, 3.0, math.inf]
KINDS = st.sampled_from(["conjunction", "disjunction"])
SPATIAL = [["balls"], ["half_spaces"], ["balls", "half_spaces"]]
LONE = [["thresholds"], ["categories", "missing"], ["thresholds", "categories", "missing"]]
MIXED = [["thresholds", "balls"], ["half_spaces", "thresholds"]]
RICH = [["intervals"], ["subsets", "given"], ["intervals", "subsets", "thresholds"]]
SUMS = [["half_planes"], ["half_planes", "thresholds", "missing"]]
RICH_SPATIAL = [["intervals", "balls"], ["half_spaces", "intervals", "thresholds"]]
METRICS = [
    Metric("l1"),
    Metric("l2"),
    Metric("linf"),
    Metric("kernel", Kernel("rbf", 0.5)),
    Metric("kernel", Kernel("polynomial", 1.0, 1.0, 2)),
]
KERNELS = [Kernel(), Kernel("rbf", 0.5), Kernel("polynomial", 1.0, 1.0, 2)]


@st.composite
def spaces(draw, most_rows):
    """A table of two numeric columns, ties and duplicates in plenty, nothing missing."""
    rows = draw(st.integers(2, most_rows))
    matrix = draw(hnp.arrays(np.float64, (rows, 2), elements=TIED))
    return Table([NumericColumn(f"x{j}", matrix[:, j]) for j in range(2)], rows)


@st.composite
def tasks(draw, classes=2, most_rows=9):
    names = draw(st.sampled_from(SPATIAL + LONE + MIXED + RICH + SUMS + RICH_SPATIAL))
    spatial = any(name in ("balls", "half_spaces") for name in names)
    table = draw(spaces(most_rows) if spatial else tables(most_rows=most_rows + 4, least_rows=2))
    y = draw(hnp.arrays(np.int32, table.rows, elements=st.integers(0, classes - 1)))
    weight = draw(
        hnp.arrays(np.float64, table.rows, elements=st.sampled_from([0.5, 1.0, 1.0, 2.0]))
    )
    options = SpaceOptions(
        metric=draw(st.sampled_from(METRICS)),
        kernel=draw(st.sampled_from(KERNELS)),
        types=draw(st.sampled_from(["simple", "complex"])),
    )
    sample = Sample.of(table, y, tuple("abc"[:classes]), weight=weight)
    return GreedyTask(sample, as_families(names, options), consistent=draw(st.booleans()))


def told(task):
    """What the oracle needs to know of a task.

    It does not know which borders an interval or a half-plane of a consistent machine may have.
    """
    assume(not task.consistent or all(f.border_implied or not f.borders for f in task.families))
    options = {}
    for family in task.families:
        if family.name == "balls":
            options |= {"metric": family.metric, "types": family.types}
        if family.name == "half_spaces":
            options |= {"kernel": family.kernel}
    names = [family.name for family in task.families]
    sample = task.sample
    return (sample.table, sample.y, sample.weight), {
        "families": names,
        "consistent": task.consistent,
        **options,
    }


@given(
    tasks(),
    KINDS,
    st.sampled_from(PENALTIES),
    st.sampled_from([1, 3, math.inf]),
    st.sampled_from(["losses", "coverage"]),
)
def test_a_covering_machine_takes_the_most_useful_feature_at_every_step(task, kind, p, most, ties):
    data, options = told(task)
    expected = oracle.build_scm(*data, kind, p, most, ties=ties, **options)
    steps = list(build_scm(task, kind, read_penalty(p), most, ties))
    assert [step.predicate for step in steps] == [h for h, _ in expected]
    assert [step.predicate.anchors for step in steps] == [h.anchors for h, _ in expected]


@given(
    st.sampled_from([2, 3]).flatmap(lambda k: tasks(k)),
    st.data(),
    st.sampled_from([1, 3, math.inf]),
    st.sampled_from(["class", "coverage"]),
)
def test_a_list_takes_the_most_useful_rule_at_every_step(task, data, most, ties):
    penalties = [data.draw(st.sampled_from(PENALTIES)) for _ in range(task.n_classes)]
    known, options = told(task)
    expected = oracle.build_dlm(
        *known, penalties, most, classes=task.n_classes, ties=ties, **options
    )
    steps = list(build_dlm(task, [read_penalty(p) for p in penalties], most, ties))
    assert [(s.predicate, s.output) for s in steps] == [(h, output) for h, output, _ in expected]


def paths_of(task, p):
    penalty = read_penalty(p)
    yield [stage.entry for stage in listing_stages(task, [penalty] * task.n_classes, 4)]
    for kind in ("conjunction", "disjunction") if task.n_classes == 2 else ():
        yield [stage.entry for stage in covering_stages(task, kind, penalty, 4)]


@given(
    st.sampled_from([2, 3]).flatmap(lambda k: tasks(k, most_rows=14)),
    st.sampled_from(PENALTIES),
    st.data(),
)
def test_few_examples_and_the_message_rebuild_the_machine(task, p, data):
    """From these alone: the same answers on the training rows and anywhere else."""
    sample = task.sample
    anywhere = data.draw(spaces(8)) if not sample.table.categorical else sample.table
    for path in paths_of(task, p):
        for entry in path:
            body = entry.model.body
            said = compress_machine(body, sample.y, task.measured_families, implied=task.consistent)
            places = np.array(said.places, np.intp)
            examples = Examples(
                sample.table.take(places), sample.y[places], places, sample.rows[places]
            )
            rebuilt = rebuild_machine(said, examples, task.measured_families)
            assert rebuilt == body
            if set(body.columns) <= set(anywhere.names):
                assert (rebuilt.classify(anywhere) == body.classify(anywhere)).all()
            if task.consistent:
                named = [word for word in said.rules if word.borders]
                assert all(not task.families[word.family].border_implied for word in named)
                assert (body.classify(examples.table) == examples.y).all()


@given(st.sampled_from([2, 3]).flatmap(lambda k: tasks(k)), st.sampled_from(PENALTIES))
def test_the_path_counts_what_its_models_do_and_its_certificates_hold(task, p):
    sample = task.sample
    labels = np.array(sample.classes)[sample.y]
    for path in paths_of(task, p):
        for entry in path:
            answers = entry.model.body.classify(sample.table)
            assert entry.errors == (answers != sample.y).sum()
            rule = entry.model.body.answer(sample.table)
            for number, weights in enumerate(entry.model.evidence):
                here = (rule == number)[:, None] & (sample.y[:, None] == range(task.n_classes))
                assert list(weights) == pytest.approx((here * sample.weight[:, None]).sum(axis=0))
            entry.certificate.verify(entry.model, sample.table, labels, sample.weight)
