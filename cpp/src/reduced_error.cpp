#include <algorithm>
#include <limits>

#include "interruption.hpp"
#include "pruning.hpp"
#include "tree_traversal.hpp"

namespace rulewright {

namespace {

// Sums that differ by less than this share of a node's weight are equal up to rounding.
constexpr double rounding = 1e-9;

// The training weights of the children, as shares.
void share_as_trained(const TreeArrays& tree, Node node, std::span<Branch> branches) noexcept {
    const auto children = tree.children(node);
    double total = 0.0;
    for (std::size_t b = 0; b < branches.size(); ++b) {
        branches[b].share = sum_of(tree.weights(children[b]));
        total += branches[b].share;
    }
    for (auto& branch : branches) {
        branch.share =
            total > 0.0 ? branch.share / total : 1.0 / static_cast<double>(branches.size());
    }
}

// Counts rows at the nodes of the current tree.
class RowCounter {
public:
    RowCounter(const TreeArrays& tree, const Rows& table, RowBuffers& buffers, const Pruned& pruned)
        : tree_(tree),
          table_(table),
          buffers_(buffers),
          pruned_(pruned),
          traversal_(tree, table, buffers, buffers.rows) {}

    void run() { traversal_.run(0, pruned_.replacement(0), *this); }

    bool enter(const NodeVisit& visit) {
        const auto weights = pruned_.weights(visit.node);
        std::fill(weights.begin(), weights.end(), 0.0);
        if (!pruned_.is_leaf(visit.node)) return true;
        buffers_.tally(traversal_.rows(visit), table_.label, weights);
        return false;
    }

    Node leave(const NodeVisit& visit) const noexcept {
        for (const auto place : tree_.children(visit.node)) {
            pruned_.add_weights(visit.node, replacement(place));
        }
        return no_node;
    }

    Node replacement(Node place) const noexcept { return pruned_.replacement(place); }
    void shares(Node node, std::span<Branch> branches) const noexcept {
        share_as_trained(tree_, node, branches);
    }
    bool done() const noexcept { return false; }

private:
    const TreeArrays& tree_;
    const Rows& table_;
    RowBuffers& buffers_;
    const Pruned& pruned_;
    TreeTraversal traversal_;
};

class ReducedErrorPruning {
public:
    ReducedErrorPruning(const TreeArrays& tree, const Rows& table, RowBuffers& buffers,
                        bool raising, const Pruned& pruned)
        : tree_(tree),
          table_(table),
          buffers_(buffers),
          raising_(raising),
          pruned_(pruned),
          trained_(trained_classes(tree)),
          traversal_(tree, table, buffers, buffers.rows),
          errors_(tree.size(), 0.0) {}

    void run() { traversal_.run(0, 0, *this); }

    bool enter(const NodeVisit& visit) {
        if (!pruned_.is_leaf(visit.node)) return true;
        const auto at = TreeArrays::at(visit.node);
        const auto weights = pruned_.weights(visit.node);
        buffers_.tally(traversal_.rows(visit), table_.label, weights);
        errors_[at] = sum_of(weights) - weights[static_cast<std::size_t>(pruned_.leaf[at])];
        return false;
    }

    Node leave(const NodeVisit& visit) {
        const auto at = TreeArrays::at(visit.node);
        const auto weights = pruned_.weights(visit.node);
        for (const auto child : tree_.children(visit.node)) pruned_.add_weights(visit.node, child);
        const double total = sum_of(weights);
        const double slack = rounding * total;
        const double as_leaf = total - *std::max_element(weights.begin(), weights.end());
        errors_[at] = errors_below(visit.node);
        double fewest = std::min(as_leaf, errors_[at]);
        if (raising_) fewest = try_branches(visit, fewest, slack);
        if (as_leaf <= fewest + slack) {
            pruned_.leaf[at] = leaf_class(visit.node, total - as_leaf - slack);
            errors_[at] = as_leaf;
        } else if (raising_) {
            raise(visit.node, fewest + slack);
        }
        return no_node;
    }

    Node replacement(Node place) const noexcept { return pruned_.replacement(place); }
    void shares(Node node, std::span<Branch> branches) const noexcept {
        share_as_trained(tree_, node, branches);
    }
    bool done() const noexcept { return false; }

private:
    // A part of a row's weight on its way down.
    struct Path {
        Node node;
        double weight;
    };

    double errors_below(Node node) const noexcept {
        double errors = 0.0;
        for (const auto child : tree_.children(node)) errors += errors_[TreeArrays::at(child)];
        return errors;
    }

    // The heaviest class in training among those of enough weight.
    std::int32_t leaf_class(Node node, double enough) const noexcept {
        const auto weights = pruned_.weights(node);
        const auto before = tree_.weights(node);
        const std::int32_t trained = trained_[TreeArrays::at(node)];
        if (weights[static_cast<std::size_t>(trained)] >= enough) return trained;
        std::size_t best = weights.size();
        for (std::size_t k = 0; k < weights.size(); ++k) {
            if (weights[k] < enough) continue;
            if (best == weights.size() || before[k] > before[best]) best = k;
        }
        return static_cast<std::int32_t>(best);
    }

    // The fewest errors so far, or of any branch; those of each branch are stored in `raised_`.
    double try_branches(const NodeVisit& visit, double fewest, double slack) {
        const auto children = tree_.children(visit.node);
        raised_.assign(children.size(), std::numeric_limits<double>::infinity());
        for (std::size_t b = 0; b < children.size(); ++b) {
            // As a leaf, the node makes no more errors than with this child in its place.
            if (pruned_.is_leaf(replacement(children[b]))) continue;
            raised_[b] = errors_raised(visit, b, fewest + slack);
            fewest = std::min(fewest, raised_[b]);
        }
        return fewest;
    }

    void raise(Node node, double enough) noexcept {
        for (std::size_t b = 0; b < raised_.size(); ++b) {
            if (raised_[b] > enough) continue;
            pruned_.instead[TreeArrays::at(node)] = replacement(tree_.children(node)[b]);
            errors_[TreeArrays::at(node)] = raised_[b];
            return;
        }
    }

    // Errors if all rows of a node went down one branch. A number above the limit may be too small.
    double errors_raised(const NodeVisit& visit, std::size_t branch, double limit) {
        const auto branches = traversal_.branches(visit);
        const Node child = tree_.children(visit.node)[branch];
        double errors = errors_[TreeArrays::at(child)];
        for (std::size_t b = 0; b < branches.size(); ++b) {
            if (b == branch) continue;
            for (const auto row : traversal_.own_rows(visit, branches[b])) {
                if (errors > limit) return errors;
                errors += wrong(replacement(child), row, buffers_.weight_of(row));
            }
        }
        const double rest = 1.0 - branches[branch].share;
        for (const auto row : traversal_.shared_rows(visit)) {
            if (errors > limit) return errors;
            errors += wrong(replacement(child), row, buffers_.weight_of(row) * rest);
        }
        return errors;
    }

    // The part of a row's weight that is misclassified.
    double wrong(Node from, std::int32_t row, double weight) {
        const auto r = static_cast<std::size_t>(row);
        double errors = 0.0;
        paths_.push_back({from, weight});
        while (!paths_.empty()) {
            const Path path = paths_.back();
            paths_.pop_back();
            const Node end = follow(path, r);
            if (end != no_node && pruned_.leaf[TreeArrays::at(end)] != table_.label[r]) {
                errors += path.weight;
            }
        }
        return errors;
    }

    // The leaf at the end of a path; at a fork there is none, and its parts are put back.
    Node follow(const Path& path, std::size_t row) {
        Node node = path.node;
        while (!pruned_.is_leaf(node)) {
            checkpoint(1);
            const auto branch =
                with_test(tree_, table_, node, [&](auto branch_of) { return branch_of(row); });
            if (branch == all_branches) {
                fork(node, path.weight);
                return no_node;
            }
            node = replacement(tree_.children(node)[static_cast<std::size_t>(branch)]);
        }
        return node;
    }

    void fork(Node node, double weight) {
        const auto children = tree_.children(node);
        forks_.resize(children.size());
        share_as_trained(tree_, node, forks_);
        for (std::size_t b = children.size(); b-- > 0;) {
            if (forks_[b].share > 0.0) {
                paths_.push_back({replacement(children[b]), weight * forks_[b].share});
            }
        }
    }

    const TreeArrays& tree_;
    const Rows& table_;
    RowBuffers& buffers_;
    const bool raising_;
    const Pruned& pruned_;
    const std::vector<std::int32_t> trained_;
    TreeTraversal traversal_;
    std::vector<double> errors_;  // of the subtree that replaces a node
    std::vector<double> raised_;
    std::vector<Path> paths_;
    std::vector<Branch> forks_;
};

}  // namespace

void prune_reduced_error(const TreeArrays& tree, const Rows& table, bool raising,
                         const Pruned& pruned) {
    pruned.begin(tree);
    RowBuffers buffers(table);
    ReducedErrorPruning(tree, table, buffers, raising, pruned).run();
    pruned.resolve();
    RowCounter(tree, table, buffers, pruned).run();
}

}  // namespace rulewright
