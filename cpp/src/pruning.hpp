// Pruning of trees.
//
// Both methods go from the leaves to the root and keep a split, replace it by a leaf, or replace it
// by one of its pruned children ("raising").
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "tree_arrays.hpp"

namespace rulewright {

struct Pruned {
    std::span<Node> instead;       // the node that replaces each node: itself, or one below it
    std::span<std::int32_t> leaf;  // the class of a leaf, else -1
    std::span<double> weight;      // of each class at each node, of the given rows
    std::size_t classes = 0;

    std::span<double> weights(Node node) const noexcept {
        return weight.subspan(TreeArrays::at(node) * classes, classes);
    }

    void add_weights(Node to, Node from) const noexcept {
        for (std::size_t k = 0; k < classes; ++k) weights(to)[k] += weights(from)[k];
    }

    bool is_leaf(Node node) const noexcept { return leaf[TreeArrays::at(node)] >= 0; }

    Node replacement(Node place) const noexcept { return instead[TreeArrays::at(place)]; }

    // Every node replaces itself, and every leaf has its class in training.
    void begin(const TreeArrays& tree) const;

    // Nodes that left the tree may refer to others that did; now they refer to remaining nodes.
    void resolve() const noexcept;
};

// The upper limit of a confidence interval of an error rate.
struct PessimisticEstimate {
    double confidence;  // at most 0.5
    double deviations;  // the number of standard deviations that a normal variable exceeds with
                        // this probability

    // Expected number of errors among `total` new cases, beyond the training `errors`.
    double more_errors(double total, double errors) const noexcept;

    // Expected number of errors of a leaf.
    double errors(std::span<const double> weights) const noexcept;
};

inline double sum_of(std::span<const double> weights) noexcept {
    return std::accumulate(weights.begin(), weights.end(), 0.0);
}

// C4.5's pessimistic pruning, with the counts and decisions of Weka's J48. The rows are those of
// training.
void prune_pessimistic(const TreeArrays& tree, const Rows& table,
                       const PessimisticEstimate& estimate, bool raising, const Pruned& pruned);

// The fewest errors on held-out rows. Ties go to a leaf (of the class that is heaviest in training,
// then the lower), then to the first child, then to the split.
void prune_reduced_error(const TreeArrays& tree, const Rows& table, bool raising,
                         const Pruned& pruned);

// The heaviest class in training, the lower of equals; the parent's at a node without rows.
std::vector<std::int32_t> trained_classes(const TreeArrays& tree);

}  // namespace rulewright
