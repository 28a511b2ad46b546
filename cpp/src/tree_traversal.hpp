// Traversal of a tree with its rows, without recursion and without copying the rows.
//
// The rows of a node are a range of one list, and those of its children are ranges of that range.
// Rows that go down all branches are shared: each child in turn has them at a share of their
// weight. They are placed before the rows of the next child and moved behind them afterwards (as in
// Quinlan's C4.5). A visitor sees every node before and after its subtree:
//     bool enter(const NodeVisit&)   whether to go on below
//     Node leave(const NodeVisit&)   another node, whose split replaces this one, or no_node
//     Node replacement(Node)         the node that replaces a child
//     void shares(Node, std::span<Branch>)   the share of each branch, from its weight
//     bool done()                    whether to stop at once
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
    std::size_t begin = 0;  // start of its own rows
    std::size_t count = 0;  // number of its own rows
    double share = 0.0;     // of the weight of rows that go down all branches
};

struct NodeVisit {
    Node place = 0;  // position in the original tree
    Node node = 0;   // the node at this position now
    std::size_t begin = 0;
    std::size_t count = 0;
    bool renewed = false;  // weights above it were redistributed
    bool entered = false;
    std::size_t shared = 0;        // number of rows that go down all branches
    std::size_t next = 0;          // next branch
    std::size_t first = 0;         // of its branches on their stack
    std::size_t shared_first = 0;  // of its shared rows on their stack
};

// Rows and buffers of nested traversals, which use the same rows.
struct RowBuffers {
    std::vector<std::int32_t> rows;   // rows of positive weight
    std::vector<double> weight;       // of every row at the current node
    std::vector<std::int32_t> spare;  // buffer with room for every row
    std::vector<std::int32_t> taken;

    explicit RowBuffers(const Rows& table) : weight(table.weight.begin(), table.weight.end()) {
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

// Start of each branch's rows, after those that go down all branches, from the counts.
inline void place(std::span<Branch> branches, std::size_t shared) noexcept {
    std::size_t begin = shared;
    for (auto& branch : branches) {
        branch.begin = begin;
        begin += branch.count;
    }
}

// One pass without jumps: in a tree that is a chain, most of the time is spent here.
template <class BranchOf>
std::size_t part_in_two(std::span<std::int32_t> rows, std::span<Branch> branches,
                        RowBuffers& buffers, BranchOf branch_of) {
    std::size_t left = 0;
    std::size_t right = 0;
    std::size_t shared = 0;
    std::int32_t* const spare = buffers.spare.data();
    std::int32_t* const taken = buffers.taken.data();
    for (const auto row : rows) {
        const std::int32_t branch = branch_of(static_cast<std::size_t>(row));
        rows[left] = row;
        spare[right] = row;
        taken[shared] = row;
        left += branch == 0;
        right += branch == 1;
        shared += branch == all_branches;
    }
    if (shared > 0) {
        std::copy_backward(rows.data(), rows.data() + left, rows.data() + left + shared);
        std::copy_n(taken, shared, rows.data());
    }
    std::copy_n(spare, right, rows.data() + shared + left);
    branches[0].count = left;
    branches[1].count = right;
    return shared;
}

template <class BranchOf>
std::size_t part_in_many(std::span<std::int32_t> rows, std::span<Branch> branches,
                         RowBuffers& buffers, BranchOf branch_of) {
    const auto group = [&](std::size_t i) { return static_cast<std::size_t>(buffers.taken[i]); };
    std::size_t shared = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        buffers.taken[i] = branch_of(static_cast<std::size_t>(rows[i]));
        ++(buffers.taken[i] == all_branches ? shared : branches[group(i)].count);
    }
    place(branches, shared);
    std::copy(rows.begin(), rows.end(), buffers.spare.begin());
    std::size_t next = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        auto& begin = buffers.taken[i] == all_branches ? next : branches[group(i)].begin;
        rows[begin++] = buffers.spare[i];
    }
    return shared;
}

// Orders rows by branch: first those that go down all branches, whose number it returns, then those
// of each branch, in their previous order. Branches begin at the first row.
inline std::size_t part(const TreeArrays& tree, const Rows& table, Node node,
                        std::span<std::int32_t> rows, std::span<Branch> branches,
                        RowBuffers& buffers) {
    std::fill(branches.begin(), branches.end(), Branch{});
    const auto shared = with_test(tree, table, node, [&](auto branch_of) {
        return branches.size() == 2 ? part_in_two(rows, branches, buffers, branch_of)
                                    : part_in_many(rows, branches, buffers, branch_of);
    });
    place(branches, shared);
    return shared;
}

class TreeTraversal {
public:
    // `rows` are reordered in place.
    TreeTraversal(const TreeArrays& tree, const Rows& table, RowBuffers& buffers,
                  std::span<std::int32_t> rows)
        : tree_(tree), table_(table), buffers_(buffers), rows_(rows) {}

    std::span<std::int32_t> rows(const NodeVisit& visit) const noexcept {
        return rows_.subspan(visit.begin, visit.count);
    }

    std::span<const Branch> branches(const NodeVisit& visit) const noexcept {
        return std::span(branches_).subspan(visit.first, tree_.children(visit.node).size());
    }

    // The rows that belong to one branch only, after the node is left.
    std::span<std::int32_t> own_rows(const NodeVisit& visit, const Branch& branch) const noexcept {
        return rows_.subspan(branch.begin - visit.shared, branch.count);
    }

    std::span<std::int32_t> shared_rows(const NodeVisit& visit) const noexcept {
        return rows_.subspan(visit.begin + visit.count - visit.shared, visit.shared);
    }

    template <class Visitor>
    void run(Node place, Node node, Visitor& visitor) {
        visits_.push_back({place, node, 0, rows_.size()});
        while (!visits_.empty()) {
            checkpoint(visits_.back().count + 1);
            if (visitor.done()) return restore_all_weights();
            if (!step(visits_.back(), visitor)) visits_.pop_back();
        }
    }

private:
    struct SharedRow {
        std::int32_t row;
        double weight;
    };

    // Whether the visit of a node continues.
    template <class Visitor>
    bool step(NodeVisit& visit, Visitor& visitor) {
        if (!visit.entered) {
            if (!visitor.enter(visit)) return false;
            split(visit, visitor);
        }
        if (visit.next > 0 && visit.shared > 0) move_shared_back(visit);
        if (visit.next < tree_.children(visit.node).size()) {
            enter_branch(visit, visitor);
            return true;
        }
        restore_weights(visit);
        const Node instead = visitor.leave(visit);
        branches_.resize(visit.first);
        if (instead == no_node) return false;
        const bool renewed = visit.renewed || visit.shared > 0;
        visit = {visit.place, instead, visit.begin, visit.count, renewed};
        return true;
    }

    template <class Visitor>
    void split(NodeVisit& visit, Visitor& visitor) {
        visit.entered = true;
        visit.first = branches_.size();
        visit.shared_first = shared_.size();
        branches_.resize(visit.first + tree_.children(visit.node).size());
        const auto branches = std::span(branches_).subspan(visit.first);
        visit.shared = part(tree_, table_, visit.node, rows(visit), branches, buffers_);
        for (auto& branch : branches) branch.begin += visit.begin;
        if (visit.shared == 0) return;
        for (const auto row : rows(visit).first(visit.shared))
            shared_.push_back({row, buffers_.weight_of(row)});
        for (auto& branch : branches) {
            branch.share = 0.0;
            for (const auto row : rows_.subspan(branch.begin, branch.count)) {
                branch.share += buffers_.weight_of(row);
            }
        }
        visitor.shares(visit.node, branches);
    }

    template <class Visitor>
    void enter_branch(NodeVisit& visit, Visitor& visitor) {
        const Node place = tree_.children(visit.node)[visit.next];
        const Branch& branch = branches_[visit.first + visit.next];
        const std::size_t shared = branch.share > 0.0 ? visit.shared : 0;
        if (shared > 0) {
            for (const auto& [row, weight] : std::span(shared_).subspan(visit.shared_first)) {
                buffers_.weight[static_cast<std::size_t>(row)] = weight * branch.share;
            }
        }
        ++visit.next;
        const bool renewed = visit.renewed || visit.shared > 0;
        visits_.push_back({place, visitor.replacement(place), branch.begin - shared,
                           branch.count + shared, renewed});
    }

    // Moves shared rows from before or among the rows of the last branch to behind them.
    void move_shared_back(const NodeVisit& visit) {
        const Branch& branch = branches_[visit.first + visit.next - 1];
        const auto rows = rows_.subspan(branch.begin - visit.shared, branch.count + visit.shared);
        with_test(tree_, table_, visit.node, [&](auto test) {
            std::size_t own = 0;
            std::size_t shared = 0;
            for (const auto row : rows) {
                if (test(static_cast<std::size_t>(row)) == all_branches) {
                    buffers_.spare[shared++] = row;
                } else {
                    rows[own++] = row;
                }
            }
            std::copy_n(buffers_.spare.begin(), shared,
                        rows.begin() + static_cast<std::ptrdiff_t>(own));
        });
    }

    void restore_weights(const NodeVisit& visit) {
        for (const auto& [row, weight] : std::span(shared_).subspan(visit.shared_first)) {
            buffers_.weight[static_cast<std::size_t>(row)] = weight;
        }
        shared_.resize(visit.shared_first);
    }

    void restore_all_weights() {
        for (; !visits_.empty(); visits_.pop_back()) {
            if (visits_.back().entered) restore_weights(visits_.back());
        }
        branches_.clear();
    }

    const TreeArrays& tree_;
    const Rows& table_;
    RowBuffers& buffers_;
    std::span<std::int32_t> rows_;
    std::vector<NodeVisit> visits_;
    std::vector<Branch> branches_;
    std::vector<SharedRow> shared_;
};

}  // namespace rulewright
