// Trees cut back after they were grown.
//
// Both ways go from the leaves to the root and put in the place of a split either a leaf or what
// stands in the place of one of its children ("raising"), or leave it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "tree_arrays.hpp"

namespace rulewright {

struct Pruned {
    std::span<Node> instead;       // what stands in a node's place: itself, or one below it
    std::span<std::int32_t> leaf;  // the class a node answers with if it is a leaf, else -1
    std::span<double> weight;      // of each class at each node, of the rows that were given
    std::size_t classes = 0;

    std::span<double> weights(Node node) const noexcept {
        return weight.subspan(TreeArrays::at(node) * classes, classes);
    }

    void add_weights(Node to, Node from) const noexcept {
        for (std::size_t k = 0; k < classes; ++k) weights(to)[k] += weights(from)[k];
    }

    bool is_leaf(Node node) const noexcept { return leaf[TreeArrays::at(node)] >= 0; }

    Node standing(Node place) const noexcept { return instead[TreeArrays::at(place)]; }

    // Every node for itself, and every leaf with its class in training.
    void begin(const TreeArrays& tree) const;

    // Nodes that fell out of the tree may name others that did; now they name what still stands.
    void resolve() const noexcept;
};

// The upper limit of a confidence interval around an error rate.
struct Pessimism {
    double confidence;  // at most a half
    double deviations;  // the normal distribution has this probability beyond so many

    // Errors to be expected among `total` new cases, beyond the `errors` that were made.
    double more_errors(double total, double errors) const noexcept;

    // Errors to be expected of a leaf.
    double errors(std::span<const double> weights) const noexcept;
};

inline double sum_of(std::span<const double> weights) noexcept {
    return std::accumulate(weights.begin(), weights.end(), 0.0);
}

// C4.5's pessimistic errors, as Weka's J48 counts and decides. The rows are those of training.
void prune_pessimistic(const TreeArrays& tree, const Rows& table, const Pessimism& pessimism,
                       bool raising, const Pruned& pruned);

// The fewest errors on rows that were kept aside. Among equals a leaf comes first (of the class
// that training prefers, then the lower), then the first child, then the split.
void prune_reduced_error(const TreeArrays& tree, const Rows& table, bool raising,
                         const Pruned& pruned);

// The class of most weight in training, the lower of equals, at a node without rows its parent's.
std::vector<std::int32_t> trained_classes(const TreeArrays& tree);

}  // namespace rulewright
