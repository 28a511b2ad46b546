// A tree as arrays, and the rows routed through it.
//
// Node 0 is the root; the children of a node have higher numbers.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "column.hpp"

namespace rulewright {

using Node = std::int32_t;

enum class Kind : std::int8_t { leaf, cut, interval, subset, multiway, present };

// Instead of a branch: the row goes down all of them, by share.
inline constexpr std::int32_t all_branches = -1;

struct TreeArrays {
    std::span<const std::int8_t> kind;
    std::span<const std::int32_t> column;   // numeric columns first
    std::span<const double> low;            // cut: branch 0 if x <= low
    std::span<const double> high;           // interval: branch 0 if low <= x <= high
    std::span<const std::int32_t> missing;  // the branch of missing values, or all_branches
    std::span<const std::int32_t> largest;  // the branch of categories unseen at the node
    std::span<const std::int32_t> start;
    std::span<const Node> branches;
    std::span<const std::int32_t> table_start;
    std::span<const std::int32_t> branch_of;
    std::span<const double> weight;  // of each class at each node, in training
    std::size_t classes = 0;

    std::size_t size() const noexcept { return kind.size(); }

    Kind test(Node node) const noexcept { return static_cast<Kind>(kind[at(node)]); }

    std::span<const Node> children(Node node) const noexcept { return part(branches, start, node); }

    std::span<const double> weights(Node node) const noexcept {
        return weight.subspan(at(node) * classes, classes);
    }

    std::span<const std::int32_t> branch_of_code(Node node) const noexcept {
        return part(branch_of, table_start, node);
    }

    static std::size_t at(Node node) noexcept { return static_cast<std::size_t>(node); }

private:
    template <class T>
    static std::span<T> part(std::span<T> of, std::span<const std::int32_t> bounds,
                             Node node) noexcept {
        const auto begin = static_cast<std::size_t>(bounds[at(node)]);
        return of.subspan(begin, static_cast<std::size_t>(bounds[at(node) + 1]) - begin);
    }
};

struct Rows {
    std::span<const Column> numeric;                       // NaN where missing
    std::span<const std::span<const std::int32_t>> codes;  // negative where missing
    std::span<const std::int32_t> label;
    std::span<const double> weight;
};

// Calls `use` with a function from a row to its branch at a split.
template <class Use>
decltype(auto) with_test(const TreeArrays& tree, const Rows& rows, Node node, Use&& use) {
    const auto i = TreeArrays::at(node);
    const auto number = static_cast<std::size_t>(tree.column[i]);
    const bool numeric = number < rows.numeric.size();
    const Column x = numeric ? rows.numeric[number] : Column{nullptr, 0};
    const std::int32_t* code = numeric ? nullptr : rows.codes[number - rows.numeric.size()].data();
    const double low = tree.low[i];
    const double high = tree.high[i];
    const std::int32_t absent = tree.missing[i];
    switch (tree.test(node)) {
        case Kind::cut:
            return use([=](std::size_t row) noexcept -> std::int32_t {
                const bool above = x[row] > low;
                const bool known = above | (x[row] <= low);
                return above + absent * !known;
            });
        case Kind::interval:
            return use([=](std::size_t row) noexcept -> std::int32_t {
                if (std::isnan(x[row])) return absent;
                return low <= x[row] && x[row] <= high ? 0 : 1;
            });
        case Kind::present:
            return use([=](std::size_t row) noexcept -> std::int32_t {
                return code == nullptr ? std::isnan(x[row]) : code[row] < 0;
            });
        default: {
            const auto table = tree.branch_of_code(node);
            const std::int32_t unseen = tree.largest[i];
            return use([=](std::size_t row) noexcept -> std::int32_t {
                if (code[row] < 0) return absent;
                const auto c = static_cast<std::size_t>(code[row]);
                return c < table.size() && table[c] >= 0 ? table[c] : unseen;
            });
        }
    }
}

}  // namespace rulewright
