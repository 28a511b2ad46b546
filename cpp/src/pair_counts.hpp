// Weights of the classes for all pairs of tests, on some of the cells.
//
// Counts of two columns together are one table: rows by columns of values, for each class. Sums
// over the values of two tests give what both tests hold on, so that one pass over the cells counts
// for all pairs of tests of the two columns (of binary columns: Demirovic et al. 2022, MurTree,
// section 4.3). Columns of two values are packed together, up to four, into one column of sixteen.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "clones.hpp"
#include "coded_cells.hpp"
#include "interruption.hpp"

namespace rulewright {

inline constexpr std::size_t max_packed = 4;

// A column as some cells have it: only values that occur, or several columns of two values.
struct LocalColumn {
    std::size_t width = 0;   // values, missing included
    std::size_t values = 0;  // without missing
    std::size_t bases = 0;
    std::size_t packed = 0;  // number of columns of two values; 0 for a column by itself
    bool ordered = false;
    bool missing = false;
    std::size_t first = 0;  // place of its tests
    std::size_t tests = 0;
};

// Sums over the values of each test; a value or test is `stride` numbers.
template <class Count>
void sums_of_tests(const LocalColumn& column, const Count* of_values, std::size_t stride,
                   Count* of_tests) {
    const auto add = [stride](Count* to, const Count* from) {
        for (std::size_t i = 0; i < stride; ++i) to[i] += from[i];
    };
    std::fill_n(of_tests, column.tests * stride, Count{0});
    if (column.packed > 0) {
        for (std::size_t value = 0; value < column.width; ++value)
            for (std::size_t bit = 0; bit < column.packed; ++bit)
                if ((value >> bit & 1U) != 0)
                    add(of_tests + bit * stride, of_values + value * stride);
        return;
    }
    const std::size_t bases = column.bases;
    for (std::size_t base = 0; base < bases; ++base) {
        Count* sum = of_tests + base * stride;
        if (column.ordered && base > 0) std::copy_n(sum - stride, stride, sum);
        add(sum, of_values + base * stride);
    }
    if (!column.missing) return;
    const Count* missing = of_values + column.values * stride;
    for (std::size_t base = 0; base < bases; ++base) {
        Count* sum = of_tests + (bases + base) * stride;
        std::copy_n(of_tests + base * stride, stride, sum);
        add(sum, missing);
    }
    add(of_tests + 2 * bases * stride, missing);
}

// The same where a value is one number.
template <class Count>
RULEWRIGHT_INLINE void sums_of_tests(const LocalColumn& column, const Count* of_values,
                                     Count* of_tests) {
    if (column.packed > 0) return sums_of_tests(column, of_values, 1, of_tests);
    const std::size_t bases = column.bases;
    if (column.ordered) {
        Count sum = 0;
        for (std::size_t base = 0; base < bases; ++base) {
            sum += of_values[base];
            of_tests[base] = sum;
        }
    } else {
        std::copy_n(of_values, bases, of_tests);
    }
    if (!column.missing) return;
    const Count missing = of_values[column.values];
    for (std::size_t base = 0; base < bases; ++base)
        of_tests[bases + base] = of_tests[base] + missing;
    of_tests[2 * bases] = missing;
}

// Weights of the classes for the pairs of tests of two columns. Each thread has its own.
template <class Count>
struct PairTable {
    // Weights of a class on which both of two tests hold.
    const Count* of_class(std::size_t k) const { return both.data() + k * plane; }

    std::vector<Count> values;
    std::vector<Count> rows;
    std::vector<Count> both;
    std::size_t plane = 0;
};

template <class Count>
class PairCounts {
public:
    explicit PairCounts(const Cells& cells) : cells_(cells) {
        for (const std::int64_t weight : cells.weights())
            weights_.push_back(static_cast<Count>(weight));
    }

    // Finds the tests that divide the members, and the weights on which they hold.
    void prepare(std::span<const std::int32_t> members) {
        const std::size_t n = members.size();
        label_.resize(n);
        weight_.resize(n);
        total_.assign(cells_.classes(), 0);
        for (std::size_t i = 0; i < n; ++i) {
            const auto cell = static_cast<std::size_t>(members[i]);
            label_[i] = static_cast<std::uint32_t>(cells_.labels()[cell]);
            weight_[i] = weights_[cell];
            total_[label_[i]] += weight_[i];
        }
        locals_.clear();
        codes_.clear();
        number_.clear();
        binary_.clear();
        for (std::size_t j = 0; j < cells_.columns(); ++j) {
            checkpoint(n);
            add_column(j, members);
        }
        pack_binary(members);
        const std::size_t tests = number_.size();
        held_.assign(cells_.classes() * tests, 0);
        for (std::size_t a = 0; a < locals_.size(); ++a) weigh(a);
    }

    // Calls `visit` with two columns, which may be the same, after counting them together. Columns
    // that are not `usable` are left out.
    template <class Visit, class Usable>
    void for_each_pair(Visit&& visit, Usable&& usable) {
        for (std::size_t a = 0; a < locals_.size(); ++a) {
            if (!usable(a)) continue;
            if (locals_[a].tests > 1) {
                count(a, a, table_);
                visit(a, a);
            }
            for (std::size_t b = a + 1; b < locals_.size(); ++b) {
                if (!usable(b)) continue;
                count(a, b, table_);
                visit(a, b);
            }
        }
    }

    // Counts two columns together, or the pairs of tests of one.
    void count(std::size_t a, std::size_t b, PairTable<Count>& table) const {
        if (a == b) {
            count_alone(a, table);
        } else {
            count_together(a, b, table);
        }
    }

    const Cells& cells() const { return cells_; }
    std::size_t classes() const { return cells_.classes(); }
    std::size_t tests() const { return number_.size(); }
    const LocalColumn& local(std::size_t a) const { return locals_[a]; }
    std::size_t locals() const { return locals_.size(); }
    // Number of a local test among all tests.
    std::int32_t number(std::size_t t) const { return number_[t]; }
    const std::vector<Count>& total() const { return total_; }
    // Weights of a class on which the tests hold.
    const Count* held(std::size_t k) const { return held_.data() + k * number_.size(); }
    // Number of members.
    std::size_t members() const { return label_.size(); }
    // Weights of a class on which both of two tests hold, for the pair of columns that is visited.
    const Count* both(std::size_t k) const { return table_.of_class(k); }
    std::size_t plane() const { return table_.plane; }

private:
    // Adds a column with those of its values that the members have, unless it is constant.
    void add_column(std::size_t column, std::span<const std::int32_t> members) {
        const auto code = cells_.codes(column);
        const std::size_t known = cells_.values(column);
        rank_.assign(known + 1, 0);
        for (const std::int32_t member : members) rank_[code[static_cast<std::size_t>(member)]] = 1;
        present_.clear();
        for (std::size_t value = 0; value <= known; ++value) {
            if (rank_[value] == 0) continue;
            rank_[value] = static_cast<std::uint16_t>(present_.size());
            present_.push_back(static_cast<std::int32_t>(value));
        }
        const bool missing = static_cast<std::size_t>(present_.back()) == known;
        const std::size_t width = present_.size();
        if (width < 2) return;
        const auto number = static_cast<std::int32_t>(column);
        if (width == 2) {
            const auto kind = TestKind::values;
            Test test = {number, present_[0], kind};
            if (missing) test = {number, -1, TestKind::missing};
            binary_.push_back(static_cast<std::int32_t>(cells_.number_of(test)));
            return;
        }
        LocalColumn local;
        local.width = width;
        local.values = width - (missing ? 1 : 0);
        local.ordered = cells_.ordered(column);
        local.missing = missing;
        local.first = number_.size();
        const std::size_t bases = cells_.bases_among(column, {present_.data(), local.values});
        local.bases = bases;
        local.tests = tests_of(bases, missing);
        for (std::size_t base = 0; base < bases; ++base)
            number_.push_back(numbered({number, present_[base], TestKind::values}));
        if (missing) {
            for (std::size_t base = 0; base < bases; ++base)
                number_.push_back(numbered({number, present_[base], TestKind::values_or_missing}));
            number_.push_back(numbered({number, -1, TestKind::missing}));
        }
        locals_.push_back(local);
        for (const std::int32_t member : members)
            codes_.push_back(rank_[code[static_cast<std::size_t>(member)]]);
    }

    std::int32_t numbered(const Test& test) const {
        return static_cast<std::int32_t>(cells_.number_of(test));
    }

    void pack_binary(std::span<const std::int32_t> members) {
        for (std::size_t begin = 0; begin < binary_.size(); begin += max_packed) {
            LocalColumn local;
            local.packed = std::min(max_packed, binary_.size() - begin);
            local.width = std::size_t{1} << local.packed;
            local.values = local.width;
            local.first = number_.size();
            local.tests = local.packed;
            const std::size_t start = codes_.size();
            codes_.resize(start + members.size(), 0);
            for (std::size_t bit = 0; bit < local.packed; ++bit) {
                const std::int32_t number = binary_[begin + bit];
                const Test& test = cells_.tests()[static_cast<std::size_t>(number)];
                const auto code = cells_.codes(static_cast<std::size_t>(test.column));
                number_.push_back(number);
                for (std::size_t i = 0; i < members.size(); ++i) {
                    const bool yes = cells_.holds(test, code[static_cast<std::size_t>(members[i])]);
                    codes_[start + i] |= static_cast<std::uint16_t>((yes ? 1U : 0U) << bit);
                }
            }
            locals_.push_back(local);
        }
    }

    const std::uint16_t* codes_of(std::size_t local) const {
        return codes_.data() + local * label_.size();
    }

    // Weights on which the tests of a column hold, class by class.
    void weigh(std::size_t a) {
        const LocalColumn& local = locals_[a];
        const std::uint16_t* code = codes_of(a);
        values_.assign(cells_.classes() * local.width, 0);
        for (std::size_t i = 0; i < label_.size(); ++i)
            values_[label_[i] * local.width + code[i]] += weight_[i];
        for (std::size_t k = 0; k < cells_.classes(); ++k)
            sums_of_tests(local, values_.data() + k * local.width,
                          held_.data() + k * number_.size() + local.first);
    }

    // Pairs of tests of one column.
    void count_alone(std::size_t a, PairTable<Count>& table) const {
        const std::size_t width = locals_[a].width;
        const std::uint16_t* code = codes_of(a);
        clear(table, width, width);
        for (std::size_t i = 0; i < label_.size(); ++i)
            table.values[(label_[i] * width + code[i]) * width + code[i]] += weight_[i];
        sum_values(a, a, table);
    }

    void count_together(std::size_t a, std::size_t b, PairTable<Count>& table) const {
        const std::size_t width = locals_[b].width;
        const std::size_t n = label_.size();
        checkpoint(n + locals_[a].tests * locals_[b].tests);
        clear(table, locals_[a].width, width);
        const std::uint16_t* one = codes_of(a);
        const std::uint16_t* other = codes_of(b);
        const auto rows = static_cast<std::uint32_t>(locals_[a].width);
        const auto columns = static_cast<std::uint32_t>(width);
        Count* const values = table.values.data();
        for (std::size_t i = 0; i < n; ++i)
            values[(label_[i] * rows + one[i]) * columns + other[i]] += weight_[i];
        sum_values(a, b, table);
    }

    void clear(PairTable<Count>& table, std::size_t rows, std::size_t columns) const {
        table.values.assign(cells_.classes() * rows * columns, 0);
    }

    // From values by values to tests by tests.
    void sum_values(std::size_t a, std::size_t b, PairTable<Count>& table) const {
        const LocalColumn& one = locals_[a];
        const LocalColumn& other = locals_[b];
        table.rows.resize(one.tests * other.width);
        table.plane = one.tests * other.tests;
        table.both.resize(cells_.classes() * table.plane);
        for (std::size_t k = 0; k < cells_.classes(); ++k) {
            sums_of_tests(one, table.values.data() + k * one.width * other.width, other.width,
                          table.rows.data());
            for (std::size_t s = 0; s < one.tests; ++s)
                sums_of_tests(other, table.rows.data() + s * other.width,
                              table.both.data() + k * table.plane + s * other.tests);
        }
    }

    const Cells& cells_;
    std::vector<Count> weights_;
    std::vector<LocalColumn> locals_;
    std::vector<std::uint16_t> codes_;  // of all local columns, one after the other
    std::vector<std::int32_t> number_;
    std::vector<std::int32_t> binary_;  // tests of the columns of two values
    std::vector<std::uint32_t> label_;
    std::vector<Count> weight_;
    std::vector<Count> total_;
    std::vector<Count> held_;
    std::vector<std::uint16_t> rank_;
    std::vector<std::int32_t> present_;
    std::vector<Count> values_;
    PairTable<Count> table_;
};

// Counts are 32 bits wide where the total weight allows it.
inline bool is_narrow(const Cells& cells) { return cells.total() < std::int64_t{1} << 28; }

}  // namespace rulewright
