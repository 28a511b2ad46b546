// The best trees of depth one and two, exactly, from counts of all pairs of tests.
//
// The best tree has the lowest loss, the sum of those of its leaves. Many trees often have the same
// loss on few rows. Of those of a size, the one whose leaves have the lowest Gini impurity is
// taken, or the one with tests of the lowest numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "coded_cells.hpp"
#include "leaf_loss.hpp"

namespace rulewright {

// Nodes in preorder: the number of a test, or -1 for a leaf. The branch on which the test holds
// comes first.
using Preorder = std::vector<std::int32_t>;

// The best split into two leaves; the test is -1 if no split has a lower loss than a leaf.
struct BestSplit {
    std::int64_t loss;
    std::int32_t test;
    double impurity;
};

class SmallTrees {
public:
    static constexpr std::size_t max_leaves = 4;

    SmallTrees(const Cells& cells, const LeafLoss& loss, bool by_impurity)
        : cells_(cells), loss_(loss), by_impurity_(by_impurity) {}
    virtual ~SmallTrees() = default;
    SmallTrees(const SmallTrees&) = delete;
    SmallTrees& operator=(const SmallTrees&) = delete;

    // Lowest losses with at most 1, 2, 3 and 4 leaves of a tree of depth two.
    virtual std::array<std::int64_t, max_leaves> losses(std::span<const std::int32_t> members) = 0;

    // After `losses`: those of the best trees of four leaves whose root is each of the tests;
    // the largest number where a test does not divide the members.
    virtual void root_losses(std::vector<std::int64_t>& by_test) const = 0;

    // The smallest tree of depth two of at most `leaves` leaves with the lowest loss.
    Preorder tree(std::span<const std::int32_t> members, std::size_t leaves);

    BestSplit best_split(std::span<const std::int32_t> members) const;

protected:
    // After `losses`: the tests of the roots of all trees of a size with this loss.
    virtual std::vector<std::int32_t> roots_with(std::int64_t loss, std::size_t leaves) const = 0;

    const Cells& cells_;
    const LeafLoss loss_;
    std::array<std::int32_t, max_leaves> root_{};  // of the best tree of each size

private:
    struct RootedTree;

    BestSplit leaf(std::span<const std::int32_t> members) const;
    bool is_purer(double one, double other) const;
    RootedTree rooted(std::span<const std::int32_t> members, std::int32_t root, std::size_t leaves,
                      std::int64_t loss) const;

    bool by_impurity_;
};

std::unique_ptr<SmallTrees> small_trees_of(const Cells& cells, const LeafLoss& loss,
                                           bool by_impurity, std::size_t threads);

}  // namespace rulewright
