#include <algorithm>
#include <limits>

#include "descent.hpp"
#include "interruption.hpp"
#include "pruning.hpp"

namespace rulewright {

namespace {

// Sums that differ by less than this part of a node's weight are the same but for rounding.
constexpr double rounding = 1e-9;

// The weights of the children in training, as shares.
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

// Counts rows at the nodes of a tree as it stands.
class Counting {
public:
    Counting(const TreeArrays& tree, const Rows& table, Load& load, const Pruned& pruned)
        : tree_(tree),
          table_(table),
          load_(load),
          pruned_(pruned),
          descent_(tree, table, load, load.rows) {}

    void run() { descent_.run(0, pruned_.standing(0), *this); }

    bool enter(const Stop& stop) {
        const auto weights = pruned_.weights(stop.node);
        std::fill(weights.begin(), weights.end(), 0.0);
        if (!pruned_.is_leaf(stop.node)) return true;
        load_.tally(descent_.rows(stop), table_.label, weights);
        return false;
    }

    Node leave(const Stop& stop) const noexcept {
        for (const auto place : tree_.children(stop.node)) {
            pruned_.add_weights(stop.node, standing(place));
        }
        return no_node;
    }

    Node standing(Node place) const noexcept { return pruned_.standing(place); }
    void shares(Node node, std::span<Branch> branches) const noexcept {
        share_as_trained(tree_, node, branches);
    }
    bool done() const noexcept { return false; }

private:
    const TreeArrays& tree_;
    const Rows& table_;
    Load& load_;
    const Pruned& pruned_;
    Descent descent_;
};

class ReducedErrorPruning {
public:
    ReducedErrorPruning(const TreeArrays& tree, const Rows& table, Load& load, bool raising,
                        const Pruned& pruned)
        : tree_(tree),
          table_(table),
          load_(load),
          raising_(raising),
          pruned_(pruned),
          trained_(trained_classes(tree)),
          descent_(tree, table, load, load.rows),
          errors_(tree.size(), 0.0) {}

    void run() { descent_.run(0, 0, *this); }

    bool enter(const Stop& stop) {
        if (!pruned_.is_leaf(stop.node)) return true;
        const auto at = TreeArrays::at(stop.node);
        const auto weights = pruned_.weights(stop.node);
        load_.tally(descent_.rows(stop), table_.label, weights);
        errors_[at] = sum_of(weights) - weights[static_cast<std::size_t>(pruned_.leaf[at])];
        return false;
    }

    Node leave(const Stop& stop) {
        const auto at = TreeArrays::at(stop.node);
        const auto weights = pruned_.weights(stop.node);
        for (const auto child : tree_.children(stop.node)) pruned_.add_weights(stop.node, child);
        const double total = sum_of(weights);
        const double slack = rounding * total;
        const double as_leaf = total - *std::max_element(weights.begin(), weights.end());
        errors_[at] = errors_below(stop.node);
        double fewest = std::min(as_leaf, errors_[at]);
        if (raising_) fewest = try_branches(stop, fewest, slack);
        if (as_leaf <= fewest + slack) {
            pruned_.leaf[at] = leaf_class(stop.node, total - as_leaf - slack);
            errors_[at] = as_leaf;
        } else if (raising_) {
            raise(stop.node, fewest + slack);
        }
        return no_node;
    }

    Node standing(Node place) const noexcept { return pruned_.standing(place); }
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

    // The class that training prefers among those of so much weight.
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

    // The fewest errors so far, or of any branch; what each makes stays in `raised_`.
    double try_branches(const Stop& stop, double fewest, double slack) {
        const auto children = tree_.children(stop.node);
        raised_.assign(children.size(), std::numeric_limits<double>::infinity());
        for (std::size_t b = 0; b < children.size(); ++b) {
            // As a leaf the node makes no more errors than with this one in its place.
            if (pruned_.is_leaf(standing(children[b]))) continue;
            raised_[b] = errors_raised(stop, b, fewest + slack);
            fewest = std::min(fewest, raised_[b]);
        }
        return fewest;
    }

    void raise(Node node, double enough) noexcept {
        for (std::size_t b = 0; b < raised_.size(); ++b) {
            if (raised_[b] > enough) continue;
            pruned_.instead[TreeArrays::at(node)] = standing(tree_.children(node)[b]);
            errors_[TreeArrays::at(node)] = raised_[b];
            return;
        }
    }

    // Errors if all rows of a stop went down one branch. A number beyond the limit may be too
    // small.
    double errors_raised(const Stop& stop, std::size_t branch, double limit) {
        const auto branches = descent_.branches(stop);
        const Node child = tree_.children(stop.node)[branch];
        double errors = errors_[TreeArrays::at(child)];
        for (std::size_t b = 0; b < branches.size(); ++b) {
            if (b == branch) continue;
            for (const auto row : descent_.own_rows(stop, branches[b])) {
                if (errors > limit) return errors;
                errors += wrong(standing(child), row, load_.weight_of(row));
            }
        }
        const double rest = 1.0 - branches[branch].share;
        for (const auto row : descent_.lent_rows(stop)) {
            if (errors > limit) return errors;
            errors += wrong(standing(child), row, load_.weight_of(row) * rest);
        }
        return errors;
    }

    // The part of a row's weight that gets a wrong answer.
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

    // The leaf at the end of a path; where it forks there is none, and its parts are put back.
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
            node = standing(tree_.children(node)[static_cast<std::size_t>(branch)]);
        }
        return node;
    }

    void fork(Node node, double weight) {
        const auto children = tree_.children(node);
        forks_.resize(children.size());
        share_as_trained(tree_, node, forks_);
        for (std::size_t b = children.size(); b-- > 0;) {
            if (forks_[b].share > 0.0) {
                paths_.push_back({standing(children[b]), weight * forks_[b].share});
            }
        }
    }

    const TreeArrays& tree_;
    const Rows& table_;
    Load& load_;
    const bool raising_;
    const Pruned& pruned_;
    const std::vector<std::int32_t> trained_;
    Descent descent_;
    std::vector<double> errors_;  // of what stands in a node's place
    std::vector<double> raised_;
    std::vector<Path> paths_;
    std::vector<Branch> forks_;
};

}  // namespace

void prune_reduced_error(const TreeArrays& tree, const Rows& table, bool raising,
                         const Pruned& pruned) {
    pruned.begin(tree);
    Load load(table);
    ReducedErrorPruning(tree, table, load, raising, pruned).run();
    pruned.resolve();
    Counting(tree, table, load, pruned).run();
}

}  // namespace rulewright
