"""From an optimal search to a path of trees with certificates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, pairwise

from rulewright.certificates import PathEntry
from rulewright.learners.base.certifier import Certifier
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.optimality import Optimality, alternatives_text, stopped_by
from rulewright.learners.base.settings import Path
from rulewright.learners.tree.optimal_search import OptimalTreeSearch
from rulewright.render import count_text, predicate_text
from rulewright.rules import Split, Tree


@dataclass(frozen=True, eq=False)
class OptimalChoice:
    """How the tree is chosen among the optimal trees of all sizes.

    ``price`` is added to the objective for each leaf. ``worth`` is the value of a certificate,
    which chooses ``by_bound``. Alternatives are trees with another first test whose objective is at
    most ``max_excess`` above that of the tree.
    """

    price: Fraction
    by_bound: bool
    worth: Callable[[PathEntry], float]
    n_alternatives: int
    max_excess: Fraction


def optimal_path(
    search: OptimalTreeSearch,
    certifier: Certifier,
    choice: OptimalChoice,
    costs: tuple[Fraction, ...] | None,
    deadline: Deadline,
) -> Path:
    """Certify the best tree of each size, and choose one of them."""
    trees = search.trees()
    entries = [certifier.entry(tree) for tree in trees.values()]
    entries = [entries[0], *(_saving(*pair) for pair in pairwise(entries))]
    size = search.best_size(choice.price)
    chosen = list(trees.values()).index(search.tree(size))
    if choice.by_bound:
        chosen = min(range(len(entries)), key=lambda place: choice.worth(entries[place]))
        size = list(trees)[chosen]
    alternatives, optimality = _proof(search, choice, size, deadline)
    statements = [optimality.sentence]
    if optimality.n_alternatives is not None:
        statements.append(_on_alternatives(alternatives, optimality, choice, size))
    statements += _on_joined_leaves(search, size)
    best = f", the best certificate of {len(entries)}" if choice.by_bound else ""
    return Path(
        entries,
        chosen,
        f"optimal tree{best}",
        costs,
        attributes={"optimality_": optimality},
        statements=tuple(statements),
        alternatives=[certifier.entry(tree) for tree in alternatives],
    )


def _saving(before: PathEntry, entry: PathEntry) -> PathEntry:
    return entry.saving(before.errors - entry.errors)


def _measure(search: OptimalTreeSearch, price: Fraction) -> str:
    """The objective in words."""
    weight = float(search.impurity_weight)
    times = "" if weight == 1 else f"{weight:g} times "
    parts = ["training error"]
    parts += [f"{times}the Gini impurity of the leaves"] if weight else []
    parts += [f"{float(price):g} for each leaf"] if price else []
    return " plus ".join(parts)


def _on_joined_leaves(search: OptimalTreeSearch, size: int) -> Iterator[str]:
    """State how many splits of the best tree of a size are not in the model, if any."""
    count = search.found.trees[size - 1].count(-1) - len(search.tree(size).outputs)
    if count:
        splits = "1 split is" if count == 1 else f"{count} splits are"
        yield f"{splits} left out of the tree, because all leaves below gave the same answer."


def _proof(
    search: OptimalTreeSearch, choice: OptimalChoice, size: int, deadline: Deadline
) -> tuple[list[Tree], Optimality]:
    """Alternatives of the best tree of a size, and what the search proved about it."""
    found, tree = search.found, search.tree(size)
    # A certificate that chose the size has no part in the objective.
    leaves, price = (size, Fraction(0)) if choice.by_bound else (search.max_leaves, choice.price)
    objective, lower = search.objective(size, price), search.lower_bound(leaves, price)
    alternatives: list[Tree] = []
    count = None
    if choice.n_alternatives:
        others = list(search.trees_of(search.roots(size, choice.max_excess), tree))
        count, alternatives = len(others), list(islice(others, choice.n_alternatives))
    optimality = Optimality(
        objective=float(objective),
        lower_bound=float(objective if objective == lower else lower),
        subproblems=found.subproblems,
        models=(
            f"tree of depth {search.max_depth} or less with at most {leaves} "
            f"{'leaf' if leaves == 1 else 'leaves'}, and at most "
            f"{count_text(search.max_cuts, 'cut')} of a column,"
        ),
        measure=_measure(search, price),
        stopped_by=stopped_by(found.stopped, deadline),
        n_alternatives=count,
    )
    return alternatives, optimality


def _on_alternatives(
    alternatives: list[Tree], optimality: Optimality, choice: OptimalChoice, size: int
) -> str:
    """Name the first tests of other trees that are as good, or almost."""
    roots = [tree.nodes[0] for tree in alternatives]
    tests = [predicate_text(root.tests[0]) for root in roots if isinstance(root, Split)]
    models = f"trees of at most {'1 leaf' if size == 1 else f'{size} leaves'}"
    return alternatives_text(
        "test",
        models,
        optimality.n_alternatives or 0,
        tests,
        choice.max_excess,
        optimality.measure,
    )
