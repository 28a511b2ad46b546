#include "optimal_trees.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <queue>
#include <span>
#include <tuple>
#include <utility>

#include "interruption.hpp"

namespace rulewright {

namespace {

using Losses = std::vector<std::int64_t>;  // of at most 1, 2, ... leaves

// What is known of a node. Trees are kept where finding them again would take a search.
struct NodeBounds {
    Losses lower;
    Losses upper;
    std::vector<Preorder> trees;

    std::size_t sizes() const { return upper.size(); }
    std::size_t bytes() const {
        std::size_t sum = 160 + 16 * upper.size();
        for (const auto& tree : trees) sum += sizeof(Preorder) + 4 * tree.capacity();
        return sum;
    }
};

struct NodeKey {
    Fingerprint set;
    std::size_t depth;
    std::size_t sizes;

    bool operator==(const NodeKey&) const = default;
};

struct NodeKeyHash {
    std::size_t operator()(const NodeKey& key) const noexcept {
        return static_cast<std::size_t>(key.set.first ^ (key.depth << 7U) ^ key.sizes);
    }
};

// Losses of two branches together, by the number of leaves of both.
Losses combined(const Losses& one, const Losses& other, std::size_t sizes) {
    Losses both(sizes, no_limit);
    for (std::size_t s = 0; s < one.size(); ++s)
        for (std::size_t t = 0; t < other.size() && s + t + 1 < sizes; ++t)
            both[s + t + 1] = std::min(both[s + t + 1], one[s] + other[t]);
    for (std::size_t s = 2; s < sizes; ++s) both[s] = std::min(both[s], both[s - 1]);
    return both;
}

// Tests of which each holds on more cells than the one before, and the most that the weight where
// each holds can add to a loss.
struct Chain {
    std::vector<std::int32_t> tests;
    std::vector<std::int64_t> most;

    std::int64_t between(std::size_t one, std::size_t other) const {
        return most[std::max(one, other)] - most[std::min(one, other)];
    }
};

// Lower bounds on the losses of the two sides of a test.
struct Sides {
    Losses holding;
    Losses others;
};

constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

// Tests `begin` to `end` of a chain, between two tests that are solved.
struct Interval {
    std::int64_t bound;    // of the largest size
    std::int64_t promise;  // lowest loss of a tree of depth two whose root is one of the tests
    std::size_t number;    // order of creation
    std::size_t chain;
    std::size_t begin;
    std::size_t end;
    std::size_t before = nowhere;  // solved neighbours
    std::size_t after = nowhere;
    Losses lower;

    bool operator>(const Interval& other) const {
        return std::tie(bound, promise, number) >
               std::tie(other.bound, other.promise, other.number);
    }
};

class TreeSearch {
public:
    TreeSearch(const Cells& cells, const TreeLimits& limits)
        : cells_(cells),
          budget_(limits.search),
          known_(limits.search.max_memory),
          loss_(limits.loss),
          small_(small_trees_of(cells, limits.loss, limits.by_impurity, limits.threads)) {}

    NodeBounds solve(const Members& members, std::size_t depth, std::size_t sizes,
                     const Losses& cutoff);
    Preorder tree(const Members& members, const NodeBounds& node, std::size_t depth,
                  std::size_t size);

    // Searches below a node for all trees, or with `max_loss` collects the tests of its root.
    NodeBounds search(const Members& members, std::size_t depth, NodeBounds known,
                      const Losses& cutoff, std::vector<RootChoice>* choices = nullptr);

    NodeBounds bounds_of_leaf(const Members& members, std::size_t sizes) const;

    const SearchBudget& budget() const { return budget_; }
    std::size_t memory() const { return known_.memory(); }

private:
    friend class NodeSearch;

    NodeBounds solve_small(const Members& members, std::size_t depth, std::size_t sizes);

    const Cells& cells_;
    SearchBudget budget_;
    SolvedSets<NodeKey, NodeBounds, NodeKeyHash> known_;
    LeafLoss loss_;
    std::unique_ptr<SmallTrees> small_;
};

// The search below one node: its chains of tests, and the intervals that are still open.
class NodeSearch {
public:
    NodeSearch(TreeSearch& all, const Members& members, std::size_t depth, NodeBounds known,
               const Losses& cutoff, std::vector<RootChoice>* choices,
               std::vector<std::int64_t> promise, Losses shallower)
        : all_(all),
          members_(members),
          depth_(depth),
          node_(std::move(known)),
          cutoff_(cutoff),
          choices_(choices),
          least_(node_.sizes(), no_limit),
          inseparable_(inseparable_loss(all.cells_, members, all.loss_)),
          shallower_(std::move(shallower)),
          promise_(std::move(promise)) {
        const std::size_t below = std::min<std::size_t>(depth - 1, 32);
        branch_sizes_ = std::min(node_.sizes() - 1, std::size_t{1} << below);
        shallower_.resize(branch_sizes_, 0);
        for (const std::int32_t member : members)
            total_ += all.loss_.of_unit() * all.cells_.weights()[static_cast<std::size_t>(member)];
    }

    NodeBounds run() {
        find_chains();
        for (std::size_t c = 0; c < chains_.size(); ++c)
            open({0, 0, 0, c, 0, chains_[c].tests.size() - 1, nowhere, nowhere, {}});
        while (!open_.empty() && !all_.budget_.over()) {
            Interval next = open_.top();
            open_.pop();
            explore(std::move(next));
        }
        close();
        return std::move(node_);
    }

private:
    std::size_t sizes() const { return node_.sizes(); }

    // Losses from which a tree of a size is of no use.
    std::int64_t limit(std::size_t s) const {
        if (choices_ != nullptr) return cutoff_[s];
        if (node_.lower[s] == node_.upper[s]) return 0;  // is solved
        return std::min(node_.upper[s], cutoff_[s]);
    }

    bool excluded(const Losses& lower) const {
        for (std::size_t s = 1; s < sizes(); ++s)
            if (lower[s] < limit(s)) return false;
        return true;
    }

    void find_chains() {
        const Cells& cells = all_.cells_;
        std::vector<std::int64_t> weight;
        std::vector<std::int32_t> present;
        for (std::size_t j = 0; j < cells.columns(); ++j) {
            checkpoint(members_.size());
            const std::size_t values = cells.values(j);
            const auto code = cells.codes(j);
            weight.assign(values + 1, 0);
            for (const std::int32_t member : members_) {
                const auto cell = static_cast<std::size_t>(member);
                weight[code[cell]] += cells.weights()[cell];
            }
            present.clear();
            for (std::size_t value = 0; value < values; ++value)
                if (weight[value] > 0) present.push_back(static_cast<std::int32_t>(value));
            add_chains(j, present, weight);
        }
    }

    void add_chains(std::size_t j, std::span<const std::int32_t> present,
                    std::span<const std::int64_t> weight) {
        const Cells& cells = all_.cells_;
        const auto column = static_cast<std::int32_t>(j);
        const std::int64_t missing = weight[cells.values(j)];
        const std::size_t bases = cells.bases_among(j, present);
        std::vector<TestKind> kinds = {TestKind::values};
        if (missing > 0) kinds.push_back(TestKind::values_or_missing);
        for (const TestKind kind : kinds) {
            Chain chain;
            const std::int64_t none = kind == TestKind::values ? 0 : missing;
            std::int64_t sum = none;
            for (std::size_t base = 0; base < bases; ++base) {
                const std::int32_t value = present[base];
                if (!cells.ordered(j)) sum = none;
                sum += weight[static_cast<std::size_t>(value)];
                chain.tests.push_back(
                    static_cast<std::int32_t>(cells.number_of({column, value, kind})));
                chain.most.push_back(all_.loss_.of_unit() * sum);
                if (!cells.ordered(j)) add_chain(chain);
            }
            if (cells.ordered(j)) add_chain(chain);
        }
        if (missing > 0 && !present.empty()) {
            const Test test = {column, -1, TestKind::missing};
            Chain chain = {{static_cast<std::int32_t>(cells.number_of(test))},
                           {all_.loss_.of_unit() * missing}};
            add_chain(chain);
        }
    }

    // Moves a chain to the others.
    void add_chain(Chain& chain) {
        if (!chain.tests.empty()) chains_.push_back(std::move(chain));
        chain = {};
        solved_.resize(chains_.size());
        for (std::size_t c = 0; c < chains_.size(); ++c)
            if (solved_[c].empty()) solved_[c].resize(chains_[c].tests.size());
    }

    std::int64_t promise(const Chain& chain, std::size_t place) const {
        return promise_[static_cast<std::size_t>(chain.tests[place])];
    }

    // Puts tests of a chain into the queue, unless they are excluded.
    void open(Interval interval) {
        if (interval.begin > interval.end || interval.end == nowhere) return;
        const Chain& chain = chains_[interval.chain];
        interval.lower = between(interval);
        if (excluded(interval.lower)) return;
        interval.promise = no_limit;
        for (std::size_t i = interval.begin; i <= interval.end; ++i)
            interval.promise = std::min(interval.promise, promise(chain, i));
        interval.bound = interval.lower.back();
        interval.number = opened_++;
        open_.push(std::move(interval));
    }

    // Lower bound for every test of an interval: its holding side is larger than the one before,
    // its other side larger than the one after.
    Losses between(const Interval& interval) const {
        const Chain& chain = chains_[interval.chain];
        const auto& solved = solved_[interval.chain];
        Sides sides = of_part(chain.most[interval.begin], chain.most[interval.end]);
        if (interval.before != nowhere) raise(sides.holding, solved[interval.before]->holding);
        if (interval.after != nowhere) raise(sides.others, solved[interval.after]->others);
        Losses lower = combined(sides.holding, sides.others, sizes());
        raise(lower, inseparable_);
        return lower;
    }

    // Lower bounds for tests that hold where the weight adds between two numbers to a loss: a side
    // has at least the loss of the whole node with a tree of its depth, less what the weight of the
    // other side adds.
    Sides of_part(std::int64_t at_least, std::int64_t at_most) const {
        Sides sides = {Losses(branch_sizes_, 0), Losses(branch_sizes_, 0)};
        raise(sides.holding, shallower_, total_ - at_least);
        raise(sides.others, shallower_, at_most);
        return sides;
    }

    // Lower bound for one test by its solved neighbours.
    Sides near(const Interval& interval, std::size_t place) const {
        const Chain& chain = chains_[interval.chain];
        const auto& solved = solved_[interval.chain];
        Sides sides = of_part(chain.most[place], chain.most[place]);
        if (interval.before != nowhere) {
            const std::int64_t moved = chain.between(interval.before, place);
            raise(sides.holding, solved[interval.before]->holding, 0);
            raise(sides.others, solved[interval.before]->others, moved);
        }
        if (interval.after != nowhere) {
            const std::int64_t moved = chain.between(place, interval.after);
            raise(sides.holding, solved[interval.after]->holding, moved);
            raise(sides.others, solved[interval.after]->others, 0);
        }
        return sides;
    }

    bool excluded_near(const Interval& interval, std::size_t place) const {
        const Sides sides = near(interval, place);
        return excluded(combined(sides.holding, sides.others, sizes()));
    }

    void explore(Interval interval) {
        if (excluded(interval.lower)) return;
        while (excluded_near(interval, interval.begin)) {
            if (interval.begin == interval.end) return;
            ++interval.begin;
        }
        while (excluded_near(interval, interval.end)) --interval.end;
        const std::size_t place = chosen(interval);
        const Sides known = near(interval, place);
        const bool solved = !excluded(combined(known.holding, known.others, sizes()));
        if (solved) solve(interval.chain, place, known);
        Interval left = interval;
        Interval right = std::move(interval);
        left.end = place == 0 ? nowhere : place - 1;
        right.begin = place + 1;
        if (solved) left.after = right.before = place;
        open(std::move(left));
        open(std::move(right));
    }

    // The most promising test of a chain first, then the middle of an interval.
    std::size_t chosen(const Interval& interval) const {
        const std::size_t middle = interval.begin + (interval.end - interval.begin) / 2;
        if (interval.before != nowhere || interval.after != nowhere) return middle;
        const Chain& chain = chains_[interval.chain];
        std::size_t best = middle;
        for (std::size_t i = interval.begin; i <= interval.end; ++i)
            if (promise(chain, i) < promise(chain, best)) best = i;
        return best;
    }

    // Largest loss of a branch that could still be of use, by its size.
    Losses useful(const Losses& other) const {
        Losses found(branch_sizes_, 0);
        for (std::size_t s = 0; s < branch_sizes_; ++s)
            for (std::size_t t = 0; t < other.size() && s + t + 1 < sizes(); ++t)
                found[s] = std::max(found[s], limit(s + t + 1) - other[t]);
        return found;
    }

    void solve(std::size_t chain, std::size_t place, Sides lower) {
        const std::int32_t test = chains_[chain].tests[place];
        Members holding;
        Members others;
        all_.cells_.divide(members_, all_.cells_.tests()[static_cast<std::size_t>(test)], holding,
                           others);
        raise(lower.holding, inseparable_loss(all_.cells_, holding, all_.loss_));
        raise(lower.others, inseparable_loss(all_.cells_, others, all_.loss_));
        // The larger side first: it decides more often that the other is not needed.
        const bool swapped = holding.size() < others.size();
        const Members& first = swapped ? others : holding;
        const Members& second = swapped ? holding : others;
        Losses& first_lower = swapped ? lower.others : lower.holding;
        Losses& second_lower = swapped ? lower.holding : lower.others;
        const NodeBounds one = branch(first, useful(second_lower));
        raise(first_lower, one.lower);
        Losses both = combined(first_lower, second_lower, sizes());
        if (!excluded(both) && !all_.budget_.over()) {
            const NodeBounds two = branch(second, useful(first_lower));
            raise(second_lower, two.lower);
            improve(test, swapped ? second : first, swapped ? two : one, swapped ? first : second,
                    swapped ? one : two);
            both = combined(first_lower, second_lower, sizes());
        }
        for (std::size_t s = 0; s < sizes(); ++s) least_[s] = std::min(least_[s], both[s]);
        solved_[chain][place] = std::make_unique<Sides>(std::move(lower));
    }

    NodeBounds branch(const Members& members, const Losses& useful) {
        return all_.solve(members, depth_ - 1, branch_sizes_, useful);
    }

    static void raise(Losses& bounds, std::int64_t by) {
        for (auto& bound : bounds) bound = std::max(bound, by);
    }

    static void raise(Losses& bounds, const Losses& by, std::int64_t less = 0) {
        for (std::size_t s = 0; s < bounds.size(); ++s)
            bounds[s] = std::max(bounds[s], by[s] - less);
    }

    // Keeps the trees with this test that are better than those found before.
    void improve(std::int32_t test, const Members& holding, const NodeBounds& yes,
                 const Members& others, const NodeBounds& no) {
        const std::size_t from = choices_ != nullptr ? sizes() - 1 : 1;
        for (std::size_t s = from; s < sizes(); ++s) {
            std::int64_t best = limit(s);
            std::size_t split = 0;
            for (std::size_t t = 1; t <= s; ++t) {
                if (t > branch_sizes_ || s + 1 - t > branch_sizes_) continue;
                const std::int64_t loss = yes.upper[t - 1] + no.upper[s - t];
                if (loss < best) {
                    best = loss;
                    split = t;
                }
            }
            if (split == 0) continue;
            Preorder tree = {test};
            const Preorder first = all_.tree(holding, yes, depth_ - 1, split);
            const Preorder second = all_.tree(others, no, depth_ - 1, s + 1 - split);
            tree.insert(tree.end(), first.begin(), first.end());
            tree.insert(tree.end(), second.begin(), second.end());
            if (choices_ != nullptr) {
                choices_->push_back({test, best, std::move(tree)});
                continue;
            }
            for (std::size_t larger = s; larger < sizes() && best < node_.upper[larger]; ++larger) {
                node_.upper[larger] = best;
                node_.trees[larger] = tree;
            }
        }
    }

    // Lower bounds at the end of the search, complete or not.
    void close() {
        Losses lower = least_;
        while (!open_.empty()) {
            const Interval& interval = open_.top();
            for (std::size_t s = 1; s < sizes(); ++s)
                lower[s] = std::min(lower[s], interval.lower[s]);
            open_.pop();
        }
        for (std::size_t s = 1; s < sizes(); ++s) {
            const std::int64_t found = std::min({lower[s], node_.upper[s], cutoff_[s]});
            node_.lower[s] = std::max(node_.lower[s], found);
        }
        for (std::size_t s = sizes() - 1; s > 0; --s)  // fewer leaves have no lower loss
            node_.lower[s - 1] = std::max(node_.lower[s - 1], node_.lower[s]);
    }

    TreeSearch& all_;
    const Members& members_;
    std::size_t depth_;
    NodeBounds node_;
    const Losses& cutoff_;
    std::vector<RootChoice>* choices_;
    Losses least_;  // lower bounds of the tests that were solved
    std::int64_t inseparable_;
    std::size_t branch_sizes_;
    std::vector<Chain> chains_;
    std::vector<std::vector<std::unique_ptr<Sides>>> solved_;
    Losses shallower_;  // lower bounds of trees of a depth less, for the branches
    std::int64_t total_ = 0;
    std::vector<std::int64_t> promise_;  // losses of trees of depth two by the test of the root
    std::priority_queue<Interval, std::vector<Interval>, std::greater<>> open_;
    std::size_t opened_ = 0;
};

NodeBounds TreeSearch::bounds_of_leaf(const Members& members, std::size_t sizes) const {
    const std::int64_t leaf = leaf_loss(cells_, members, loss_);
    const std::int64_t least = inseparable_loss(cells_, members, loss_);
    NodeBounds node = {Losses(sizes, least), Losses(sizes, leaf), {}};
    node.lower[0] = leaf;
    return node;
}

NodeBounds TreeSearch::solve_small(const Members& members, std::size_t depth, std::size_t sizes) {
    NodeBounds node = bounds_of_leaf(members, sizes);
    if (node.upper[0] == node.lower.back()) return node;
    budget_.count();
    if (depth == 1) {
        node.upper[1] = small_->best_split(members).loss;
    } else {
        const auto losses = small_->losses(members);
        std::copy_n(losses.begin(), sizes, node.upper.begin());
    }
    node.lower = node.upper;
    return node;
}

NodeBounds TreeSearch::solve(const Members& members, std::size_t depth, std::size_t sizes,
                             const Losses& cutoff) {
    depth = std::min(depth, sizes - 1);
    if (depth == 0) return bounds_of_leaf(members, sizes);
    if (depth < 6) sizes = std::min(sizes, std::size_t{1} << depth);
    const NodeKey key = {fingerprint_of(members), depth, sizes};
    const NodeBounds* found = known_.find(key);
    if (depth <= 2) {
        if (found != nullptr) return *found;
        NodeBounds node = solve_small(members, depth, sizes);
        known_.keep(key, node);
        return node;
    }
    NodeBounds node;
    if (found != nullptr) {
        node = *found;
    } else {
        node = bounds_of_leaf(members, sizes);
        node.trees.assign(sizes, {-1});
    }
    bool needed = false;
    for (std::size_t s = 0; s < sizes; ++s)
        needed = needed || (node.lower[s] < node.upper[s] && node.lower[s] < cutoff[s]);
    if (!needed) return node;
    node = search(members, depth, std::move(node), cutoff);
    known_.keep(key, node);
    return node;
}

Preorder TreeSearch::tree(const Members& members, const NodeBounds& node, std::size_t depth,
                          std::size_t size) {
    while (size > 1 && node.upper[size - 2] == node.upper[size - 1]) --size;
    if (size == 1) return {-1};
    if (!node.trees.empty()) return node.trees[size - 1];
    if (depth == 1) return {small_->best_split(members).test, -1, -1};
    return small_->tree(members, size);
}

NodeBounds TreeSearch::search(const Members& members, std::size_t depth, NodeBounds known,
                              const Losses& cutoff, std::vector<RootChoice>* choices) {
    std::vector<std::int64_t> promise(cells_.tests().size(), 0);
    Losses shallower;
    if (depth >= 3) {
        // Trees of depth two order the tests, so that good trees are found early. Those of at most
        // three leaves are solved by them.
        budget_.count();
        const auto losses = small_->losses(members);
        small_->root_losses(promise);
        const std::size_t sizes = std::min(known.sizes(), std::size_t{1} << (depth - 1));
        NodeBounds less =
            depth == 3
                ? NodeBounds{{losses.begin(), losses.end()}, {losses.begin(), losses.end()}, {}}
                : solve(members, depth - 1, sizes, cutoff);
        shallower = std::move(less.lower);
        for (std::size_t s = 1; s < known.sizes() && choices == nullptr; ++s) {
            const std::size_t size = std::min(s, less.sizes() - 1);
            if (s < 3) known.lower[s] = losses[s];
            if (less.upper[size] >= known.upper[s]) continue;
            known.upper[s] = less.upper[size];
            known.trees[s] = tree(members, less, depth - 1, size + 1);
        }
    }
    return NodeSearch(*this, members, depth, std::move(known), cutoff, choices, std::move(promise),
                      std::move(shallower))
        .run();
}

std::size_t sizes_of(const TreeLimits& limits) {
    const std::size_t depth = std::min(limits.max_depth, max_optimal_depth);
    return std::min({limits.max_leaves, std::size_t{1} << depth, max_optimal_leaves});
}

}  // namespace

OptimalTrees optimal_trees(const Cells& cells, const TreeLimits& limits) {
    TreeSearch search(cells, limits);
    const Members members = all_members(cells);
    const std::size_t sizes = sizes_of(limits);
    const Losses cutoff(sizes, no_limit);
    NodeBounds node = search.solve(members, limits.max_depth, sizes, cutoff);
    OptimalTrees found;
    for (std::size_t s = 0; s < node.sizes(); ++s)
        found.trees.push_back(search.tree(members, node, limits.max_depth, s + 1));
    found.losses = std::move(node.upper);
    found.lower = std::move(node.lower);
    found.subproblems = search.budget().subproblems();
    found.memory = search.memory();
    found.stopped = search.budget().stopped();
    return found;
}

RootChoices root_choices(const Cells& cells, const TreeLimits& limits, std::int64_t max_loss) {
    TreeSearch search(cells, limits);
    const Members members = all_members(cells);
    const std::size_t sizes = sizes_of(limits);
    RootChoices found;
    const std::size_t depth = std::min(limits.max_depth, sizes - 1);
    if (depth == 0) return found;
    Losses cutoff(sizes, 0);  // only trees of the largest size are asked for
    cutoff.back() = max_loss + 1;
    search.search(members, depth, search.bounds_of_leaf(members, sizes), cutoff, &found.choices);
    found.stopped = search.budget().stopped();
    std::ranges::sort(found.choices, [](const RootChoice& one, const RootChoice& other) {
        return std::tie(one.loss, one.test) < std::tie(other.loss, other.test);
    });
    return found;
}

}  // namespace rulewright
