#include "pruning.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "descent.hpp"
#include "interruption.hpp"

namespace rulewright {

namespace {

// J48 takes numbers for equal that differ by less, and prefers what is simpler by up to `bonus`.
constexpr double same = 1e-6;
constexpr double bonus = 0.1;
constexpr double collapsing = 1e-3;

bool at_most(double a, double b) noexcept { return a - b < same; }

std::size_t heaviest_class(std::span<const double> weights) noexcept {
    std::size_t best = 0;
    double most = 0.0;
    for (std::size_t k = 0; k < weights.size(); ++k) {
        if (weights[k] - most > same) {
            most = weights[k];
            best = k;
        }
    }
    return best;
}

double wrong_of(std::span<const double> weights) noexcept {
    return sum_of(weights) - weights[heaviest_class(weights)];
}

// A subtree that makes no fewer errors in training than its root as a leaf becomes one.
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

// Known weights become shares. Where nothing is known all branches are equal.
void share_out(std::span<Branch> branches) noexcept {
    double total = 0.0;
    for (const auto& branch : branches) total += branch.share;
    for (auto& branch : branches) {
        branch.share =
            total < same ? 1.0 / static_cast<double>(branches.size()) : branch.share / total;
        if (branch.share <= same) branch.share = 0.0;
    }
}

// Errors to be expected of a subtree if other rows came to it. Nothing is written down.
class SplitSearch {
public:
    SplitSearch(const Rows& table, const Load& load, const Pessimism& pessimism,
                const Pruned& pruned, const Descent& descent, double limit)
        : table_(table),
          load_(load),
          pessimism_(pessimism),
          pruned_(pruned),
          descent_(descent),
          limit_(limit) {}

    double errors = 0.0;  // too few where they went over the limit

    bool enter(const Stop& stop) {
        if (!pruned_.is_leaf(stop.node)) return true;
        weights_.assign(pruned_.classes, 0.0);
        load_.tally(descent_.rows(stop), table_.label, weights_);
        errors += pessimism_.errors(weights_);
        return false;
    }

    Node leave(const Stop&) const noexcept { return no_node; }
    Node standing(Node place) const noexcept { return pruned_.standing(place); }
    void shares(Node, std::span<Branch> branches) const noexcept { share_out(branches); }
    bool done() const noexcept { return errors > limit_; }

private:
    const Rows& table_;
    const Load& load_;
    const Pessimism& pessimism_;
    const Pruned& pruned_;
    const Descent& descent_;
    double limit_;
    std::vector<double> weights_;
};

class PessimisticPruning {
public:
    PessimisticPruning(const TreeArrays& tree, const Rows& table, const Pessimism& pessimism,
                       bool raising, const Pruned& pruned)
        : tree_(tree),
          table_(table),
          pessimism_(pessimism),
          raising_(raising),
          pruned_(pruned),
          trained_(trained_classes(tree)),
          load_(table),
          order_(load_.rows),
          arrivals_(load_.rows.size()),
          gathered_(load_.rows.size()),
          descent_(tree, table, load_, order_),
          count_(tree.size(), unseen),
          shares_(tree.size(), false),
          total_(tree.size(), 0.0),
          expected_(tree.size(), 0.0) {}

    void run() {
        collapse(tree_, trained_, pruned_);
        descent_.run(0, 0, *this);
    }

    bool enter(const Stop& stop) {
        const auto at = TreeArrays::at(stop.node);
        // The rows that it had when it was pruned: nothing would change.
        if (!stop.renewed && count_[at] == stop.count) return false;
        count_[at] = stop.count;
        if (!pruned_.is_leaf(stop.node)) return true;
        weigh(stop);
        become_leaf(stop.node);
        return false;
    }

    Node leave(const Stop& stop) {
        const auto at = TreeArrays::at(stop.node);
        shares_[at] = stop.lent > 0;
        weigh(stop);
        const double as_leaf = pessimism_.errors(pruned_.weights(stop.node));
        expected_[at] = errors_below(stop.node);
        const bool leaf = at_most(as_leaf, expected_[at] + bonus);
        if (raising_) {
            const std::size_t branch = largest_branch(stop.node);
            const Node child = standing(tree_.children(stop.node)[branch]);
            if (raises(stop, branch, child, as_leaf, leaf)) return raise(stop, branch, child);
        }
        if (leaf) become_leaf(stop.node);
        return no_node;
    }

    Node standing(Node place) const noexcept { return pruned_.standing(place); }
    void shares(Node, std::span<Branch> branches) const noexcept { share_out(branches); }
    bool done() const noexcept { return false; }

private:
    static constexpr auto unseen = std::numeric_limits<std::size_t>::max();

    // Rows that come to a node besides its own: a stretch of `arrivals_`; its own begin at `own`.
    struct Arrival {
        Node node;
        std::size_t begin;
        std::size_t end;
        std::size_t own;
    };

    // Rows at the leaves are weighed, and where shares may not add up to all; else their sums.
    void weigh(const Stop& stop) {
        const auto weights = pruned_.weights(stop.node);
        std::fill(weights.begin(), weights.end(), 0.0);
        if (pruned_.is_leaf(stop.node) || stop.lent > 0) {
            load_.tally(descent_.rows(stop), table_.label, weights);
        } else {
            for (const auto place : tree_.children(stop.node)) {
                pruned_.add_weights(stop.node, standing(place));
            }
        }
        total_[TreeArrays::at(stop.node)] = sum_of(weights);
    }

    void become_leaf(Node node) {
        const auto at = TreeArrays::at(node);
        const auto weights = pruned_.weights(node);
        if (total_[at] >= same) {
            pruned_.leaf[at] = static_cast<std::int32_t>(heaviest_class(weights));
        } else if (!pruned_.is_leaf(node)) {
            pruned_.leaf[at] = trained_[at];
        }
        expected_[at] = pessimism_.errors(weights);
    }

    double errors_below(Node node) const noexcept {
        double errors = 0.0;
        for (const auto place : tree_.children(node)) {
            errors += expected_[TreeArrays::at(standing(place))];
        }
        return errors;
    }

    // The last of the largest, as J48 has it.
    std::size_t largest_branch(Node node) const noexcept {
        const auto children = tree_.children(node);
        std::size_t largest = 0;
        double most = 0.0;
        for (std::size_t b = 0; b < children.size(); ++b) {
            const double total = total_[TreeArrays::at(standing(children[b]))];
            if (at_most(most, total)) {
                most = total;
                largest = b;
            }
        }
        return largest;
    }

    bool raises(const Stop& stop, std::size_t branch, Node child, double as_leaf, bool leaf) {
        if (pruned_.is_leaf(child)) return false;  // it would be the node as a leaf
        const double as_tree = expected_[TreeArrays::at(stop.node)];
        const double limit = leaf ? as_leaf - bonus : as_tree + bonus;
        const double as_child = errors_raised(stop, branch, child, limit + same);
        if (leaf && at_most(as_leaf, as_child + bonus)) return false;
        return at_most(as_child, as_tree + bonus);
    }

    // Its own rows come first, in the order that it and those below it left them in.
    Node raise(const Stop& stop, std::size_t branch, Node child) {
        pruned_.instead[TreeArrays::at(stop.place)] = child;
        pruned_.instead[TreeArrays::at(stop.node)] = child;
        if (stop.lent == 0) {
            const auto rows = descent_.rows(stop);
            const auto own = descent_.own_rows(stop, descent_.branches(stop)[branch]);
            std::rotate(rows.begin(), rows.begin() + (own.data() - rows.data()),
                        rows.begin() + (own.data() + own.size() - rows.data()));
        }
        return child;
    }

    // Errors to be expected if all rows of a stop went down one branch. A number beyond the limit
    // may be too small.
    double errors_raised(const Stop& stop, std::size_t branch, Node child, double limit) {
        const auto rows = descent_.rows(stop);
        if (stop.lent > 0) {
            std::copy(rows.begin(), rows.end(), gathered_.begin());
            return errors_with(child, rows.size(), limit);
        }
        const auto own = descent_.own_rows(stop, descent_.branches(stop)[branch]);
        const auto rest = std::copy(rows.data(), own.data(), arrivals_.begin());
        std::copy(own.data() + own.size(), rows.data() + rows.size(), rest);
        double errors = expected_[TreeArrays::at(child)];
        const auto begin = stop.begin + static_cast<std::size_t>(own.data() - rows.data());
        waiting_.push_back({child, 0, rows.size() - own.size(), begin});
        while (!waiting_.empty()) {
            const Arrival arrival = waiting_.back();
            waiting_.pop_back();
            if (arrival.begin < arrival.end) errors += more_errors(arrival);
        }
        return errors;
    }

    // What arriving rows add. Nodes that they do not come to keep their errors, so that only they
    // are sent down; but where rows are shared out, every row counts for the shares.
    double more_errors(const Arrival& arrival) {
        const auto at = TreeArrays::at(arrival.node);
        const auto rows = std::span(arrivals_).subspan(arrival.begin, arrival.end - arrival.begin);
        checkpoint(rows.size() + 1);
        if (pruned_.is_leaf(arrival.node)) {
            const auto weights = pruned_.weights(arrival.node);
            weights_.assign(weights.begin(), weights.end());
            load_.tally(rows, table_.label, weights_);
            return pessimism_.errors(weights_) - expected_[at];
        }
        branches_.resize(tree_.children(arrival.node).size());
        if (!shares_[at] && part(tree_, table_, arrival.node, rows, branches_, load_) == 0) {
            wait_below(arrival);
            return 0.0;
        }
        const auto own = std::span(order_).subspan(arrival.own, count_[at]);
        std::copy(rows.begin(), rows.end(), std::copy(own.begin(), own.end(), gathered_.begin()));
        const double errors = errors_with(arrival.node, own.size() + rows.size(), no_limit);
        return errors - expected_[at];
    }

    void wait_below(const Arrival& arrival) {
        const auto children = tree_.children(arrival.node);
        std::size_t own = arrival.own;
        for (std::size_t b = 0; b < children.size(); ++b) {
            const Node child = standing(children[b]);
            const std::size_t begin = arrival.begin + branches_[b].begin;
            waiting_.push_back({child, begin, begin + branches_[b].count, own});
            own += count_[TreeArrays::at(child)];
        }
    }

    // Errors to be expected of a subtree if the first rows that were gathered were its rows.
    double errors_with(Node node, std::size_t rows, double limit) {
        Descent descent(tree_, table_, load_, std::span(gathered_).first(rows));
        SplitSearch search(table_, load_, pessimism_, pruned_, descent, limit);
        descent.run(node, node, search);
        return search.errors;
    }

    static constexpr double no_limit = std::numeric_limits<double>::infinity();

    const TreeArrays& tree_;
    const Rows& table_;
    const Pessimism& pessimism_;
    const bool raising_;
    const Pruned& pruned_;
    const std::vector<std::int32_t> trained_;
    Load load_;
    std::vector<std::int32_t> order_;
    std::vector<std::int32_t> arrivals_;
    std::vector<std::int32_t> gathered_;
    Descent descent_;
    std::vector<std::size_t> count_;  // rows at a node when it was last entered
    std::vector<bool> shares_;        // whether some of them went down all branches
    std::vector<double> total_;
    std::vector<double> expected_;  // errors of what stands below a node
    std::vector<Arrival> waiting_;
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
    for (std::size_t i = instead.size(); i-- > 0;) instead[i] = standing(instead[i]);
}

// Weka's Stats.addErrs: the normal approximation with a continuity correction, and C4.5's straight
// lines where it does not work, at less than one error and at less than half a case without one.
double Pessimism::more_errors(double total, double errors) const noexcept {
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

double Pessimism::errors(std::span<const double> weights) const noexcept {
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
        const auto most = std::max_element(weights.begin(), weights.end());
        if (*most > 0.0) trained[i] = static_cast<std::int32_t>(most - weights.begin());
        for (const auto child : tree.children(node)) trained[TreeArrays::at(child)] = trained[i];
    }
    return trained;
}

void prune_pessimistic(const TreeArrays& tree, const Rows& table, const Pessimism& pessimism,
                       bool raising, const Pruned& pruned) {
    pruned.begin(tree);
    PessimisticPruning(tree, table, pessimism, raising, pruned).run();
    pruned.resolve();
}

}  // namespace rulewright
