// Nodes that may still be split, and the splits found for them.
//
// An open node owns its examples, numbered from 0, and for each column their order. So the data of
// a search is contiguous, and nothing is sorted twice. A node of many examples may be coded
// instead: it has no columns of its own, and its cuts are found by the codes of all rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "column_codes.hpp"
#include "measures.hpp"
#include "time_limit.hpp"
#include "training_columns.hpp"
#include "tree_arrays.hpp"

namespace rulewright {

// Numbers of examples of two classes by column and cell; the second class is in the upper half. A
// column of numbers has all codes as its cells; one of categories has a cell for missing values,
// and then one for each category.
struct CodedCounts {
    std::vector<std::size_t> start;  // of each column, and the end
    std::vector<std::uint64_t> count;

    bool empty() const noexcept { return count.empty(); }
    std::span<std::uint64_t> of(std::size_t place) noexcept {
        return {count.data() + start[place], start[place + 1] - start[place]};
    }
    std::span<const std::uint64_t> of(std::size_t place) const noexcept {
        return {count.data() + start[place], start[place + 1] - start[place]};
    }
};

struct OpenNode {
    std::int32_t number = 0;  // of the node
    std::size_t depth = 0;
    double lower = -std::numeric_limits<double>::infinity();  // bounds on its value
    double upper = std::numeric_limits<double>::infinity();
    double impurity = 0.0;
    double slack = 0.0;  // gains that differ by no more are ties: the first wins
    std::vector<std::uint32_t> row;
    std::vector<std::uint16_t> label;
    std::vector<double> target, weight, sums;
    bool coded = false;
    CodedCounts counts;  // of a coded node, unless they take more memory than its codes
    // The columns that still vary, and for each all its rows: the number of present values, and
    // their order.
    std::vector<std::uint32_t> numeric, categorical;
    std::vector<std::size_t> present;
    std::unique_ptr<std::uint32_t[]> entries;
    std::unique_ptr<std::int32_t[]> codes;
    std::vector<bool> constant;       // of these columns, numeric ones first: no longer kept
    std::vector<std::uint32_t> path;  // the columns tested above it, each once

    std::size_t size() const noexcept { return row.size(); }
    Members members() const noexcept { return {label, target, weight}; }
    std::span<const std::uint32_t> order(std::size_t place) const noexcept {
        return {entries.get() + place * size(), present[place]};
    }
};

// Sums of fractions differ in their last bits with the order of the rows. This must not decide
// anything: weights that differ by less than this share are equal.
inline constexpr double same_weight = 1e-9;
inline constexpr double fineness = 1 << 30;  // parts of one into which recorded sums are rounded

constexpr double nearly(double weight) noexcept { return weight * (1.0 - same_weight); }
constexpr bool is_heavier(double one, double other) noexcept {
    return one > other * (1.0 + same_weight);
}

// Instead of a branch: missing values take the heavier of two.
inline constexpr std::int32_t undecided = -2;

// The best split on one column.
struct Split {
    Kind kind = Kind::leaf;
    bool categorical = false;
    std::size_t place = 0;  // of the column among those of the open node
    double gain = -std::numeric_limits<double>::infinity();
    double charge = 0.0;  // expected gain by chance, if many sets of categories were tried
    double ratio = -std::numeric_limits<double>::infinity();
    std::int32_t missing = 1;         // the branch of missing values; -1: all of them
    std::size_t first = 0, last = 0;  // entries of branch 0
    // At a coded node, for a cut: the last cell and value of branch 0, as in `Cut`, and the number
    // of entries.
    std::uint16_t code = 0;
    double value = std::numeric_limits<double>::quiet_NaN();
    std::size_t entries = 0;
    std::size_t branches = 2;
    std::vector<std::int32_t> branch_of;  // of each category
    bool constant = false;                // the column is useless here and below

    bool found() const noexcept { return kind != Kind::leaf; }
    double worth() const noexcept { return gain - charge; }
};

// The codes of a categorical column at an open node.
struct NodeCodes {
    const std::int32_t* code;
    const std::uint32_t* row;  // of each example among those of `code`; null if they are the same
    std::size_t count;

    std::size_t size() const noexcept { return count; }
    std::int32_t operator[](std::size_t i) const noexcept { return code[row ? row[i] : i]; }
};

// Data that stays the same while a tree grows.
struct GrowthContext {
    const TrainingColumns& training;
    const GrowthOptions& options;
    const Measure& measure;
    std::size_t width;              // length of the sums
    std::vector<double> nil;        // the sums of the empty set
    std::vector<char> has_missing;  // of each column, numeric ones first
    TimeLimit time_limit;
    std::vector<std::uint8_t> used;  // columns in use, if their number is limited
    std::size_t in_use = 0;
    std::unique_ptr<const ColumnCodes> codes;  // if some nodes are coded

    GrowthContext(const TrainingColumns& from, const GrowthOptions& how, const Measure& by)
        : training(from),
          options(how),
          measure(by),
          width(by.width()),
          nil(width, 0.0),
          has_missing(from.numeric.size() + from.categorical.size()),
          time_limit(how.seconds),
          used(how.columns.used) {
        used.resize(has_missing.size());
        for (const auto mark : used) in_use += mark;
    }

    bool of_classes() const noexcept { return !training.label.empty(); }
    bool of_two_classes() const noexcept { return !training.label.empty() && width == 2; }

    int direction(std::uint32_t column) const noexcept {
        return training.direction.empty() ? 0 : training.direction[column];
    }

    // The number of a column of a node, numeric ones first.
    std::uint32_t column(const OpenNode& node, std::size_t place) const noexcept {
        const std::size_t d = node.numeric.size();
        if (place < d) return node.numeric[place];
        return static_cast<std::uint32_t>(training.numeric.size()) + node.categorical[place - d];
    }

    NodeCodes categories(const OpenNode& node, std::size_t place) const noexcept {
        if (node.coded) {
            return {training.categorical[node.categorical[place]].code.data(), node.row.data(),
                    node.size()};
        }
        return {node.codes.get() + place * node.size(), nullptr, node.size()};
    }

    // Whether a column may be tested in the tree: it is in use, or another one may be.
    bool may_use(std::uint32_t column) const noexcept {
        return in_use < options.columns.max_columns || used[column];
    }

    // Whether a column may be tested at a node.
    bool allows(const OpenNode& node, std::uint32_t column) const {
        const ColumnLimits& limits = options.columns;
        if (std::ranges::find(node.path, column) != node.path.end()) return true;
        if (!may_use(column) || node.path.size() >= limits.max_on_path) return false;
        return limits.groups.empty() || std::ranges::any_of(limits.groups, [&](const auto& group) {
                   return group[column] && std::ranges::all_of(node.path, [&](std::uint32_t other) {
                              return group[other];
                          });
               });
    }

    // Whether a node with this number of examples is coded.
    bool is_coded(std::size_t examples) const noexcept {
        return codes && examples > options.max_sorted_rows;
    }

    // Whether the counts of a coded node are kept for its children: a column of counts then takes
    // at most as much memory as the codes of the examples.
    bool keeps_counts(const OpenNode& node) const noexcept {
        return node.coded && node.size() / 4 >= options.max_sorted_rows;
    }

    // Whether the cuts of coded nodes are those of sorted ones: two classes of unit weights, and
    // nothing that needs the order of the rows.
    bool can_code() const noexcept {
        return of_two_classes() && training.weight.empty() && measure.counts_two() &&
               training.direction.empty() && !options.intervals && !options.fractional &&
               !options.by_ratio;
    }

    double weight(const OpenNode& node) const noexcept { return measure.weight(node.sums.data()); }

    double value(const OpenNode& node) const {
        return measure.summary(node.members(), node.sums.data()).value;
    }

    // Minimum number of cells of a node whose columns are worth sharing among threads.
    static constexpr std::size_t worth_sharing = 1 << 18;

    std::size_t cells(const OpenNode& node) const noexcept {
        return node.size() * (node.numeric.size() + node.categorical.size());
    }

    std::size_t threads_for(const OpenNode& node) const noexcept {
        return cells(node) >= worth_sharing ? options.threads : 1;
    }
};

}  // namespace rulewright
