#include "coded_cells.hpp"

#include <algorithm>
#include <numeric>

#include "interruption.hpp"

namespace rulewright {

namespace {

// Order of rows by codes and then class.
int compare(std::span<const TestColumn> columns, std::size_t one, std::size_t other) {
    for (const auto& column : columns) {
        const std::int32_t a = column.code[one];
        const std::int32_t b = column.code[other];
        if (a != b) return a < b ? -1 : 1;
    }
    return 0;
}

}  // namespace

Cells::Cells(std::span<const TestColumn> columns, std::span<const std::int32_t> label,
             std::span<const std::int64_t> weight, std::size_t classes)
    : classes_(classes) {
    std::vector<std::int32_t> order;
    for (std::size_t row = 0; row < label.size(); ++row)
        if (weight[row] > 0) order.push_back(static_cast<std::int32_t>(row));
    std::ranges::sort(order, [&](std::int32_t one, std::int32_t other) {
        checkpoint(columns.size());
        const auto a = static_cast<std::size_t>(one);
        const auto b = static_cast<std::size_t>(other);
        const int found = compare(columns, a, b);
        return found != 0 ? found < 0 : label[a] < label[b];
    });
    std::vector<std::size_t> first;  // a row of each cell
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto row = static_cast<std::size_t>(order[i]);
        const bool known = i > 0 && compare(columns, first.back(), row) == 0;
        const std::int32_t point = i == 0 ? 0 : point_.back() + (known ? 0 : 1);
        if (known && label[first.back()] == label[row]) {
            weight_.back() += weight[row];
        } else {
            first.push_back(row);
            label_.push_back(label[row]);
            weight_.push_back(weight[row]);
            point_.push_back(point);
        }
        total_ += weight[row];
    }
    code_.reserve(columns.size() * first.size());
    for (std::size_t j = 0; j < columns.size(); ++j) {
        const auto& column = columns[j];
        const auto values = static_cast<std::size_t>(column.values);
        bool missing = false;
        for (const std::size_t row : first) {
            const std::int32_t code = column.code[row];
            missing = missing || code < 0;
            code_.push_back(static_cast<std::uint16_t>(code < 0 ? column.values : code));
        }
        values_.push_back(values);
        ordered_.push_back(column.ordered);
        missing_.push_back(missing);
        first_test_.push_back(tests_.size());
        const auto bases = static_cast<std::int32_t>(values) - 1;
        const auto number = static_cast<std::int32_t>(j);
        for (std::int32_t base = 0; base < bases; ++base)
            tests_.push_back({number, base, TestKind::values});
        if (!missing) continue;
        for (std::int32_t base = 0; base < bases; ++base)
            tests_.push_back({number, base, TestKind::values_or_missing});
        tests_.push_back({number, -1, TestKind::missing});
    }
}

std::size_t Cells::number_of(const Test& test) const noexcept {
    const auto column = static_cast<std::size_t>(test.column);
    const std::size_t first = first_test_[column];
    if (test.kind == TestKind::missing) return first + 2 * bases(column);
    const std::size_t before = test.kind == TestKind::values ? 0 : bases(column);
    return first + before + static_cast<std::size_t>(test.base);
}

std::size_t Cells::bases_among(std::size_t column,
                               std::span<const std::int32_t> present) const noexcept {
    if (present.empty()) return 0;
    const bool rest = static_cast<std::size_t>(present.back()) == bases(column);
    return ordered_[column] || present.size() <= 2 || rest ? present.size() - 1 : present.size();
}

bool Cells::holds(const Test& test, std::uint16_t code) const noexcept {
    const auto column = static_cast<std::size_t>(test.column);
    if (code == values_[column]) return test.kind != TestKind::values;
    if (test.kind == TestKind::missing) return false;
    return ordered_[column] ? code <= test.base : code == test.base;
}

void Cells::divide(std::span<const std::int32_t> members, const Test& test, Members& holding,
                   Members& others) const {
    checkpoint(members.size());
    const auto code = codes(static_cast<std::size_t>(test.column));
    holding.clear();
    others.clear();
    for (const std::int32_t member : members)
        (holds(test, code[static_cast<std::size_t>(member)]) ? holding : others).push_back(member);
}

std::int64_t Cells::inseparable(std::span<const std::int32_t> members) const {
    std::int64_t sum = 0;
    std::int64_t heaviest = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
        const auto cell = static_cast<std::size_t>(members[i]);
        const bool same = i > 0 && point_[cell] == point_[static_cast<std::size_t>(members[i - 1])];
        if (!same) {
            sum -= heaviest;
            heaviest = 0;
        }
        sum += weight_[cell];
        heaviest = std::max(heaviest, weight_[cell]);
    }
    return sum - heaviest;
}

std::int64_t Cells::leaf_errors(std::span<const std::int32_t> members) const {
    std::vector<std::int64_t> sums(classes_, 0);
    for (const std::int32_t member : members) {
        const auto cell = static_cast<std::size_t>(member);
        sums[static_cast<std::size_t>(label_[cell])] += weight_[cell];
    }
    return std::accumulate(sums.begin(), sums.end(), std::int64_t{0}) - std::ranges::max(sums);
}

Fingerprint fingerprint_of(std::span<const std::int32_t> members) noexcept {
    const auto mixed = [](std::uint64_t x) {  // splitmix64
        x += 0x9e3779b97f4a7c15U;
        x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
        x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
        return x ^ (x >> 31U);
    };
    Fingerprint found;
    for (const std::int32_t member : members) {
        const auto number = static_cast<std::uint64_t>(member);
        found.first += mixed(2 * number);
        found.second += mixed(2 * number + 1);
    }
    return found;
}

}  // namespace rulewright
