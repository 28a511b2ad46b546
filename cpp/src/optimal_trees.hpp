// Trees with the lowest loss for every number of leaves, by branch and bound.
//
// The loss of a tree is the sum of the losses of its leaves: errors, or errors and impurity
// (`leaf_loss.hpp`).
//
// A node is divided by every test that its bounds do not exclude. The tests of an ordered column
// form a chain: each holds on more cells than the one before. Between two tests of a chain whose
// sides are solved, a side has at least the loss of the smaller of its neighbours, and at least
// that of the larger one less the most that the weight between them adds (of errors: Brita, van der
// Linden & Demirovic 2025, ConTree). Intervals of a chain wait in a queue, the lowest bound first,
// so bounds are valid when the search stops early. Trees of depth two are found directly
// (`small_trees.hpp`). Solved nodes are kept by their set of cells, within a limit on memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bounded_search.hpp"
#include "coded_cells.hpp"
#include "leaf_loss.hpp"
#include "small_trees.hpp"

namespace rulewright {

struct TreeLimits {
    std::size_t max_depth;
    std::size_t max_leaves;
    SearchLimits search;  // subproblems: nodes whose trees of depth two are found
    LeafLoss loss;
    bool by_impurity;  // of parts of depth two of equal loss take the purest
    std::size_t threads = 1;
};

inline constexpr std::size_t max_optimal_depth = 8;
inline constexpr std::size_t max_optimal_leaves = 64;

// For at most 1, 2, ... leaves: the lowest loss found, a tree that has it, and a lower bound.
struct OptimalTrees {
    std::vector<std::int64_t> losses;
    std::vector<std::int64_t> lower;
    std::vector<Preorder> trees;
    std::size_t subproblems = 0;
    std::size_t memory = 0;
    bool stopped = false;
};

OptimalTrees optimal_trees(const Cells& cells, const TreeLimits& limits);

// The best tree for each test of the root.
struct RootChoice {
    std::int32_t test;
    std::int64_t loss;
    Preorder tree;
};

struct RootChoices {
    std::vector<RootChoice> choices;  // in increasing order of loss and then of tests
    bool stopped = false;
};

// Tests of the root for which a tree of at most `limits.max_leaves` leaves has at most the
// loss `max_loss`.
RootChoices root_choices(const Cells& cells, const TreeLimits& limits, std::int64_t max_loss);

}  // namespace rulewright
