#include "extensions.hpp"

#include <algorithm>
#include <array>
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
    std::size_t count = 0;
    for (const std::uint64_t word : covered.rows) {
        count += static_cast<std::size_t>(std::popcount(word));
    }
    std::vector<MarkedRow> rows;
    rows.reserve(count);
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

std::size_t threads_for(std::size_t cells, std::size_t threads) {
    return cells < alone ? 1 : threads;
}

std::vector<Slots> slots_by_column(std::span<const CodedColumn> columns, const Covered& covered,
                                   std::size_t threads) {
    const std::vector<MarkedRow> rows = rows_of(covered);
    std::vector<Slots> found(columns.size());
    const auto tally = [&](std::size_t j) {
        checkpoint(rows.size());
        const CodedColumn& x = columns[j];
        found[j].reserve(std::min(x.values + 1, rows.size()));
        const bool few = !x.bits.empty() && x.bits.size() * sparse < rows.size();
        if (few && covered.weight.empty()) {
            count_bits(x, j, covered, found[j]);
        } else if (x.values > crowded * rows.size()) {
            sort_values(x, j, covered, rows, found[j]);
        } else {
            fill_table(x, j, covered, rows, found[j]);
        }
    };
    for_each_task(columns.size(), threads_for(rows.size() * columns.size(), threads), tally);
    return found;
}

// Terms of one column and one relation.
struct KindTerms {
    std::vector<std::int32_t> code;
    std::vector<double> own;
    std::vector<double> other;

    void put(std::int32_t value, double p, double n) {
        if (!(p > 0)) return;
        code.push_back(value);
        own.push_back(p);
        other.push_back(n);
    }
};

// The terms of one column, from the weights of its values.
class ColumnTerms {
public:
    // `before` are the sums of the weights of all columns before it that are cut.
    void find(std::span<const ValueTally> slots, const std::uint8_t* allowed, bool is_cut,
              bool has_single, bool boundaries, const OwnAndOther& before) {
        allowed_ = allowed;
        const bool missing = !slots.empty() && slots[0].code < 0;
        const auto values = slots.subspan(missing ? 1 : 0);
        OwnAndOther all;
        for (const ValueTally& slot : values) all.own += slot.own, all.other += slot.other;
        if (is_cut) put_cuts(values, boundaries, before);
        if (has_single) put_values(values, all);
        if (!missing) return;
        put(TermKind::missing, -1, slots[0].own, slots[0].other);
        put(TermKind::present, -1, all.own, all.other);
    }

    const KindTerms& of(std::size_t kind) const { return kinds_[kind]; }

private:
    void put(TermKind kind, std::int32_t code, double own, double other) {
        const auto place = static_cast<std::size_t>(kind);
        if (allowed_[place]) kinds_[place].put(code, own, other);
    }

    void put_cuts(std::span<const ValueTally> values, bool boundaries, const OwnAndOther& before) {
        OwnAndOther end = before;
        for (const ValueTally& slot : values) end.own += slot.own, end.other += slot.other;
        OwnAndOther sum = before;
        for (std::size_t i = 0; i + 1 < values.size(); ++i) {
            const ValueTally& slot = values[i];
            const ValueTally& next = values[i + 1];
            sum.own += slot.own;
            sum.other += slot.other;
            if (!boundaries || (slot.own > 0 && next.other > 0)) {
                put(TermKind::at_most, slot.code, sum.own - before.own, sum.other - before.other);
            }
            if (!boundaries || (slot.other > 0 && next.own > 0)) {
                put(TermKind::above, slot.code, end.own - sum.own, end.other - sum.other);
            }
        }
    }

    // With two values, all but one of them is the other.
    void put_values(std::span<const ValueTally> values, const OwnAndOther& all) {
        for (const ValueTally& slot : values) {
            put(TermKind::is, slot.code, slot.own, slot.other);
            if (values.size() > 2) {
                put(TermKind::is_not, slot.code, all.own - slot.own, all.other - slot.other);
            }
        }
    }

    const std::uint8_t* allowed_ = nullptr;
    std::array<KindTerms, term_kinds> kinds_;
};

// Sums of the weights of all columns before each one that are cut. Counts are exact in any order.
std::vector<OwnAndOther> sums_before(const std::vector<Slots>& slots, const Covered& covered,
                                     const TermQuery& query) {
    std::vector<OwnAndOther> before(slots.size());
    if (covered.weight.empty()) return before;
    OwnAndOther sum;
    for (std::size_t j = 0; j < slots.size(); ++j) {
        before[j] = sum;
        if (!query.cut[j]) continue;
        for (const ValueTally& slot : slots[j]) {
            if (slot.code >= 0) sum.own += slot.own, sum.other += slot.other;
        }
    }
    return before;
}

TermTallies joined(const std::vector<ColumnTerms>& columns) {
    TermTallies all;
    const auto append = [](auto& to, const auto& from) {
        to.insert(to.end(), from.begin(), from.end());
    };
    for (std::size_t kind = 0; kind < term_kinds; ++kind) {
        for (std::size_t j = 0; j < columns.size(); ++j) {
            const KindTerms& some = columns[j].of(kind);
            append(all.code, some.code);
            append(all.own, some.own);
            append(all.other, some.other);
            all.column.resize(all.code.size(), static_cast<std::int32_t>(j));
            all.relation.resize(all.code.size(), static_cast<std::int32_t>(kind));
        }
    }
    return all;
}

}  // namespace

std::vector<ValueTally> tally_values(std::span<const CodedColumn> columns, const Covered& covered,
                                     std::size_t threads) {
    Slots slots;
    for (const Slots& some : slots_by_column(columns, covered, threads)) {
        slots.insert(slots.end(), some.begin(), some.end());
    }
    return slots;
}

TermTallies tally_terms(std::span<const CodedColumn> columns, const Covered& covered,
                        const TermQuery& query, std::size_t threads) {
    const std::vector<Slots> slots = slots_by_column(columns, covered, threads);
    const std::vector<OwnAndOther> before = sums_before(slots, covered, query);
    std::size_t count = 0;
    for (const Slots& some : slots) count += some.size();
    std::vector<ColumnTerms> found(columns.size());
    for_each_task(columns.size(), threads_for(count, threads), [&](std::size_t j) {
        checkpoint(slots[j].size());
        found[j].find(slots[j], query.allowed.data() + j * term_kinds, query.cut[j] != 0,
                      query.single[j] != 0, query.boundaries, before[j]);
    });
    return joined(found);
}

}  // namespace rulewright
