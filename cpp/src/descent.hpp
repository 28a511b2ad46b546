// Rows sent down a tree, node by node, without recursion and without a copy of them.
//
// The rows of a node are a stretch of one list, and those of its children are stretches of that.
// Rows that go down all branches are lent to each child in turn, at a share of their weight: they
// stand before the rows of the next child and are sorted out again behind it (so does Quinlan's
// C4.5). A visitor sees every node before and after what is below it:
//     bool enter(const Stop&)   whether to go on below
//     Node leave(const Stop&)   another node, whose split is to be taken instead, or no_node
//     Node standing(Node)       the node that stands in a child's place
//     void shares(Node, std::span<Branch>)   the share of each branch, from the weight it has
//     bool done()               whether to stop at once
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "interruption.hpp"
#include "tree_arrays.hpp"

namespace rulewright {

inline constexpr Node no_node = -1;

struct Branch {
    std::size_t begin = 0;  // where the rows that belong to it alone lay at first
    std::size_t count = 0;  // of those rows
    double share = 0.0;     // of the weight of rows that go down all branches
};

struct Stop {
    Node place = 0;  // where it is in the tree that was grown
    Node node = 0;   // what stands there
    std::size_t begin = 0;
    std::size_t count = 0;
    bool renewed = false;  // above it, weights were shared out anew
    bool entered = false;
    std::size_t lent = 0;    // rows that go down all branches
    std::size_t next = 0;    // branch
    std::size_t first = 0;   // of its branches on their stack
    std::size_t lender = 0;  // of its lent rows on theirs
};

// What descents share: they come one inside the other and take up the same rows.
struct Load {
    std::vector<std::int32_t> rows;   // those that weigh anything
    std::vector<double> weight;       // of every row, at the stop that is visited
    std::vector<std::int32_t> spare;  // room for a row each
    std::vector<std::int32_t> taken;

    explicit Load(const Rows& table) : weight(table.weight.begin(), table.weight.end()) {
        for (std::size_t row = 0; row < weight.size(); ++row) {
            if (weight[row] > 0.0) rows.push_back(static_cast<std::int32_t>(row));
        }
        spare.resize(rows.size());
        taken.resize(rows.size());
    }

    double weight_of(std::int32_t row) const noexcept {
        return weight[static_cast<std::size_t>(row)];
    }

    // Adds the weights of rows to those of their classes.
    void tally(std::span<const std::int32_t> some, std::span<const std::int32_t> label,
               std::span<double> classes) const noexcept {
        for (const auto row : some) {
            const auto r = static_cast<std::size_t>(row);
            classes[static_cast<std::size_t>(label[r])] += weight[r];
        }
    }
};

// Where the rows of each branch begin, behind those that go down all, from their counts.
inline void place(std::span<Branch> branches, std::size_t lent) noexcept {
    std::size_t begin = lent;
    for (auto& branch : branches) {
        branch.begin = begin;
        begin += branch.count;
    }
}

// One pass and no jumps: in a tree that is a chain, this is where the time goes.
template <class BranchOf>
std::size_t part_in_two(std::span<std::int32_t> rows, std::span<Branch> branches, Load& load,
                        BranchOf branch_of) {
    std::size_t left = 0;
    std::size_t right = 0;
    std::size_t lent = 0;
    std::int32_t* const spare = load.spare.data();
    std::int32_t* const taken = load.taken.data();
    for (const auto row : rows) {
        const std::int32_t branch = branch_of(static_cast<std::size_t>(row));
        rows[left] = row;
        spare[right] = row;
        taken[lent] = row;
        left += branch == 0;
        right += branch == 1;
        lent += branch == all_branches;
    }
    if (lent > 0) {
        std::copy_backward(rows.data(), rows.data() + left, rows.data() + left + lent);
        std::copy_n(taken, lent, rows.data());
    }
    std::copy_n(spare, right, rows.data() + lent + left);
    branches[0].count = left;
    branches[1].count = right;
    return lent;
}

template <class BranchOf>
std::size_t part_in_many(std::span<std::int32_t> rows, std::span<Branch> branches, Load& load,
                         BranchOf branch_of) {
    const auto group = [&](std::size_t i) { return static_cast<std::size_t>(load.taken[i]); };
    std::size_t lent = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        load.taken[i] = branch_of(static_cast<std::size_t>(rows[i]));
        ++(load.taken[i] == all_branches ? lent : branches[group(i)].count);
    }
    place(branches, lent);
    std::copy(rows.begin(), rows.end(), load.spare.begin());
    std::size_t next = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        auto& begin = load.taken[i] == all_branches ? next : branches[group(i)].begin;
        rows[begin++] = load.spare[i];
    }
    return lent;
}

// Orders rows by what a split does with them: first those that go down all branches, whose number
// it returns, then those of each branch, among them as they were. Branches begin from the first
// row.
inline std::size_t part(const TreeArrays& tree, const Rows& table, Node node,
                        std::span<std::int32_t> rows, std::span<Branch> branches, Load& load) {
    std::fill(branches.begin(), branches.end(), Branch{});
    const auto lent = with_test(tree, table, node, [&](auto branch_of) {
        return branches.size() == 2 ? part_in_two(rows, branches, load, branch_of)
                                    : part_in_many(rows, branches, load, branch_of);
    });
    place(branches, lent);
    return lent;
}

class Descent {
public:
    // `rows` are taken apart in their place.
    Descent(const TreeArrays& tree, const Rows& table, Load& load, std::span<std::int32_t> rows)
        : tree_(tree), table_(table), load_(load), rows_(rows) {}

    std::span<std::int32_t> rows(const Stop& stop) const noexcept {
        return rows_.subspan(stop.begin, stop.count);
    }

    std::span<const Branch> branches(const Stop& stop) const noexcept {
        return std::span(branches_).subspan(stop.first, tree_.children(stop.node).size());
    }

    // The rows that a branch has to itself, once the stop is left.
    std::span<std::int32_t> own_rows(const Stop& stop, const Branch& branch) const noexcept {
        return rows_.subspan(branch.begin - stop.lent, branch.count);
    }

    std::span<std::int32_t> lent_rows(const Stop& stop) const noexcept {
        return rows_.subspan(stop.begin + stop.count - stop.lent, stop.lent);
    }

    template <class Visitor>
    void run(Node place, Node node, Visitor& visitor) {
        stops_.push_back({place, node, 0, rows_.size()});
        while (!stops_.empty()) {
            checkpoint(stops_.back().count + 1);
            if (visitor.done()) return give_back_all();
            if (!step(stops_.back(), visitor)) stops_.pop_back();
        }
    }

private:
    struct Lent {
        std::int32_t row;
        double weight;
    };

    // Whether there is more to do at a stop.
    template <class Visitor>
    bool step(Stop& stop, Visitor& visitor) {
        if (!stop.entered) {
            if (!visitor.enter(stop)) return false;
            split(stop, visitor);
        }
        if (stop.next > 0 && stop.lent > 0) sort_out(stop);
        if (stop.next < tree_.children(stop.node).size()) {
            go_down(stop, visitor);
            return true;
        }
        give_back(stop);
        const Node instead = visitor.leave(stop);
        branches_.resize(stop.first);
        if (instead == no_node) return false;
        const bool renewed = stop.renewed || stop.lent > 0;
        stop = {stop.place, instead, stop.begin, stop.count, renewed};
        return true;
    }

    template <class Visitor>
    void split(Stop& stop, Visitor& visitor) {
        stop.entered = true;
        stop.first = branches_.size();
        stop.lender = lent_.size();
        branches_.resize(stop.first + tree_.children(stop.node).size());
        const auto branches = std::span(branches_).subspan(stop.first);
        stop.lent = part(tree_, table_, stop.node, rows(stop), branches, load_);
        for (auto& branch : branches) branch.begin += stop.begin;
        if (stop.lent == 0) return;
        for (const auto row : rows(stop).first(stop.lent))
            lent_.push_back({row, load_.weight_of(row)});
        for (auto& branch : branches) {
            branch.share = 0.0;
            for (const auto row : rows_.subspan(branch.begin, branch.count)) {
                branch.share += load_.weight_of(row);
            }
        }
        visitor.shares(stop.node, branches);
    }

    template <class Visitor>
    void go_down(Stop& stop, Visitor& visitor) {
        const Node place = tree_.children(stop.node)[stop.next];
        const Branch& branch = branches_[stop.first + stop.next];
        const std::size_t lent = branch.share > 0.0 ? stop.lent : 0;
        if (lent > 0) {
            for (const auto& [row, weight] : std::span(lent_).subspan(stop.lender)) {
                load_.weight[static_cast<std::size_t>(row)] = weight * branch.share;
            }
        }
        ++stop.next;
        const bool renewed = stop.renewed || stop.lent > 0;
        stops_.push_back(
            {place, visitor.standing(place), branch.begin - lent, branch.count + lent, renewed});
    }

    // Lent rows from before or among the rows of the last branch to behind them.
    void sort_out(const Stop& stop) {
        const Branch& branch = branches_[stop.first + stop.next - 1];
        const auto rows = rows_.subspan(branch.begin - stop.lent, branch.count + stop.lent);
        with_test(tree_, table_, stop.node, [&](auto test) {
            std::size_t own = 0;
            std::size_t lent = 0;
            for (const auto row : rows) {
                if (test(static_cast<std::size_t>(row)) == all_branches) {
                    load_.spare[lent++] = row;
                } else {
                    rows[own++] = row;
                }
            }
            std::copy_n(load_.spare.begin(), lent, rows.begin() + static_cast<std::ptrdiff_t>(own));
        });
    }

    void give_back(const Stop& stop) {
        for (const auto& [row, weight] : std::span(lent_).subspan(stop.lender)) {
            load_.weight[static_cast<std::size_t>(row)] = weight;
        }
        lent_.resize(stop.lender);
    }

    void give_back_all() {
        for (; !stops_.empty(); stops_.pop_back()) {
            if (stops_.back().entered) give_back(stops_.back());
        }
        branches_.clear();
    }

    const TreeArrays& tree_;
    const Rows& table_;
    Load& load_;
    std::span<std::int32_t> rows_;
    std::vector<Stop> stops_;
    std::vector<Branch> branches_;
    std::vector<Lent> lent_;
};

}  // namespace rulewright
