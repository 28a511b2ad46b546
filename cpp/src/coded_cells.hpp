// Rows as codes of values, and the tests of single columns that an optimal search chooses from.
//
// Rows of equal codes and equal class are one cell, whose weight is their sum. A point is all cells
// of equal codes: no test separates them. Cells are in the order of their codes, so that nothing
// depends on the order of the rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rulewright {

struct TestColumn {
    std::span<const std::int32_t> code;  // -1 where missing
    std::int32_t values;                 // 1 or more
    bool ordered;  // tests compare with a value; otherwise they ask for one value
};

enum class TestKind : std::int8_t { values, values_or_missing, missing };

// The set of values on which a test holds: up to `base` of an ordered column, only `base` of
// another; with or without missing ones; or only missing ones. A test and its negation divide rows
// alike, so only one of them is a test here. The last value is no base: of an ordered column all
// values are up to it, and in another it stands for all values without a test of their own.
struct Test {
    std::int32_t column;
    std::int32_t base;  // -1 for missing
    TestKind kind;
};

// Number of tests of a column with a given number of bases.
constexpr std::size_t tests_of(std::size_t bases, bool missing) noexcept {
    return bases * (missing ? 2 : 1) + (missing ? 1 : 0);
}

inline constexpr std::size_t max_coded_values = 4096;

using Members = std::vector<std::int32_t>;  // numbers of cells, in increasing order

class Cells {
public:
    Cells(std::span<const TestColumn> columns, std::span<const std::int32_t> label,
          std::span<const std::int64_t> weight, std::size_t classes);

    std::size_t size() const noexcept { return label_.size(); }
    std::size_t classes() const noexcept { return classes_; }
    std::size_t columns() const noexcept { return values_.size(); }
    std::int64_t total() const noexcept { return total_; }

    // Codes of a column; those of missing values are `values(column)`.
    std::span<const std::uint16_t> codes(std::size_t column) const noexcept {
        return {code_.data() + column * size(), size()};
    }
    std::size_t values(std::size_t column) const noexcept { return values_[column]; }
    std::size_t bases(std::size_t column) const noexcept { return values_[column] - 1; }
    // Number of tests that differ on cells with only these values, which are in increasing order;
    // their bases are the first of these values.
    std::size_t bases_among(std::size_t column,
                            std::span<const std::int32_t> present) const noexcept;
    bool ordered(std::size_t column) const noexcept { return ordered_[column]; }
    bool missing(std::size_t column) const noexcept { return missing_[column]; }

    std::span<const std::int32_t> labels() const noexcept { return label_; }
    std::span<const std::int64_t> weights() const noexcept { return weight_; }
    std::int32_t point(std::size_t cell) const noexcept { return point_[cell]; }

    std::span<const Test> tests() const noexcept { return tests_; }
    std::size_t first_test(std::size_t column) const noexcept { return first_test_[column]; }
    // Number of a test among all.
    std::size_t number_of(const Test& test) const noexcept;
    bool holds(const Test& test, std::uint16_t code) const noexcept;

    void divide(std::span<const std::int32_t> members, const Test& test, Members& holding,
                Members& others) const;

    // Weight that every model misclassifies: of each point, all but its heaviest class.
    std::int64_t inseparable(std::span<const std::int32_t> members) const;
    std::int64_t leaf_errors(std::span<const std::int32_t> members) const;

private:
    std::size_t classes_;
    std::int64_t total_ = 0;
    std::vector<std::size_t> values_;
    std::vector<bool> ordered_;
    std::vector<bool> missing_;
    std::vector<std::uint16_t> code_;
    std::vector<std::int32_t> label_;
    std::vector<std::int64_t> weight_;
    std::vector<std::int32_t> point_;
    std::vector<std::size_t> first_test_;
    std::vector<Test> tests_;
};

// A fingerprint of a set of cells: sets are compared by its 128 bits.
struct Fingerprint {
    std::uint64_t first = 0;
    std::uint64_t second = 0;

    bool operator==(const Fingerprint&) const = default;
};

Fingerprint fingerprint_of(std::span<const std::int32_t> members) noexcept;

}  // namespace rulewright
