#include "extensions.hpp"

#include <algorithm>
#include <bit>

#include "clones.hpp"
#include "interruption.hpp"
#include "parallel.hpp"

namespace rulewright {
namespace {

constexpr std::size_t crowded = 4;      // values per row from which sorting beats a table
constexpr std::size_t sparse = 2;       // words of bits per row from which bits do not pay
constexpr std::size_t alone = 1 << 18;  // minimum number of cells for which threads pay

struct MarkedRow {
    std::uint32_t number;
    bool own;
};

struct OwnAndOther {
    double own = 0;
    double other = 0;

    void add(bool to_own, double weight) noexcept { (to_own ? own : other) += weight; }
    bool empty() const noexcept { return own == 0 && other == 0; }
};

std::vector<MarkedRow> rows_of(const Covered& covered) {
    std::vector<MarkedRow> rows;
    for (std::size_t w = 0; w < covered.rows.size(); ++w) {
        for (std::uint64_t left = covered.rows[w]; left; left &= left - 1) {
            const auto bit = static_cast<std::size_t>(std::countr_zero(left));
            rows.push_back(
                {static_cast<std::uint32_t>(64 * w + bit), (covered.own[w] >> bit & 1U) != 0});
        }
    }
    return rows;
}

using Slots = std::vector<ValueTally>;

void put(Slots& slots, std::size_t column, std::int64_t code, const OwnAndOther& sum) {
    if (sum.empty()) return;
    slots.push_back(
        {static_cast<std::int32_t>(column), static_cast<std::int32_t>(code), sum.own, sum.other});
}

struct Counts {
    int own;
    int all;
};

RULEWRIGHT_CLONES Counts count_both(const Covered& covered, const std::uint64_t* bits) {
    Counts counts{};
    for (std::size_t w = 0; w < covered.rows.size(); ++w) {
        const std::uint64_t both = covered.rows[w] & bits[w];
        counts.all += std::popcount(both);
        counts.own += std::popcount(both & covered.own[w]);
    }
    return counts;
}

// Every row counts once and there are few values: count bits.
void count_bits(const CodedColumn& x, std::size_t column, const Covered& covered, Slots& slots) {
    for (std::size_t value = 0; value <= x.values; ++value) {
        const auto [own, all] = count_both(covered, x.bits.data() + value * covered.rows.size());
        put(slots, column, static_cast<std::int64_t>(value) - 1,
            {static_cast<double>(own), static_cast<double>(all - own)});
    }
}

double weight_of(const Covered& covered, const MarkedRow& row) noexcept {
    return covered.weight.empty() ? 1.0 : covered.weight[row.number];
}

// A table entry for every value.
void fill_table(const CodedColumn& x, std::size_t column, const Covered& covered,
                std::span<const MarkedRow> rows, Slots& slots) {
    std::vector<OwnAndOther> sums(x.values + 1);
    for (const MarkedRow& row : rows) {
        sums[static_cast<std::size_t>(x.code[row.number] + 1)].add(row.own,
                                                                   weight_of(covered, row));
    }
    for (std::size_t place = 0; place < sums.size(); ++place) {
        put(slots, column, static_cast<std::int64_t>(place) - 1, sums[place]);
    }
}

// Few rows and many values: sort the values that occur.
void sort_values(const CodedColumn& x, std::size_t column, const Covered& covered,
                 std::span<const MarkedRow> rows, Slots& slots) {
    std::vector<MarkedRow> order(rows.begin(), rows.end());
    const auto code = [&](const MarkedRow& row) { return x.code[row.number]; };
    std::sort(order.begin(), order.end(), [&](const MarkedRow& a, const MarkedRow& b) {
        return code(a) != code(b) ? code(a) < code(b) : a.number < b.number;
    });
    for (std::size_t i = 0; i < order.size();) {
        const std::int32_t value = code(order[i]);
        OwnAndOther sum;
        for (; i < order.size() && code(order[i]) == value; ++i) {
            sum.add(order[i].own, weight_of(covered, order[i]));
        }
        put(slots, column, value, sum);
    }
}

}  // namespace

std::vector<ValueTally> tally_values(std::span<const CodedColumn> columns, const Covered& covered,
                                     std::size_t threads) {
    const std::vector<MarkedRow> rows = rows_of(covered);
    std::vector<Slots> found(columns.size());
    const auto tally = [&](std::size_t j) {
        checkpoint(rows.size());
        const CodedColumn& x = columns[j];
        const bool few = !x.bits.empty() && x.bits.size() * sparse < rows.size();
        if (few && covered.weight.empty()) {
            count_bits(x, j, covered, found[j]);
        } else if (x.values > crowded * rows.size()) {
            sort_values(x, j, covered, rows, found[j]);
        } else {
            fill_table(x, j, covered, rows, found[j]);
        }
    };
    for_each_task(columns.size(), rows.size() * columns.size() < alone ? 1 : threads, tally);
    Slots slots;
    for (const Slots& some : found) slots.insert(slots.end(), some.begin(), some.end());
    return slots;
}

}  // namespace rulewright
