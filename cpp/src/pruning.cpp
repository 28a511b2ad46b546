#include "pruning.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "interruption.hpp"
#include "tree_traversal.hpp"

namespace rulewright {

namespace {

// As in J48, numbers that differ by less are equal, and the simpler tree wins by up to `bonus`.
constexpr double same = 1e-6;
constexpr double bonus = 0.1;
constexpr double collapsing = 1e-3;

bool at_most(double a, double b) noexcept { return a - b < same; }

std::size_t heaviest_class(std::span<const double> weights) noexcept {
    std::size_t best = 0;
    double heaviest = 0.0;
    for (std::size_t k = 0; k < weights.size(); ++k) {
        if (weights[k] - heaviest > same) {
            heaviest = weights[k];
            best = k;
        }
    }
    return best;
}

double wrong_of(std::span<const double> weights) noexcept {
    return sum_of(weights) - weights[heaviest_class(weights)];
}

// A subtree with no fewer training errors than its root as a leaf becomes a leaf.
void collapse(const TreeArrays& tree, std::span<const std::int32_t> trained, const Pruned& pruned) {
    std::vector<double> below(tree.size());
    for (auto i = static_cast<Node>(tree.size()); i-- > 0;) {
        const double wrong = wrong_of(tree.weights(i));
        const auto at = TreeArrays::at(i);
        if (tree.test(i) == Kind::leaf) {
            below[at] = wrong;
            continue;
        }
        for (const auto child : tree.children(i)) below[at] += below[TreeArrays::at(child)];
        if (below[at] >= wrong - collapsing) pruned.leaf[at] = trained[at];
    }
}

// Turns known weights into shares. If nothing is known, all branches are equal.
void share_out(std::span<Branch> branches) noexcept {
    double total = 0.0;
    for (const auto& branch : branches) total += branch.share;
    for (auto& branch : branches) {
        branch.share =
            total < same ? 1.0 / static_cast<double>(branches.size()) : branch.share / total;
        if (branch.share <= same) branch.share = 0.0;
    }
}

// Pessimistic errors of a subtree if other rows came to it. The tree is not changed.
class SubtreeErrors {
public:
    SubtreeErrors(const Rows& table, const RowBuffers& buffers, const PessimisticEstimate& estimate,
                  const Pruned& pruned, const TreeTraversal& traversal, double limit)
        : table_(table),
          buffers_(buffers),
          estimate_(estimate),
          pruned_(pruned),
          traversal_(traversal),
          limit_(limit) {}

    double errors = 0.0;  // too small if they exceed the limit

    bool enter(const NodeVisit& visit) {
        if (!pruned_.is_leaf(visit.node)) return true;
        weights_.assign(pruned_.classes, 0.0);
        buffers_.tally(traversal_.rows(visit), table_.label, weights_);
        errors += estimate_.errors(weights_);
        return false;
    }

    Node leave(const NodeVisit&) const noexcept { return no_node; }
    Node replacement(Node place) const noexcept { return pruned_.replacement(place); }
    void shares(Node, std::span<Branch> branches) const noexcept { share_out(branches); }
    bool done() const noexcept { return errors > limit_; }

private:
    const Rows& table_;
    const RowBuffers& buffers_;
    const PessimisticEstimate& estimate_;
    const Pruned& pruned_;
    const TreeTraversal& traversal_;
    double limit_;
    std::vector<double> weights_;
};

class PessimisticPruning {
public:
    PessimisticPruning(const TreeArrays& tree, const Rows& table,
                       const PessimisticEstimate& estimate, bool raising, const Pruned& pruned)
        : tree_(tree),
          table_(table),
          estimate_(estimate),
          raising_(raising),
          pruned_(pruned),
          trained_(trained_classes(tree)),
          buffers_(table),
          order_(buffers_.rows),
          arrivals_(buffers_.rows.size()),
          collected_(buffers_.rows.size()),
          traversal_(tree, table, buffers_, order_),
          count_(tree.size(), unseen),
          shares_(tree.size(), false),
          total_(tree.size(), 0.0),
          expected_(tree.size(), 0.0) {}

    void run() {
        collapse(tree_, trained_, pruned_);
        traversal_.run(0, 0, *this);
    }

    bool enter(const NodeVisit& visit) {
        const auto at = TreeArrays::at(visit.node);
        // It has the same rows as when it was pruned: nothing would change.
        if (!visit.renewed && count_[at] == visit.count) return false;
        count_[at] = visit.count;
        if (!pruned_.is_leaf(visit.node)) return true;
        weigh(visit);
        become_leaf(visit.node);
        return false;
    }

    Node leave(const NodeVisit& visit) {
        const auto at = TreeArrays::at(visit.node);
        shares_[at] = visit.shared > 0;
        weigh(visit);
        const double as_leaf = estimate_.errors(pruned_.weights(visit.node));
        expected_[at] = errors_below(visit.node);
        const bool leaf = at_most(as_leaf, expected_[at] + bonus);
        if (raising_) {
            const std::size_t branch = largest_branch(visit.node);
            const Node child = replacement(tree_.children(visit.node)[branch]);
            if (raises(visit, branch, child, as_leaf, leaf)) return raise(visit, branch, child);
        }
        if (leaf) become_leaf(visit.node);
        return no_node;
    }

    Node replacement(Node place) const noexcept { return pruned_.replacement(place); }
    void shares(Node, std::span<Branch> branches) const noexcept { share_out(branches); }
    bool done() const noexcept { return false; }

private:
    static constexpr auto unseen = std::numeric_limits<std::size_t>::max();

    // Rows that come to a node besides its own: a range of `arrivals_`; its own begin at `own`.
    struct Arrival {
        Node node;
        std::size_t begin;
        std::size_t end;
        std::size_t own;
    };

    // Sums rows at the leaves, and where shares may not sum to one; otherwise adds the children's
    // sums.
    void weigh(const NodeVisit& visit) {
        const auto weights = pruned_.weights(visit.node);
        std::fill(weights.begin(), weights.end(), 0.0);
        if (pruned_.is_leaf(visit.node) || visit.shared > 0) {
            buffers_.tally(traversal_.rows(visit), table_.label, weights);
        } else {
            for (const auto place : tree_.children(visit.node)) {
                pruned_.add_weights(visit.node, replacement(place));
            }
        }
        total_[TreeArrays::at(visit.node)] = sum_of(weights);
    }

    void become_leaf(Node node) {
        const auto at = TreeArrays::at(node);
        const auto weights = pruned_.weights(node);
        if (total_[at] >= same) {
            pruned_.leaf[at] = static_cast<std::int32_t>(heaviest_class(weights));
        } else if (!pruned_.is_leaf(node)) {
            pruned_.leaf[at] = trained_[at];
        }
        expected_[at] = estimate_.errors(weights);
    }

    double errors_below(Node node) const noexcept {
        double errors = 0.0;
        for (const auto place : tree_.children(node)) {
            errors += expected_[TreeArrays::at(replacement(place))];
        }
        return errors;
    }

    // The last of the largest, as in J48.
    std::size_t largest_branch(Node node) const noexcept {
        const auto children = tree_.children(node);
        std::size_t largest = 0;
        double heaviest = 0.0;
        for (std::size_t b = 0; b < children.size(); ++b) {
            const double total = total_[TreeArrays::at(replacement(children[b]))];
            if (at_most(heaviest, total)) {
                heaviest = total;
                largest = b;
            }
        }
        return largest;
    }

    bool raises(const NodeVisit& visit, std::size_t branch, Node child, double as_leaf, bool leaf) {
        if (pruned_.is_leaf(child)) return false;  // it would be the node as a leaf
        const double as_tree = expected_[TreeArrays::at(visit.node)];
        const double limit = leaf ? as_leaf - bonus : as_tree + bonus;
        const double as_child = errors_raised(visit, branch, child, limit + same);
        if (leaf && at_most(as_leaf, as_child + bonus)) return false;
        return at_most(as_child, as_tree + bonus);
    }

    // Its own rows come first, in the order that its subtree left them in.
    Node raise(const NodeVisit& visit, std::size_t branch, Node child) {
        pruned_.instead[TreeArrays::at(visit.place)] = child;
        pruned_.instead[TreeArrays::at(visit.node)] = child;
        if (visit.shared == 0) {
            const auto rows = traversal_.rows(visit);
            const auto own = traversal_.own_rows(visit, traversal_.branches(visit)[branch]);
            std::rotate(rows.begin(), rows.begin() + (own.data() - rows.data()),
                        rows.begin() + (own.data() + own.size() - rows.data()));
        }
        return child;
    }

    // Pessimistic errors if all rows of a node went down one branch. A number above the limit may
    // be too small.
    double errors_raised(const NodeVisit& visit, std::size_t branch, Node child, double limit) {
        const auto rows = traversal_.rows(visit);
        if (visit.shared > 0) {
            std::copy(rows.begin(), rows.end(), collected_.begin());
            return errors_with(child, rows.size(), limit);
        }
        const auto own = traversal_.own_rows(visit, traversal_.branches(visit)[branch]);
        const auto rest = std::copy(rows.data(), own.data(), arrivals_.begin());
        std::copy(own.data() + own.size(), rows.data() + rows.size(), rest);
        double errors = expected_[TreeArrays::at(child)];
        const auto begin = visit.begin + static_cast<std::size_t>(own.data() - rows.data());
        pending_.push_back({child, 0, rows.size() - own.size(), begin});
        while (!pending_.empty()) {
            const Arrival arrival = pending_.back();
            pending_.pop_back();
            if (arrival.begin < arrival.end) errors += more_errors(arrival);
        }
        return errors;
    }

    // Errors added by arriving rows. Nodes that they do not reach keep their errors, so only
    // arriving rows are sent down; but if rows are shared, every row counts for the shares.
    double more_errors(const Arrival& arrival) {
        const auto at = TreeArrays::at(arrival.node);
        const auto rows = std::span(arrivals_).subspan(arrival.begin, arrival.end - arrival.begin);
        checkpoint(rows.size() + 1);
        if (pruned_.is_leaf(arrival.node)) {
            const auto weights = pruned_.weights(arrival.node);
            weights_.assign(weights.begin(), weights.end());
            buffers_.tally(rows, table_.label, weights_);
            return estimate_.errors(weights_) - expected_[at];
        }
        branches_.resize(tree_.children(arrival.node).size());
        if (!shares_[at] && part(tree_, table_, arrival.node, rows, branches_, buffers_) == 0) {
            wait_below(arrival);
            return 0.0;
        }
        const auto own = std::span(order_).subspan(arrival.own, count_[at]);
        std::copy(rows.begin(), rows.end(), std::copy(own.begin(), own.end(), collected_.begin()));
        const double errors = errors_with(arrival.node, own.size() + rows.size(), no_limit);
        return errors - expected_[at];
    }

    void wait_below(const Arrival& arrival) {
        const auto children = tree_.children(arrival.node);
        std::size_t own = arrival.own;
        for (std::size_t b = 0; b < children.size(); ++b) {
            const Node child = replacement(children[b]);
            const std::size_t begin = arrival.begin + branches_[b].begin;
            pending_.push_back({child, begin, begin + branches_[b].count, own});
            own += count_[TreeArrays::at(child)];
        }
    }

    // Pessimistic errors of a subtree if the first collected rows were its rows.
    double errors_with(Node node, std::size_t rows, double limit) {
        TreeTraversal traversal(tree_, table_, buffers_, std::span(collected_).first(rows));
        SubtreeErrors subtree(table_, buffers_, estimate_, pruned_, traversal, limit);
        traversal.run(node, node, subtree);
        return subtree.errors;
    }

    static constexpr double no_limit = std::numeric_limits<double>::infinity();

    const TreeArrays& tree_;
    const Rows& table_;
    const PessimisticEstimate& estimate_;
    const bool raising_;
    const Pruned& pruned_;
    const std::vector<std::int32_t> trained_;
    RowBuffers buffers_;
    std::vector<std::int32_t> order_;
    std::vector<std::int32_t> arrivals_;
    std::vector<std::int32_t> collected_;
    TreeTraversal traversal_;
    std::vector<std::size_t> count_;  // rows at a node when it was last entered
    std::vector<bool> shares_;        // whether some of them went down all branches
    std::vector<double> total_;
    std::vector<double> expected_;  // errors of the subtree that replaces a node
    std::vector<Arrival> pending_;
    std::vector<Branch> branches_;
    std::vector<double> weights_;
};

}  // namespace

void Pruned::begin(const TreeArrays& tree) const {
    const auto trained = trained_classes(tree);
    for (std::size_t i = 0; i < tree.size(); ++i) {
        const auto node = static_cast<Node>(i);
        instead[i] = node;
        leaf[i] = tree.test(node) == Kind::leaf ? trained[i] : -1;
    }
    std::fill(weight.begin(), weight.end(), 0.0);
}

void Pruned::resolve() const noexcept {
    for (std::size_t i = instead.size(); i-- > 0;) instead[i] = replacement(instead[i]);
}

// Weka's Stats.addErrs: the normal approximation with a continuity correction, and C4.5's linear
// interpolation where it fails, below one error and below half a case without one.
double PessimisticEstimate::more_errors(double total, double errors) const noexcept {
    if (errors < 1.0) {
        const double none = total * (1.0 - std::pow(confidence, 1.0 / total));
        return errors == 0.0 ? none : none + errors * (more_errors(total, 1.0) - none);
    }
    if (errors + 0.5 >= total) return std::max(total - errors, 0.0);
    const double z = deviations;
    const double f = (errors + 0.5) / total;
    const double spread = std::sqrt(f / total - f * f / total + z * z / (4.0 * total * total));
    const double rate = (f + z * z / (2.0 * total) + z * spread) / (1.0 + z * z / total);
    return rate * total - errors;
}

double PessimisticEstimate::errors(std::span<const double> weights) const noexcept {
    const double total = sum_of(weights);
    if (total < same) return 0.0;
    const double wrong = wrong_of(weights);
    return wrong + more_errors(total, wrong);
}

std::vector<std::int32_t> trained_classes(const TreeArrays& tree) {
    std::vector<std::int32_t> trained(tree.size(), 0);
    for (std::size_t i = 0; i < tree.size(); ++i) {
        const auto node = static_cast<Node>(i);
        const auto weights = tree.weights(node);
        const auto heaviest = std::max_element(weights.begin(), weights.end());
        if (*heaviest > 0.0) trained[i] = static_cast<std::int32_t>(heaviest - weights.begin());
        for (const auto child : tree.children(node)) trained[TreeArrays::at(child)] = trained[i];
    }
    return trained;
}

void prune_pessimistic(const TreeArrays& tree, const Rows& table,
                       const PessimisticEstimate& estimate, bool raising, const Pruned& pruned) {
    pruned.begin(tree);
    PessimisticPruning(tree, table, estimate, raising, pruned).run();
    pruned.resolve();
}

}  // namespace rulewright
